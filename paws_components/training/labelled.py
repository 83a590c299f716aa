"""The labelled pairs among the rows of a source, and an account of all the others."""

from collections import Counter
from typing import Callable, Dict, Iterator, NamedTuple, Optional, Sequence

from ..errors import Errors, PawsError
from ..pairs import label_name
from ..readers import Layout, Pairs, Row
from ..readers.labels import label_problem
from ..readers.row import EMPTY, PLACEHOLDER, plain

ALL, UNKNOWN = "all", "unknown"
LABEL_SOURCES = ("human", "silver", "rule", UNKNOWN)
# Why a row gives no pair: those that are errors in it, and those that are not errors.
ERRORS: Dict[str, str] = {
    "unreadable": "can't be read",
    "unknown": "have a label that the layout does not know",
}
LEFT_OUT: Dict[str, str] = {
    EMPTY: "have an empty sentence",
    PLACEHOLDER: "have NS in place of a sentence that nobody translated",
    "missing": "have no label",
    "undecided": "have a label that says the raters did not agree",
    "source": "have labels from others than `labels` names",
    "range": "do not lie within skip and limit",
}
ASKED_FOR = ("source", "range")
# What is told of pairs that come through.
NOTES: Dict[str, str] = {
    "white_space": "hold tabs or line breaks within a sentence, read as spaces",
    "bytes": "are written as Python bytes literals, and were decoded",
}


class Pair(NamedTuple):
    """A labelled pair: the sentences on one line each, the name of the label, who gave it, and its line."""

    sentence1: str
    sentence2: str
    label: str
    label_source: str
    number: int


class Account:
    """How many rows of a source came to what."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.pairs = 0
        self.why: Counter = Counter()
        self.notes: Counter = Counter()
        self.sources: Counter = Counter()

    @property
    def errors(self) -> int:
        return sum(self.why[name] for name in ERRORS)

    @property
    def left_out(self) -> int:
        return sum(self.why[name] for name in LEFT_OUT)

    @property
    def rows(self) -> int:
        return self.pairs + self.errors + self.left_out

    def choose(self, count: int) -> None:
        """Of the pairs that were read, only so many were taken."""
        self.why["range"] += self.pairs - count
        self.pairs = count

    def add(self, other: "Account") -> None:
        """Count another account into this one."""
        self.pairs += other.pairs
        for mine, theirs in ((self.why, other.why), (self.notes, other.notes), (self.sources, other.sources)):
            mine.update(theirs)

    @property
    def remarks(self) -> str:
        """What is told of rows that gave no pair, and of pairs that were changed; "" if there is nothing to tell."""
        texts = {**ERRORS, **LEFT_OUT, **NOTES}
        counts = {**self.why, **self.notes}
        return "; ".join(f"{counts[name]:,} {texts[name]}" for name in texts if counts.get(name))

    @property
    def expected(self) -> bool:
        """Whether there is nothing to tell but what was asked for."""
        return not any(self.notes.values()) and all(name in ASKED_FOR for name in self.why if self.why[name])

    def __str__(self) -> str:
        return f"{self.rows:,} rows in = {self.pairs:,} pairs + {self.left_out:,} left out + {self.errors:,} errors"


def check_label_sources(labels: Sequence[str]) -> Sequence[str]:
    """The sources of labels that are meant; our error for one that does not exist."""
    wanted = [labels] if isinstance(labels, str) else list(labels)
    for name in wanted:
        if name not in (ALL, *LABEL_SOURCES):
            raise PawsError(Errors.P304.format(name=name, known=", ".join((ALL, *LABEL_SOURCES))))
    return LABEL_SOURCES if ALL in wanted else wanted


def read_labelled(
    source: Pairs,
    account: Account,
    labels: Sequence[str] = (ALL,),
    tell: Optional[Callable[[Row, str], None]] = None,
) -> Iterator[Pair]:
    """Read the labelled pairs of a source, one by one.

    source (Pairs): The source, opened.
    account (Account): Where every row is counted.
    labels (Sequence[str]): Whose labels are taken: "human", "silver" (a model's), "rule", "unknown", or "all".
    tell (Optional[Callable]): Told of each row with an error, with the kind of error.
    YIELDS (Pair): The pairs.
    """
    wanted = check_label_sources(labels)
    for row in source:
        given_by = _source_of(row)
        why = _why_not(row, given_by in wanted, source.layout)
        if why is not None or row.label is None:
            account.why[why] += 1
            if tell and why in ERRORS:
                tell(row, why or "")
            continue
        account.pairs += 1
        account.sources[given_by] += 1
        first, second = (plain(text) for text in (row.sentence1, row.sentence2))
        account.notes.update(row.notes)
        yield Pair(first, second, label_name(row.label), given_by, row.number)


def _source_of(row: Row) -> str:
    given = (row.fields or {}).get("label_source") or row.label_source or UNKNOWN
    return given if given in LABEL_SOURCES else UNKNOWN


def _why_not(row: Row, wanted: bool, layout: Layout) -> Optional[str]:
    """Why a row gives no pair; None if it gives one."""
    if not row.readable:
        return "unreadable"
    if row.missing is not None:
        return row.missing
    if row.label is None:
        return label_problem(row.written, layout.scheme) or "missing"
    return None if wanted else "source"
