"""A row of a corpus, before anything is done to it, and the record that it makes."""

import ast
import json
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

from ..errors import Errors
from ..records import PairRecord, normalise
from .labels import Label

# What can be wrong with a row before its content is looked at.
STRAY, COLUMNS, ENCODING, BROKEN = "stray_line", "column_count", "encoding", "read_error"
# Sentences that are not there: nothing, or what stands for a translation that nobody made.
EMPTY, PLACEHOLDER = "empty", "placeholder"
REASONS = {
    STRAY: "it belongs to no row",
    COLUMNS: "it does not have the columns of the others",
    ENCODING: "it is not valid UTF-8",
    BROKEN: "the rest of the file can't be read",
}
PLACEHOLDERS = ("NS",)
# One literal and nothing after it: `b'' + …` is an expression, and may be one that takes for ever.
BYTES_LITERAL = re.compile(r"""b(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)


def decode_literal(text: str) -> Optional[str]:
    """The text that was written as a Python bytes literal (`b'...'`); None if it was not, or is not UTF-8."""
    stripped = text.strip()
    if not stripped.startswith("b") or not BYTES_LITERAL.fullmatch(stripped):
        return None
    try:
        value: bytes = ast.literal_eval(stripped)
        return value.decode("utf8")
    except (ValueError, SyntaxError, MemoryError):
        return None


def plain(text: str) -> str:
    """A sentence as it was meant: decoded if it is a bytes literal, on one line, with single spaces."""
    decoded = decode_literal(text)
    return normalise(text if decoded is None else decoded)


@dataclass
class Row:
    """One row of a corpus as it is written.

    number (int): The line it begins at, counted from 1; in Parquet the row.
    sentence1, sentence2 (str): The two sentences, "" where the row can't be read.
    written (str): The label as written.
    label (Optional[Label]): What that means: 1, 0, or an NLI judgement; None if nothing.
    problem (Optional[str]): `stray_line`, `column_count`, `encoding` or `read_error`, if the row has one of these.
    readable (bool): Whether the sentences are known all the same.
    id (str): The row's id in the corpus.
    columns (Dict[str, Any]): All columns as they stand.
    fields (Optional[Dict[str, Any]]): Of a row of JSONL, Parquet or a data set: what is neither sentence nor label.
    label_source (Optional[str]): Who labelled the corpus.
    path (str): The source.
    detail (str): What exactly is wrong, where that can be said.
    line (str): The row as it stands, where its columns do not tell all of it.
    lang (str): The language of both sentences, where the corpus says it.
    """

    number: int
    sentence1: str
    sentence2: str
    written: str = ""
    label: Optional[Label] = None
    problem: Optional[str] = None
    readable: bool = True
    id: str = ""
    columns: Dict[str, Any] = field(default_factory=dict)
    fields: Optional[Dict[str, Any]] = None
    label_source: Optional[str] = None
    path: str = ""
    detail: str = ""
    line: str = ""
    lang: str = ""

    @property
    def missing(self) -> Optional[str]:
        """`empty` or `placeholder` where a sentence is not there, else None. Such a row is left out, and counted."""
        texts = (plain(self.sentence1), plain(self.sentence2))
        if not all(texts):
            return EMPTY
        return PLACEHOLDER if any(text in PLACEHOLDERS for text in texts) else None

    @property
    def reason(self) -> Optional[str]:
        """Why the row can't be read, for a reader; None if it can."""
        if self.readable or self.problem is None:
            return None
        detail = f": {self.detail}" if self.detail else ""
        return Errors.P212.format(reason=REASONS[self.problem] + detail)

    @property
    def raw(self) -> str:
        """The row as it stands, on one line."""
        if self.line:
            return self.line
        if self.fields is None and all(isinstance(value, str) for value in self.columns.values()):
            return "\t".join(self.columns.values())
        return json.dumps(self.columns, ensure_ascii=False, default=str)

    @property
    def broke_off(self) -> bool:
        """Whether this is where a source broke off."""
        return self.problem == BROKEN

    @property
    def payload(self) -> Optional[PairRecord]:
        """What a job of the engine takes; None where there is nothing to work on."""
        return self.to_record() if self.missing is None else None

    @property
    def notes(self) -> List[str]:
        """What was changed in reading, `white_space` or `bytes`, and what is not there, `empty` or `placeholder`."""
        texts = (self.sentence1.strip(), self.sentence2.strip())
        found = ["white_space"] if any("\t" in text or len(text.splitlines()) > 1 for text in texts) else []
        found += ["bytes"] if any(decode_literal(text) is not None for text in texts) else []
        return [*found, self.missing] if self.readable and self.missing else found

    def to_record(self, read: Callable[[str], str] = plain) -> PairRecord:
        """The row as a record. An NLI judgement is not a paraphrase label: the record has a field for it.

        read (Callable): What makes a sentence of a text as it is written.
        RETURNS (PairRecord): The record.
        """
        data: Dict[str, Any] = dict(self.fields) if self.fields is not None else {"id": self.id}
        if self.lang:
            data["lang"] = self.lang
        data.update(sentence1=read(self.sentence1), sentence2=read(self.sentence2), label=None)
        if isinstance(self.label, str):
            data["nli"] = self.label
        elif self.label is not None:
            data["label"] = self.label
        if self.label is not None and data.get("label_source") is None:
            data["label_source"] = self.label_source
        return PairRecord.from_dict(data)
