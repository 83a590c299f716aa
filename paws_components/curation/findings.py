"""What an audit looks at, and what it finds."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from ..readers import Layout, Row, Source, open_pairs
from ..readers.files import READ_ERRORS, format_of, is_regular, open_bytes
from ..readers.row import plain
from .text import is_placeholder

ERROR, WARNING, INFO = "error", "warning", "info"
# The gravest first.
LEVELS = (ERROR, WARNING, INFO)
EXAMPLES = 3
WIDTH = 60


@dataclass
class Finding:
    """One thing that is so with a corpus.

    check (str): The name of the check.
    level (str): `error` (training or scoring on it goes wrong), `warning` (it does for a reader or a user who does not
        know) or `info` (worth knowing).
    split (str): The split it was found in.
    count (int): How many rows it is about, or what the message says.
    examples (List[str]): A few of the rows.
    message (str): The finding in a sentence.
    details (Dict[str, Any]): More figures, as plain data.
    """

    check: str
    level: str
    split: str
    count: int
    examples: List[str]
    message: str
    details: Dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> Dict[str, Any]:
        """The finding as plain data."""
        return asdict(self)


@dataclass
class FileFacts:
    """What a file is before it is cut into rows: its mark, and how many lines end in which way."""

    mark: bool = False
    crlf: int = 0
    lf: int = 0


class Split:
    """A corpus, read whole, with what several checks ask for worked out once.

    name (str): What it is called in findings.
    path (Source): The source: see `open_pairs`.
    layout (Union[str, Layout, None]): Its layout; None to guess it.
    """

    def __init__(self, name: str, path: Source, layout: Union[str, Layout, None] = None) -> None:
        self.name = name
        opened = open_pairs(path, layout)
        self.source = opened.source
        self.path = Path(opened.source)
        self.layout = opened.layout
        self.rows: List[Row] = list(opened)
        # The file itself, if there is one; what came through a pipe is in one too.
        self.file = opened.path if opened.path is not None and is_regular(opened.path) else None
        # For checks that share work.
        self.cache: Dict[str, Any] = {}

    @property
    def is_train(self) -> bool:
        """Whether the split is for training, by its name or its file's."""
        return "train" in self.name.lower() or "train" in self.path.name.lower()

    @cached_property
    def is_labelled(self) -> bool:
        """Whether there are labels at all: where every row lacks one, nothing is missing."""
        return bool(self.layout.label) and any(row.written.strip() for row in self.rows)

    @property
    def is_text(self) -> bool:
        """Whether it is a file of lines."""
        return self.file is not None and format_of(self.file) not in ("parquet", "spacy")

    @cached_property
    def readable(self) -> List[Row]:
        """The rows whose sentences are known."""
        return [row for row in self.rows if row.readable]

    @cached_property
    def pairs(self) -> List[Tuple[Row, str, str]]:
        """The rows that hold two sentences, with these as they were meant."""
        texts = ((row, plain(row.sentence1), plain(row.sentence2)) for row in self.readable)
        return [
            (row, first, second)
            for row, first, second in texts
            if first and second and not is_placeholder(first) and not is_placeholder(second)
        ]

    @cached_property
    def facts(self) -> FileFacts:
        facts = FileFacts()
        if self.file is None or not self.is_text:
            return facts
        with open_bytes(self.file) as lines:
            try:
                for number, line in enumerate(lines):
                    facts.mark = facts.mark or (number == 0 and line.startswith(b"\xef\xbb\xbf"))
                    facts.crlf += line.endswith(b"\r\n")
                    facts.lf += line.endswith(b"\n") and not line.endswith(b"\r\n")
            except READ_ERRORS:
                pass  # the rows say where it broke off
        return facts

    def finding(
        self,
        check: str,
        level: str,
        rows: Iterable[Row],
        message: str,
        count: Optional[int] = None,
        **details: Any,
    ) -> List[Finding]:
        """A finding about some rows of this split; none if there are none.

        message (str): The sentence; "{count}" and "{total}" (the rows of the split) are filled in.
        count (Optional[int]): If it is not the number of rows.
        """
        rows = list(rows)
        number = len(rows) if count is None else count
        if not number:
            return []
        # Not `format`: a message may quote labels and texts with braces of their own.
        text = message.replace("{count}", f"{number:,}").replace("{total}", f"{len(self.rows):,}")
        return [Finding(check, level, self.name, number, [show(row) for row in rows[:EXAMPLES]], text, details)]


def show(row: Row) -> str:
    """A row in a line, for a reader: where it stands, its sentences shortened, and its label as written."""
    if not row.readable:
        return f"line {row.number}: {row.problem}"
    label = f" [{row.written.strip()}]" if row.written.strip() else ""
    return f"line {row.number}: {_short(row.sentence1)} | {_short(row.sentence2)}{label}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= WIDTH else flat[: WIDTH - 1] + "…"


def share(part: int, whole: int) -> float:
    """A share with four digits, 0 of nothing."""
    return round(part / whole, 4) if whole else 0.0


def counted(values: Iterable[str]) -> Dict[str, int]:
    """How often each value occurs, the most frequent first."""
    return dict(Counter(values).most_common())
