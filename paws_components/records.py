"""PairRecord: a sentence pair with where it comes from and what speaks for it."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Optional, Union

from .errors import Errors, PawsError

PathLike = Union[str, Path]
# The judgements of natural language inference.
NLI = ("entailment", "neutral", "contradiction")


def normalise(text: str) -> str:
    """A sentence on one line: tabs, line breaks and runs of spaces become single spaces."""
    return " ".join(text.split())


def stable_id(*parts: str) -> str:
    """A short hash of some texts: the same on every machine and in every run."""
    joined = "\0".join(parts).encode("utf8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=8).hexdigest()


@dataclass
class PairRecord:
    """A pair of sentences.

    sentence1, sentence2 (str): Plain text, never tokenised.
    label (Optional[int]): 1 paraphrase, 0 not, None unknown.
    nli (Optional[str]): `entailment`, `neutral`, `contradiction` or None, with sentence1 as the premise.
    label_source (Optional[str]): `human`, `silver`, `rule`, or None.
    generator (Optional[str]): What made the pair: `word_swap`, `human`, …
    source_id (str): The same for every sentence that comes from one source sentence; splits never divide it.
    evidence (Dict[str, Any]): What speaks for the pair: moved spans, scores, model names, versions.
    id (str): A hash of the two sentences and the generator.
    """

    sentence1: str
    sentence2: str
    label: Optional[int] = None
    label_source: Optional[str] = None
    generator: Optional[str] = None
    source_id: str = ""
    evidence: Dict[str, Any] = field(default_factory=dict)
    id: str = ""
    nli: Optional[str] = None

    def __post_init__(self) -> None:
        if not self.source_id:
            self.source_id = stable_id(self.sentence1)
        if not self.id:
            self.id = stable_id(self.sentence1, self.sentence2, self.generator or "")

    def to_dict(self) -> Dict[str, Any]:
        """The record as plain data, in the order that files have."""
        return {name: getattr(self, name) for name in FIELDS}

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> "PairRecord":
        """A record from plain data. What the record has no field for is kept under `evidence`."""
        for name in ("sentence1", "sentence2"):
            if not isinstance(data.get(name), str):
                raise PawsError(Errors.P016.format(name=name, what="a text"))
        if data.get("label") not in (None, 0, 1):
            raise PawsError(Errors.P015.format(name="label", what="0, 1 or empty", value=data["label"]))
        if data.get("nli") not in (None, *NLI):
            raise PawsError(Errors.P015.format(name="nli", what=f"one of {', '.join(NLI)} or empty", value=data["nli"]))
        values = {key: value for key, value in data.items() if key in FIELDS and value is not None}
        others = {key: value for key, value in data.items() if key not in FIELDS}
        if not isinstance(values.setdefault("evidence", {}), dict):
            raise PawsError(Errors.P016.format(name="evidence", what="an object"))
        values["evidence"] = {**values["evidence"], **others}
        # Where it stood before it had a field.
        if values["evidence"].get("nli") in NLI:
            values.setdefault("nli", values["evidence"].pop("nli"))
        values["id"] = str(values.get("id", ""))
        if "label" in values:
            values["label"] = int(values["label"])
        return cls(**values)


FIELDS = ("id", "sentence1", "sentence2", "label", "nli", "label_source", "generator", "source_id", "evidence")


def pyarrow_parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise PawsError(Errors.P010) from error
    return pyarrow.parquet
