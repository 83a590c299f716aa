"""Tables of pairs with all their columns: JSONL, TSV, CSV, Parquet, or a data set by its name."""

import csv
import json
import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence

from .curation.guess import guess_layout
from .curation.layouts import Layout, cut_fields, generic, open_lines
from .errors import Errors, PawsError
from .records import PairRecord, PathLike, RecordWriter, normalise, open_text, pyarrow_parquet

ENDINGS = (".jsonl", ".tsv", ".txt", ".csv", ".parquet")
# The columns that hold the two sentences, in the layouts one meets. Their case does not matter.
SENTENCES = (
    ("sentence1", "sentence2"),
    ("#1 string", "#2 string"),
    ("question1", "question2"),
    ("text_a", "text_b"),
    ("sentence_a", "sentence_b"),
    ("premise", "hypothesis"),
    ("og_s1", "og_s2"),
    ("s1", "s2"),
    ("text1", "text2"),
    ("sentence", "candidate"),
    ("sentence", "paraphrase"),
)
LABELS = ("label", "labels", "quality", "is_duplicate", "og_label", "gold_label")


class Row(NamedTuple):
    """A row with its columns as they were, or what is wrong with it."""

    number: int
    data: Dict[str, Any]
    error: Optional[str] = None


class Columns(NamedTuple):
    """Which columns are the sentences and the label."""

    sentence1: str
    sentence2: str
    label: Optional[str] = None


def read_table(source: PathLike, config: Optional[str] = None, split: Optional[str] = None) -> Iterator[Row]:
    """Read the rows of a table one by one. A broken row is no end.

    source (Union[str, Path]): A file, perhaps compressed (.gz, .xz): JSONL, TSV (.tsv, .txt: in any layout that corpora
        are published in), CSV (a header, quoted) or Parquet; or else the name or the folder of a data set.
    config (Optional[str]), split (Optional[str]): The part of the data set.
    YIELDS (Row): The rows; a line is counted from 1, the header too.
    """
    readers: Dict[Optional[str], Callable[[str], Iterator[Row]]] = {
        ".jsonl": _read_jsonl,
        ".tsv": _read_delimited,
        ".txt": _read_delimited,
        ".csv": _read_delimited,
        ".parquet": _read_parquet,
    }
    ending = table_format(source)
    if ending is None:
        yield from _read_data_set(str(source), config, split)
        return
    try:
        yield from readers[ending](str(source))
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError, csv.Error) as error:
        raise PawsError(Errors.P020.format(path=str(source), reason=error)) from error


def table_format(source: PathLike) -> Optional[str]:
    """The format of a table by its ending, compression aside; None if it has none of ours."""
    name = str(source)
    for packed in (".gz", ".xz"):
        name = name.removesuffix(packed)
    return next((ending for ending in ENDINGS if name.lower().endswith(ending)), None)


def find_columns(names: Sequence[str], path: str, wanted: Sequence[str] = ()) -> Columns:
    """Which columns are the sentences and the label: those that are wanted, or else the first that are known.

    names (Sequence[str]): The columns there are.
    path (str): Where, for the error.
    wanted (Sequence[str]): The names of two or three columns; empty to look for them.
    RETURNS (Columns): The columns.
    """
    if wanted:
        if len(wanted) not in (2, 3) or any(name not in names for name in wanted):
            raise PawsError(Errors.P107.format(path=path, known=", ".join(names)))
        return Columns(*wanted)
    lower = {name.strip().lower(): name for name in reversed(names)}
    for first, second in SENTENCES:
        if first in lower and second in lower:
            label = next((lower[name] for name in LABELS if name in lower), None)
            return Columns(lower[first], lower[second], label)
    raise PawsError(Errors.P107.format(path=path, known=", ".join(names)))


def to_record(data: Dict[str, Any], columns: Columns) -> PairRecord:
    """A row as a record. Other columns, and a label that is neither 0 nor 1, go to the evidence."""
    values = {key: value for key, value in data.items() if key not in columns}
    if isinstance(values.get("evidence"), str):
        values["evidence"] = json.loads(values["evidence"] or "{}")
    label = data.get(columns.label) if columns.label else None
    if str(label) in ("0", "1", "0.0", "1.0"):
        values["label"] = label
    elif label not in (None, ""):
        values["evidence"] = {**(values.get("evidence") or {}), "label": label}
    values.update(sentence1=data[columns.sentence1], sentence2=data[columns.sentence2])
    return PairRecord.from_dict({key: value for key, value in values.items() if value is not None})


def _read_jsonl(path: str) -> Iterator[Row]:
    with open_text(path, "r") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                data = json.loads(line.removeprefix("\ufeff"))
            except json.JSONDecodeError as error:
                yield Row(number, {}, str(error))
            else:
                yield Row(number, data) if isinstance(data, dict) else Row(number, {}, "It is not a JSON object.")


def _read_delimited(path: str) -> Iterator[Row]:
    """A table of lines, cut as its corpus is published: with or without quoting, with or without a header."""
    layout = _delimited_layout(path)
    with open_lines(path) as lines:
        rows = cut_fields(lines, layout)
        header = list(layout.columns) or next(rows, (0, [""]))[1]
        for number, row in rows:
            if len(row) != len(header):
                yield Row(number, {}, f"It has {len(row)} columns and the header {len(header)}.")
            elif any("\udc80" <= char <= "\udcff" for cell in row for char in cell):
                yield Row(number, {}, Errors.P023.format(reason="the line holds bytes that are none"))
            else:
                yield Row(number, dict(zip(header, row)))


def _delimited_layout(path: str) -> Layout:
    try:
        layout = guess_layout(path)
    except PawsError:
        layout = generic("", "", "", "")
    if table_format(path) == ".csv":
        return replace(layout, delimiter=",", quoted=True)
    return layout


def _read_parquet(path: str) -> Iterator[Row]:
    number = 0
    for batch in pyarrow_parquet().ParquetFile(path).iter_batches(batch_size=1000):
        for data in batch.to_pylist():
            number += 1
            yield Row(number, data)


def load_data_set(name: str, config: Optional[str] = None, split: Optional[str] = None) -> Any:
    """A data set of the `datasets` library, by its name or from the folder that `save_to_disk` wrote.

    name (str): The name or the folder.
    config (Optional[str]), split (Optional[str]): The part of it.
    RETURNS (datasets.Dataset): The data set.
    """
    try:
        import datasets
    except ImportError as error:
        raise PawsError(Errors.P108.format(path=name, known=", ".join(ENDINGS))) from error
    try:
        if (Path(name) / "dataset_info.json").is_file() or (Path(name) / "dataset_dict.json").is_file():
            loaded = datasets.load_from_disk(name)
        else:
            # No code of the data set's own is run: the library refuses it by default.
            loaded = datasets.load_dataset(name, config, split=split)
        if isinstance(loaded, dict):
            if split not in loaded and (split or len(loaded) > 1):
                raise ValueError(f"it has the splits {', '.join(loaded)}")
            loaded = loaded[split or next(iter(loaded))]
    except (OSError, ValueError, RuntimeError) as error:
        raise PawsError(Errors.P109.format(name=name, reason=str(error).split("\n")[0].rstrip("."))) from error
    return loaded


def _read_data_set(name: str, config: Optional[str], split: Optional[str]) -> Iterator[Row]:
    for number, data in enumerate(load_data_set(name, config, split), 1):
        yield Row(number, dict(data))


class TableWriter:
    """Writes rows with all their columns to TSV, CSV or Parquet, or as records to JSONL, by the ending of the file."""

    def __init__(self, path: PathLike, columns: Columns, names: Sequence[str], scores: Sequence[str]) -> None:
        """Open the file.

        path (Union[str, Path]): The file.
        columns (Columns): Which columns are the sentences and the label.
        names (Sequence[str]): All columns of the input.
        scores (Sequence[str]): The names of the scores, whose columns come last.
        """
        self.path = str(path)
        self.columns = columns
        self.count = 0
        self.format = table_format(path)
        self._scores = list(scores)
        self._header = [name for name in names if name not in scores] + self._scores
        self._held: List[Dict[str, Any]] = []
        self._parquet: Any = None
        self._records: Optional[RecordWriter] = None
        if self.format is None:
            raise PawsError(Errors.P011.format(path=self.path, known=", ".join(ENDINGS), hint=""))
        try:
            if self.format == ".jsonl":
                self._records = RecordWriter(path)
            elif self.format != ".parquet":
                self._file = open_text(path, "w")
                self._csv = csv.writer(self._file, lineterminator="\n")
                self._write_cells(self._header)
            else:
                pyarrow_parquet()
        except OSError as error:
            raise PawsError(Errors.P021.format(path=self.path, reason=error, done="nothing")) from error

    def write(self, data: Dict[str, Any], scores: Dict[str, float]) -> None:
        """Write one row and its scores; a column that has the name of a score is replaced."""
        try:
            if self._records is not None:
                record = to_record({key: value for key, value in data.items() if key not in scores}, self.columns)
                record.evidence.update(scores)
                self._records.write(record)
            elif self.format == ".parquet":
                self._held.append({**_plain(data), **scores})
                if len(self._held) >= 10_000:
                    self._flush()
            else:
                self._write_text({**_plain(data), **scores})
        except OSError as error:
            raise PawsError(Errors.P021.format(path=self.path, reason=error, done=f"{self.count} pairs")) from error
        self.count += 1

    def close(self) -> None:
        """Write what is still held back and close the file."""
        if self._records is not None:
            self._records.close()
        elif self.format == ".parquet":
            self._flush(last=True)
            self._parquet.close()
        else:
            self._file.close()

    def __enter__(self) -> "TableWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write_text(self, row: Dict[str, Any]) -> None:
        self._write_cells(["" if row.get(name) is None else str(row[name]) for name in self._header])

    def _write_cells(self, cells: List[str]) -> None:
        if self.format == ".csv":
            self._csv.writerow(cells)
        else:
            self._file.write("\t".join(normalise(cell) for cell in cells) + "\n")

    def _flush(self, last: bool = False) -> None:
        if not self._held and not last:
            return
        import pyarrow

        if self._parquet is None:
            seen = pyarrow.Table.from_pylist(self._held).schema if self._held else pyarrow.schema([])
            # A column that is empty so far may turn out to hold anything: text holds it.
            kinds = {name: pyarrow.float64() if name in self._scores else pyarrow.string() for name in self._header}
            kinds.update({field.name: field.type for field in seen if not pyarrow.types.is_null(field.type)})
            self._schema = pyarrow.schema([(name, kinds[name]) for name in self._header])
            self._parquet = pyarrow_parquet().ParquetWriter(self.path, self._schema)
        self._parquet.write_table(pyarrow.Table.from_pylist(self._held, schema=self._schema))
        self._held = []


def _plain(data: Dict[str, Any]) -> Dict[str, Any]:
    """Nested values as JSON, since a cell holds a text or a number."""
    return {
        key: json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value
        for key, value in data.items()
    }
