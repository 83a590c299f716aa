"""PairRecord: a sentence pair with where it comes from and what speaks for it, and its files."""

import gzip
import hashlib
import json
import lzma
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Callable, Dict, Iterator, List, Optional, Type, Union

from .errors import Errors, PawsError

PathLike = Union[str, Path]
FORMATS = (".jsonl", ".tsv", ".parquet")
# How many records a Parquet row group holds: the writer keeps no more than this in memory.
ROW_GROUP = 10_000


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

    def __post_init__(self) -> None:
        if not self.source_id:
            self.source_id = stable_id(self.sentence1)
        if not self.id:
            self.id = stable_id(self.sentence1, self.sentence2, self.generator or "")

    def to_dict(self) -> Dict[str, Any]:
        """The record as plain data, the id first."""
        data = asdict(self)
        return {"id": data.pop("id"), **data}

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> "PairRecord":
        """A record from plain data. What the record has no field for is kept under `evidence`."""
        for name in ("sentence1", "sentence2"):
            if not isinstance(data.get(name), str):
                raise PawsError(Errors.P016.format(name=name, what="a text"))
        known = {f.name for f in fields(cls)}
        values = {key: value for key, value in data.items() if key in known and value is not None}
        others = {key: value for key, value in data.items() if key not in known}
        if "label" in values:
            values["label"] = _read_label(values["label"])
        values["id"] = str(values.get("id", ""))
        if others:
            values["evidence"] = {**values.get("evidence", {}), **others}
        return cls(**values)


def _read_label(value: Any) -> Optional[int]:
    text = str(value).strip()
    if text in ("", "None", "nan"):
        return None
    if text not in ("0", "1", "0.0", "1.0"):
        raise PawsError(Errors.P015.format(name="label", what="0, 1 or empty", value=value))
    return int(float(text))


def file_format(path: PathLike) -> str:
    """The format of a record file by its ending, compression aside."""
    name = str(path)
    for packed in (".gz", ".xz"):
        name = name.removesuffix(packed)
    for ending in FORMATS:
        if name.endswith(ending):
            return ending
    raise PawsError(Errors.P011.format(path=str(path), known=", ".join(FORMATS), hint=" (also .gz or .xz)"))


def open_text(path: PathLike, mode: str) -> IO[str]:
    """Open a text file that may be compressed. Lines end where "\\n" stands and nowhere else."""
    name = str(path)
    opener: Callable[..., Any] = open
    if name.endswith(".gz"):
        opener = gzip.open
    elif name.endswith(".xz"):
        opener = lzma.open
    return opener(name, mode + "t", encoding="utf8", newline="\n", errors="surrogatepass" if mode == "w" else "strict")


def read_records(path: PathLike) -> Iterator[PairRecord]:
    """Read the records of a JSONL, PAWS TSV or Parquet file, one by one.

    path (Union[str, Path]): The file; its ending tells the format. JSONL and TSV may be compressed (.gz, .xz).
    YIELDS (PairRecord): The records.
    """
    reader = {".jsonl": _read_jsonl, ".tsv": _read_tsv, ".parquet": _read_parquet}[file_format(path)]
    number = 0
    try:
        for number, data in reader(path):
            yield PairRecord.from_dict(data)
    except PawsError as error:
        raise PawsError(Errors.P009.format(line=number, path=path, reason=error)) from error
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error


def _read_jsonl(path: PathLike) -> Iterator[tuple]:
    with open_text(path, "r") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    data = json.loads(line.removeprefix("\ufeff"))
                except json.JSONDecodeError as error:
                    raise PawsError(Errors.P009.format(line=number, path=path, reason=error)) from error
                yield number, data if isinstance(data, dict) else {}


def _read_tsv(path: PathLike) -> Iterator[tuple]:
    """PAWS TSV: a header, no quoting, LF or CRLF."""
    with open_text(path, "r") as lines:
        header = next(lines, "").removeprefix("\ufeff").rstrip("\r\n").split("\t")
        for number, line in enumerate(lines, 2):
            row = line.rstrip("\r\n").split("\t")
            if len(row) != len(header):
                reason = f"it has {len(row)} columns and the header {len(header)}"
                raise PawsError(Errors.P009.format(line=number, path=path, reason=reason))
            yield number, {key: value for key, value in zip(header, row) if value or key.startswith("sentence")}


def _read_parquet(path: PathLike) -> Iterator[tuple]:
    number = 0
    for batch in pyarrow_parquet().ParquetFile(path).iter_batches(batch_size=ROW_GROUP):
        for data in batch.to_pylist():
            number += 1
            if isinstance(data.get("evidence"), str):
                data["evidence"] = json.loads(data["evidence"])
            yield number, data


def pyarrow_parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise PawsError(Errors.P010) from error
    return pyarrow.parquet


class RecordWriter:
    """Writes records to a JSONL, PAWS TSV or Parquet file, by its ending, without keeping them.

    A PAWS TSV holds id, sentence1, sentence2 and label; the other two formats hold every field.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = str(path)
        self.count = 0
        self.format = file_format(path)
        self._rows: List[Dict[str, Any]] = []
        self._parquet: Any = None
        self._file: Optional[IO[str]] = None
        try:
            if self.format == ".parquet":
                self._open_parquet()
            else:
                self._file = open_text(path, "w")
                if self.format == ".tsv":
                    self._file.write("id\tsentence1\tsentence2\tlabel\n")
        except OSError as error:
            raise PawsError(Errors.P021.format(path=self.path, reason=error, done="nothing")) from error

    def write(self, record: PairRecord) -> None:
        """Write one record."""
        try:
            if self._file is None:
                data = record.to_dict()
                self._rows.append({**data, "evidence": json.dumps(data["evidence"], ensure_ascii=False)})
                if len(self._rows) >= ROW_GROUP:
                    self._flush_rows()
            elif self.format == ".tsv":
                label = "" if record.label is None else record.label
                self._file.write(
                    f"{record.id}\t{normalise(record.sentence1)}\t{normalise(record.sentence2)}\t{label}\n"
                )
            else:
                self._file.write(json.dumps(record.to_dict(), ensure_ascii=False) + "\n")
        except OSError as error:
            raise PawsError(Errors.P021.format(path=self.path, reason=error, done=f"{self.count} pairs")) from error
        self.count += 1

    def close(self) -> None:
        """Write what is still held back and close the file."""
        try:
            if self._parquet is not None:
                self._flush_rows()
                self._parquet.close()
                self._parquet = None
            if self._file is not None:
                self._file.close()
        except OSError as error:
            raise PawsError(Errors.P021.format(path=self.path, reason=error, done=f"{self.count} pairs")) from error

    def __enter__(self) -> "RecordWriter":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _open_parquet(self) -> None:
        parquet = pyarrow_parquet()
        import pyarrow

        names = ["id", "sentence1", "sentence2", "label", "label_source", "generator", "source_id", "evidence"]
        self._schema = pyarrow.schema([(n, pyarrow.int8() if n == "label" else pyarrow.string()) for n in names])
        self._parquet = parquet.ParquetWriter(self.path, self._schema)

    def _flush_rows(self) -> None:
        if self._rows:
            import pyarrow

            self._parquet.write_table(pyarrow.Table.from_pylist(self._rows, schema=self._schema))
            self._rows = []
