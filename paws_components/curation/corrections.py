"""Sentence correction (PAWS, section 4): people accept, fix or reject a generated sentence, its source unseen."""

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterable, List, NamedTuple

from ..errors import Errors, PawsError
from ..readers.objects import bad_row, read_objects
from ..records import PairRecord, PathLike, normalise
from ..writers import TableWriter, file_format, write_text

ACCEPT, FIX, REJECT = ACTIONS = ("accept", "fix", "reject")
COLUMNS = ("item_id", "rater", "action", "text")


class Correction(NamedTuple):
    """What somebody decided about the generated sentence of a pair.

    item_id (str): The `id` of the record whose second sentence that is.
    action (str): "accept", "fix" or "reject".
    text (str): The sentence as it should be, if it is to be fixed.
    rater (str): Who decided.
    """

    item_id: str
    action: str
    text: str = ""
    rater: str = ""


@dataclass
class Corrected:
    """Pairs by what was decided about them.

    kept (List[PairRecord]): Accepted and fixed ones.
    rejected (List[PairRecord]): Rejected ones.
    waiting (List[PairRecord]): Those that nobody decided about yet.
    counts (Dict[str, int]): How many were accepted, fixed and rejected.
    unknown (int): Decisions about items that are not among the pairs.
    """

    kept: List[PairRecord] = field(default_factory=list)
    rejected: List[PairRecord] = field(default_factory=list)
    waiting: List[PairRecord] = field(default_factory=list)
    counts: Dict[str, int] = field(default_factory=lambda: {action: 0 for action in ACTIONS})
    unknown: int = 0


def read_corrections(path: PathLike) -> List[Correction]:
    """Read decisions from JSONL, TSV or CSV: one per item. Other columns than those of a decision are passed over."""
    found: Dict[str, Correction] = {}
    lines: Dict[str, int] = {}
    for number, data in read_objects(path, "a correction"):
        item, action = (str(data.get(name) or "").strip() for name in ("item_id", "action"))
        text = normalise(str(data.get("text") or ""))
        if not item:
            raise bad_row(path, number, "a correction", "it has no item_id")
        if action not in ACTIONS:
            known = ", ".join(ACTIONS)
            raise bad_row(path, number, "a correction", f"the action is {action!r}, and should be one of {known}")
        if action == FIX and not text:
            raise bad_row(path, number, "a correction", "it is to fix the sentence, and has no text")
        if item in lines:
            raise PawsError(Errors.P705.format(path=str(path), item=item, one=lines[item], other=number))
        lines[item] = number
        found[item] = Correction(item, action, text if action == FIX else "", str(data.get("rater") or ""))
    return list(found.values())


def write_corrections(corrections: Iterable[Correction], path: PathLike) -> int:
    """Write decisions to JSONL, TSV or CSV. RETURNS (int): How many."""
    rows = [{name: getattr(one, name) for name in COLUMNS} for one in corrections]
    if file_format(path, known=(".jsonl", ".tsv", ".csv")) == ".jsonl":
        write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    else:
        with TableWriter(path, COLUMNS) as writer:
            for row in rows:
                writer.write(row)
    return len(rows)


def apply_corrections(records: Iterable[PairRecord], corrections: Iterable[Correction]) -> Corrected:
    """Do with pairs what was decided about their second sentences.

    A fixed pair is another pair, with an id of its own; `evidence["correction"]` keeps the old id and sentence.

    records (Iterable[PairRecord]): The pairs.
    corrections (Iterable[Correction]): The decisions.
    RETURNS (Corrected): The pairs.
    """
    decisions = {one.item_id: one for one in corrections}
    done = Corrected()
    known = set()
    counts: Counter = Counter()
    for record in records:
        known.add(record.id)
        decision = decisions.get(record.id)
        if decision is None:
            done.waiting.append(record)
            continue
        action = decision.action
        # Somebody who types the sentence as it is has accepted it.
        if action == FIX and decision.text == record.sentence2:
            action = ACCEPT
        counts[action] += 1
        (done.rejected if action == REJECT else done.kept).append(_decided(record, action, decision.text))
    done.counts.update(counts)
    done.unknown = sum(item not in known for item in decisions)
    return done


def _decided(record: PairRecord, action: str, text: str) -> PairRecord:
    note: Dict[str, Any] = {"action": action}
    evidence = dict(record.evidence)
    if action != FIX:
        return replace(record, evidence={**evidence, "correction": note})
    note.update(id=record.id, sentence2=record.sentence2)
    if "moved" in evidence:  # where it moved to is told of the old sentence
        note["moved"] = evidence.pop("moved")
    # An id of "" is made anew from the sentences.
    return replace(record, id="", sentence2=text, evidence={**evidence, "correction": note})
