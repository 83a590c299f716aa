"""Every way out: records and tables to files, each written beside its place and moved there when it is whole.

A file that was there stays until then, so neither a full disk nor a kill can cost anybody the old one. What goes to a
URL is written on this machine and put there whole.
"""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import shutil
import sys
import tempfile
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Type

from .corpora import source_path
from .errors import Errors, PawsError, Warnings
from .records import FIELDS, PairRecord, PathLike, normalise, pyarrow_parquet
from .storage import check_url, is_url, plain_url, put_path, sync

STDOUT = "-"
FORMATS = (".jsonl", ".tsv", ".csv", ".parquet")
# A folder that gives way to a new one, until that is there.
REPLACED = "replaced"
# gzip's own `open` writes the time into the file: then no two runs would give the same bytes.
PACKED: Dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda file: gzip.GzipFile("", "wb", fileobj=file, mtime=0),
    ".xz": lambda file: lzma.open(file, "wb"),
    ".bz2": lambda file: bz2.open(file, "wb"),
}
TEXT_FORMATS = (".jsonl", ".txt", ".tsv", ".csv", ".parquet")
TEXT_COLUMNS = ("text", "source", "lang", "line")
PAWS_COLUMNS = ("id", "sentence1", "sentence2", "label")
# How many rows a Parquet row group, or a file of a folder, holds: a writer keeps no more than this in memory.
ROW_GROUP = 10_000
# What a spreadsheet takes for the beginning of a formula.
FORMULA = ("=", "+", "-", "@")


def is_pipe(path: PathLike) -> bool:
    """Whether an output is standard output, a FIFO or a device: nothing that could be written beside and moved."""
    return str(path) == STDOUT or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))


def file_format(path: PathLike, given: Optional[str] = None, known: Sequence[str] = FORMATS) -> str:
    """The format of an output by its ending, compression aside.

    path (Union[str, Path]): The output.
    given (Optional[str]): The format where the name does not tell, as of a pipe or a folder: "jsonl", "tsv", …
    known (Sequence[str]): The endings that will do.
    RETURNS (str): The ending.
    """
    name = str(path).lower()
    name = name.removesuffix(next((packed for packed in PACKED if name.endswith(packed)), ""))
    told = next((ending for ending in known if name.endswith(ending)), None)
    if told is None and (given or is_pipe(path)):
        told = "." + (given or known[0].removeprefix("."))
    if told is None or told not in known:
        raise PawsError(Errors.P011.format(path=str(path), known=", ".join(known), hint=" (also .gz, .xz or .bz2)"))
    return told


def check_outputs(inputs: Iterable[PathLike], outputs: Iterable[PathLike]) -> None:
    """Our error for an output that is an input, by whatever name, or that can't be written, before any work is done.

    inputs (Iterable[Union[str, Path]]): What is read; what is not a file is passed over.
    outputs (Iterable[Union[str, Path]]): What will be written. A store is asked whether it is there.
    """
    outputs = list(outputs)
    inputs = [plain_url(path) if is_url(path) else path for path in inputs]
    _check_urls([plain_url(path) for path in inputs], [plain_url(path) for path in outputs if is_url(path)])
    read = [path for path in map(source_path, inputs) if path.exists()]
    seen: List[Path] = []
    for path in [Path(path) for path in outputs if not is_url(path)]:
        if is_pipe(path):
            continue
        # A link leads to the file itself; a second name of one file is the same file.
        if any(path.exists() and path.samefile(other) for other in read):
            raise PawsError(Errors.P150.format(path=str(path)))
        if any(path.resolve() == other.resolve() for other in seen):
            raise PawsError(Errors.P034.format(path=str(path)))
        seen.append(path)
        if not path.resolve().parent.is_dir():
            raise PawsError(Errors.P021.format(path=str(path), reason="there is no such folder"))


def _check_urls(inputs: List[str], outputs: List[str]) -> None:
    for number, url in enumerate(outputs):
        if url in inputs:
            raise PawsError(Errors.P150.format(path=url))
        if url in outputs[:number]:
            raise PawsError(Errors.P034.format(path=url))
    # One question to each folder: what is beside an output is where it is.
    for url in {url.rpartition("/")[0]: url for url in outputs}.values():
        try:
            check_url(url)
        except OSError as error:
            raise PawsError(Errors.P021.format(path=url, reason=error)) from error


@contextmanager
def replacing(path: PathLike) -> Iterator[Path]:
    """A path to write to; what is written takes the place of `path`, a file here or at a URL, in one step if all goes
    well, and goes if not."""
    beside = beside_place(path)
    try:
        yield beside
        put_into_place(beside, path)
    except OSError as error:
        raise PawsError(Errors.P021.format(path=str(path), reason=error)) from error
    finally:
        beside.unlink(missing_ok=True)


def beside_place(path: PathLike) -> Path:
    """Where an output is written until it is whole: beside its place, or on this machine if that is not on it."""
    if is_url(path):
        descriptor, name = tempfile.mkstemp(prefix="paws-")
        os.close(descriptor)
        return Path(name)
    place = Path(os.path.realpath(path))
    # A name of its own: who writes the same output at this moment would go on writing into ours, also when it is done.
    return place.with_name(f".{place.name}.{uuid.uuid4().hex}.new")


def put_into_place(beside: Path, path: PathLike) -> None:
    """Give what was written there its place."""
    if is_url(path):
        put_path(beside, str(path))
        beside.unlink(missing_ok=True)
    else:
        move_into_place(beside, Path(os.path.realpath(path)))


def write_text(path: PathLike, text: str) -> None:
    """Write a text file, whole or not at all."""
    write_bytes(path, text.encode("utf8", "surrogatepass"))


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a file, whole or not at all."""
    if str(path) == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    elif is_pipe(path):
        Path(path).write_bytes(data)
    else:
        with replacing(path) as beside:
            beside.write_bytes(data)


def move_into_place(beside: Path, place: Path) -> None:
    """Give a finished file or folder its name, when it is on the disk."""
    for path in [beside] if beside.is_file() else sorted(beside.rglob("*")):
        if path.is_file():
            sync(path)
    try:
        if place.is_dir() and beside.is_dir():
            # A folder can't be replaced in one step.
            old = beside.with_name(REPLACED)
            shutil.rmtree(old, ignore_errors=True)
            os.rename(place, old)
        os.replace(beside, place)
    except BaseException:
        take_back(beside.parent, place)
        raise
    sync(place.parent)


def take_back(shop: Path, place: Path) -> None:
    """Give a folder its name again that was to be replaced, where the new one did not come.

    shop (Path): Where the new one was made.
    place (Path): Where the old one was.
    """
    old = shop / REPLACED
    if old.is_dir() and not os.path.lexists(place):
        os.rename(old, place)


class Writer:
    """Writes rows to TSV, CSV or Parquet without keeping them; what JSONL holds is for those that derive from it.

    path (Union[str, Path]): The file, its URL, or "-" for standard output. A file appears when it is closed well.
    format (str): Its ending.
    header (Sequence[str]): The columns.
    numbers (Sequence[str]): Those that hold numbers.
    """

    def __init__(self, path: PathLike, format: str, header: Sequence[str], numbers: Sequence[str] = ()) -> None:
        self.path = str(path)
        self.format = format
        self.header = list(header)
        self.numbers = set(numbers)
        self.count = 0
        self.formulas = 0
        self._held: List[Dict[str, Any]] = []
        self._parquet: Any = None
        self._beside: Optional[Path] = None
        with self._told():
            if self.format == ".parquet":
                pyarrow_parquet()
            self._open()

    @property
    def remarks(self) -> List[str]:
        """What there is to tell of what was written."""
        return [Warnings.W025.format(count=f"{self.formulas:,}", path=self.path)] if self.formulas else []

    def write_row(self, row: Dict[str, Any]) -> None:
        """Write one row; columns that it does not have are empty."""
        with self._told():
            if self.format == ".parquet":
                self._held.append(row)
                if len(self._held) >= ROW_GROUP:
                    self._flush()
            elif self.format == ".csv":
                cells = ["" if row.get(name) is None else row[name] for name in self.header]
                self.formulas += sum(_is_formula(cell) for cell in cells)
                self._csv.writerow(cells)
            else:
                cells = ["" if row.get(name) is None else normalise(str(row[name])) for name in self.header]
                self._file.write("\t".join(cells) + "\n")
        self.count += 1

    def close(self) -> None:
        """Write what is still held back, and give the file its place."""
        with self._told():
            if self.format == ".parquet":
                self._flush(last=True)
                self._parquet.close()
            elif self._file is not None:
                self._file.flush()
            self._close_files()
            if self._beside is not None:
                put_into_place(self._beside, self.path)

    def discard(self) -> None:
        """Leave no trace of a file that went wrong."""
        # What goes wrong with what is thrown away does not matter.
        with suppress(OSError, ValueError):
            if self._parquet is not None:
                self._parquet.close()
        with suppress(OSError, ValueError):
            self._close_files()
        if self._beside is not None:
            self._beside.unlink(missing_ok=True)

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if error is not None:
            self.discard()
            return
        try:
            self.close()
        except BaseException:
            self.discard()
            raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise PawsError(Errors.P021.format(path=self.path, reason=error)) from error

    def _open(self) -> None:
        self._files: List[Any] = []
        if is_pipe(self.path):
            raw: Any = sys.stdout.buffer if self.path == STDOUT else open(self.path, "wb")
            self._files = [] if self.path == STDOUT else [raw]
        else:
            self._beside = beside_place(self.path)
            raw = open(self._beside, "wb")
            self._files = [raw]
        packed = next((ending for ending in PACKED if self.path.lower().endswith(ending)), None)
        if packed:
            raw = PACKED[packed](raw)
            self._files.insert(0, raw)
        self._raw = raw
        self._file: Any = None
        if self.format != ".parquet":
            self._file = io.TextIOWrapper(raw, encoding="utf8", errors="surrogatepass", newline="\n")
            self._csv = csv.writer(self._file, lineterminator="\n")
            if self.format == ".csv":
                self._csv.writerow(self.header)
            elif self.format == ".tsv":
                self._file.write("\t".join(map(normalise, self.header)) + "\n")

    def _close_files(self) -> None:
        if self._file is not None:
            self._file.detach()
            self._file = None
        while self._files:
            self._files.pop(0).close()

    def _flush(self, last: bool = False) -> None:
        if not self._held and not last:
            return
        import pyarrow

        if self._parquet is None:
            self._schema = self._make_schema(pyarrow)
            self._parquet = pyarrow_parquet().ParquetWriter(self._raw, self._schema)
        if self._held:
            columns = [self._column(pyarrow, field) for field in self._schema]
            self._parquet.write_table(pyarrow.Table.from_arrays(columns, schema=self._schema))
        self._held = []

    def _make_schema(self, pyarrow: Any) -> Any:
        # A column that is empty so far may turn out to hold anything: text holds it.
        kinds = {name: pyarrow.float64() if name in self.numbers else pyarrow.string() for name in self.header}
        for name in self._held[0] if self._held else ():
            try:
                kind = pyarrow.array([row.get(name) for row in self._held]).type
            except (pyarrow.ArrowException, OverflowError, UnicodeEncodeError):
                kind = pyarrow.string()  # numbers and words, or a number of 100 digits
            if not pyarrow.types.is_null(kind):
                kinds[name] = kind
        return pyarrow.schema([(name, kinds[name]) for name in self.header])

    def _column(self, pyarrow: Any, field: Any) -> Any:
        """A column of the rows that are held, of the type that the first rows gave it."""
        values = [row.get(field.name) for row in self._held]
        try:
            if pyarrow.types.is_string(field.type):
                texts = [value if isinstance(value, (str, bytes, type(None))) else str(value) for value in values]
                return pyarrow.array(texts, field.type)
            # Told that a column holds whole numbers, pyarrow makes 1 of 1.5; a cast refuses that.
            whole = pyarrow.types.is_integer(field.type)
            return pyarrow.array(values).cast(field.type) if whole else pyarrow.array(values, field.type)
        except (pyarrow.ArrowException, OverflowError, UnicodeEncodeError) as error:
            reason = f"its column {field.name!r} is {field.type} by its first rows, and a later one differs: {error}"
            raise PawsError(Errors.P021.format(path=self.path, reason=reason.rstrip("."))) from error


def _is_formula(cell: Any) -> bool:
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


class RecordWriter(Writer):
    """Writes records to a JSONL, PAWS TSV, CSV or Parquet file, without keeping them.

    A PAWS TSV holds id, sentence1, sentence2 and label; the other formats hold every field, the evidence as JSON.

    path (Union[str, Path]): The file; its ending tells the format, compression (.gz, .xz, .bz2) aside.
    format (Optional[str]): The format where the name does not tell: "jsonl", "tsv", "csv" or "parquet".
    flat (bool): Whether JSONL holds the evidence as JSON text too. So `datasets`, which infers a type per file, loads
        the pairs of all generators together.
    """

    def __init__(self, path: PathLike, format: Optional[str] = None, flat: bool = False) -> None:
        found = file_format(path, format)
        self.flat = flat
        super().__init__(path, found, PAWS_COLUMNS if found == ".tsv" else FIELDS)

    def write(self, record: PairRecord) -> None:
        """Write one record."""
        data = record.to_dict()
        if self.format == ".jsonl":
            if self.flat:
                data["evidence"] = json.dumps(data["evidence"], ensure_ascii=False)
            with self._told():
                self._file.write(json_line(data) + "\n")
            self.count += 1
        elif self.format == ".tsv":
            self.write_row(data)
        else:
            self.write_row({**data, "evidence": json.dumps(data["evidence"], ensure_ascii=False)})

    def _make_schema(self, pyarrow: Any) -> Any:
        # One schema for all files: `datasets` can't load two together that differ in what happens to be empty.
        return pyarrow.schema([(name, pyarrow.int8() if name == "label" else pyarrow.string()) for name in FIELDS])


class TableWriter(Writer):
    """Writes rows with all their columns to TSV, CSV or Parquet.

    path (Union[str, Path]): The file.
    header (Sequence[str]): The columns.
    numbers (Sequence[str]): Those that hold numbers.
    format (Optional[str]): The format where the name does not tell.
    """

    def __init__(
        self, path: PathLike, header: Sequence[str], numbers: Sequence[str] = (), format: Optional[str] = None
    ) -> None:
        known = (".tsv", ".txt", ".csv", ".parquet")
        super().__init__(path, file_format(path, format, known).replace(".txt", ".tsv"), header, numbers)

    def write(self, row: Dict[str, Any]) -> None:
        """Write one row. Nested values become JSON, since a cell holds a text or a number."""
        nested = {key: json.dumps(value, ensure_ascii=False) for key, value in row.items() if _is_nested(value)}
        self.write_row({**row, **nested})


class TextWriter(Writer):
    """Writes texts, and what is known of each: to a text a line, JSONL, TSV, CSV or Parquet.

    path (Union[str, Path]): The file; its ending tells the format, compression aside.
    format (Optional[str]): The format where the name does not tell: "jsonl", "txt", "tsv", "csv" or "parquet".
    """

    def __init__(self, path: PathLike, format: Optional[str] = None) -> None:
        super().__init__(path, file_format(path, format, TEXT_FORMATS), TEXT_COLUMNS, ["line"])

    def write(self, row: Dict[str, Any]) -> None:
        """Write one text; a file of lines holds nothing but it."""
        if self.format in (".jsonl", ".txt"):
            line = json_line(row) if self.format == ".jsonl" else row["text"]
            with self._told():
                self._file.write(line + "\n")
            self.count += 1
        else:
            self.write_row(row)


def json_line(data: Dict[str, Any]) -> str:
    """An object as a line of JSON. Half a character, which UTF-8 can't hold and our readers refuse, is escaped."""
    line = json.dumps(data, ensure_ascii=False)
    try:
        line.encode("utf8")
    except UnicodeEncodeError:
        line = json.dumps(data)
    return line


def _is_nested(value: Any) -> bool:
    return isinstance(value, (dict, list))


class FolderWriter:
    """Writes records to the files of a folder, so many to each: `shard-00000.jsonl`, …

    folder (Path): The folder; it is made.
    format (Optional[str]): "jsonl", "tsv", "csv" or "parquet"; None for the first.
    """

    def __init__(self, folder: Path, format: Optional[str] = None) -> None:
        self.folder = folder
        self.ending = file_format(STDOUT, format)
        self.count = 0
        self.remarks: List[str] = []
        folder.mkdir(parents=True)
        self._writer = self._open()

    def write(self, record: PairRecord) -> None:
        """Write one record."""
        if self.count and self.count % ROW_GROUP == 0:
            self._writer.close()
            self.remarks = self._writer.remarks or self.remarks
            self._writer = self._open()
        self._writer.write(record)
        self.count += 1

    def __enter__(self) -> "FolderWriter":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Any, trace: Any) -> None:
        self._writer.__exit__(kind, error, trace)
        self.remarks = self._writer.remarks or self.remarks

    def _open(self) -> RecordWriter:
        return RecordWriter(self.folder / f"shard-{self.count // ROW_GROUP:05d}{self.ending}")
