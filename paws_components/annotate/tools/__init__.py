"""Other tools for annotation: pairs written for them, and their answers read back as votes."""

import json
import random
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Tuple

from ...curation.votes import Vote
from ...errors import Errors, PawsError
from ...records import PairRecord, PathLike
from ...writers import check_outputs, write_text
from . import argilla, label_studio, mturk, prodigy
from .shared import Sides


class Tool(NamedTuple):
    """Another tool.

    title (str): Its name as people write it.
    ending (str): How the file for it ends.
    write (Callable): From pairs to the text of that file.
    read (Callable): From the text of its answers to votes, each with the number of its line or task.
    beside (Tuple[str, Callable]): What else it needs, such as a template: its ending, and what gives its text.
    """

    title: str
    ending: str
    write: Callable[[List[Sides]], str]
    read: Callable[[str], Iterable[Tuple[int, Any]]]
    beside: Tuple[str, Callable[[str], str]]


TOOLS: Dict[str, Tool] = {
    "label-studio": Tool(
        "Label Studio", ".json", label_studio.write, label_studio.read, (".config.xml", label_studio.config)
    ),
    "prodigy": Tool("Prodigy", ".jsonl", prodigy.write, prodigy.read, (".recipe.py", prodigy.recipe)),
    "argilla": Tool("Argilla", ".json", argilla.write, argilla.read, (".load.py", argilla.script)),
    "mturk": Tool("Mechanical Turk", ".csv", mturk.write, mturk.read, (".template.html", mturk.template)),
}


def write_for(tool: str, records: Iterable[PairRecord], output: str, *, question: str, seed: int = 0) -> List[str]:
    """Write pairs for another tool, and beside them what shows them there.

    tool (str): "label-studio", "prodigy", "argilla" or "mturk".
    records (Iterable[PairRecord]): The pairs.
    output (str): The file.
    question (str): What people are asked.
    seed (int): Of the order of the pairs and of their sides.
    RETURNS (List[str]): The files that were written.
    """
    found = TOOLS[tool]
    if Path(output).suffix != found.ending:
        raise PawsError(Errors.P011.format(path=output, known=found.ending, hint=f" for {found.title}"))
    beside = str(Path(output).with_suffix(found.beside[0]))
    check_outputs([], [output, beside])
    chance = random.Random(seed)
    sides = []
    for record in records:
        swapped = bool(chance.getrandbits(1))
        one, two = (record.sentence2, record.sentence1) if swapped else (record.sentence1, record.sentence2)
        sides.append(Sides(record.id, one, two, swapped))
    chance.shuffle(sides)
    write_text(output, found.write(sides))
    write_text(beside, found.beside[1](question))
    return [output, beside]


def read_from(tool: str, path: PathLike) -> List[Vote]:
    """Read the answers of another tool as votes. Where somebody answered twice, the last answer counts.

    tool (str): The tool.
    path (Union[str, Path]): What it exported.
    RETURNS (List[Vote]): The votes.
    """
    found = TOOLS[tool]
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error
    votes: Dict[Tuple[str, str], Vote] = {}
    try:
        for number, vote in found.read(text):
            if isinstance(vote, str):
                raise PawsError(Errors.P817.format(line=number, path=path, tool=found.title, reason=vote))
            votes[vote.item_id, vote.rater] = vote
    except (json.JSONDecodeError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise PawsError(Errors.P817.format(line=line, path=path, tool=found.title, reason=error)) from error
    if not votes:
        raise PawsError(Errors.P818.format(path=str(path), tool=found.title))
    return list(votes.values())
