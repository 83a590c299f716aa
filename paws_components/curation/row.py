"""A row of a corpus, before anything is done to it."""

from dataclasses import dataclass, field
from typing import Any, Dict, Optional

from ..records import PairRecord, normalise
from .labels import Label

# What can be wrong with a row before its content is looked at.
STRAY, COLUMNS, ENCODING = "stray_line", "column_count", "encoding"


@dataclass
class Row:
    """One row of a corpus as it is written.

    number (int): The line it begins at, counted from 1; in Parquet the row.
    sentence1, sentence2 (str): The two sentences, "" where the row can't be read.
    written (str): The label as written.
    label (Optional[Label]): What that means: 1, 0, or an NLI judgement; None if nothing.
    problem (Optional[str]): `stray_line`, `column_count` or `encoding`, if the row has one of these.
    readable (bool): Whether the sentences are known all the same.
    id (str): The row's id in the corpus.
    extra (Dict[str, str]): The columns that the layout lists under `extra`.
    label_source (Optional[str]): Who labelled the corpus.
    record (Optional[Dict[str, Any]]): The other fields of a row of JSONL or Parquet.
    """

    number: int
    sentence1: str
    sentence2: str
    written: str = ""
    label: Optional[Label] = None
    problem: Optional[str] = None
    readable: bool = True
    id: str = ""
    extra: Dict[str, str] = field(default_factory=dict)
    label_source: Optional[str] = None
    record: Optional[Dict[str, Any]] = None

    def to_record(self) -> PairRecord:
        """The row as a record. An NLI judgement is no paraphrase label: it goes under `evidence["nli"]`."""
        data: Dict[str, Any] = dict(self.record) if self.record is not None else {"id": self.id}
        data.update(sentence1=normalise(self.sentence1), sentence2=normalise(self.sentence2), label=None)
        if isinstance(self.label, str):
            data["evidence"] = {**data.get("evidence", {}), "nli": self.label}
        elif self.label is not None:
            data["label"] = self.label
            data.setdefault("label_source", self.label_source)
        return PairRecord.from_dict(data)
