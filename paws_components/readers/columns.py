"""What columns are called: the one table by which sentences, labels and ids are found where no layout is known."""

from typing import Iterable, NamedTuple, Optional, Sequence

from ..errors import Errors, PawsError

# The columns that hold the two sentences, the first that are there. Case does not matter, here and below.
SENTENCES = (
    ("sentence1", "sentence2"),
    ("#1 string", "#2 string"),
    ("question1", "question2"),
    ("premise", "hypothesis"),
    ("text_a", "text_b"),
    ("sentence_a", "sentence_b"),
    ("new_s1", "new_s2"),
    ("og_s1", "og_s2"),
    ("s1", "s2"),
    ("text1", "text2"),
    ("sentence", "candidate"),
    ("sentence", "paraphrase"),
    ("source", "candidate"),
    ("source", "paraphrase"),
    ("source", "target"),
    ("text", "paraphrase"),
    ("original", "paraphrase"),
)
LABELS = (
    "label",
    "labels",
    "is_duplicate",
    "gold_label",
    "quality",
    "is_paraphrase",
    "new_label",
    "og_label",
    "entailment_judgment",
)
IDS = ("id", "pair_id", "pairid")


class Columns(NamedTuple):
    """Which columns are the sentences, the label and the id; "" where there is none."""

    sentence1: str
    sentence2: str
    label: str = ""
    id: str = ""


def find_columns(names: Sequence[str]) -> Optional[Columns]:
    """The columns of a file of which nothing is known but their names; None if these say nothing."""
    known = {name.strip().lower(): name for name in reversed(names)}

    def first(choices: Iterable[str]) -> str:
        return next((known[name] for name in choices if name in known), "")

    for one, two in SENTENCES:
        if one in known and two in known:
            return Columns(known[one], known[two], first(LABELS), first(IDS))
    return None


def named_columns(names: Sequence[str], wanted: Sequence[str], path: str) -> Columns:
    """The columns that somebody names: the sentences', and perhaps the label's.

    names (Sequence[str]): The columns there are.
    wanted (Sequence[str]): Two or three of them.
    path (str): Where, for the error.
    RETURNS (Columns): The columns.
    """
    if len(wanted) not in (2, 3) or any(name not in names for name in wanted):
        raise PawsError(Errors.P107.format(path=path, known=", ".join(names)))
    found = find_columns(names)
    return Columns(wanted[0], wanted[1], wanted[2] if len(wanted) == 3 else "", found.id if found else "")
