"""Opening files: standard input, URLs, compression, byte-order marks, what cannot seek, what breaks off in the middle,
lines that are too long, files that grow."""

import bz2
import codecs
import errno
import gzip
import io
import json
import lzma
import os
import shutil
import stat
import sys
import tempfile
import warnings
import zlib
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from ..errors import Errors, PawsError, Warnings, without_secrets
from ..records import PathLike, pyarrow_parquet
from ..storage import RemoteFolder, StoreError, is_url, open_url, url_kind, url_size, url_suffix, without_query

STDIN = "-"
PACKED: Dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
# What formats are called at the end of a name, and the endings that say so.
ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".tsv": "table",
    ".txt": "table",
    ".csv": "table",
    ".parquet": "parquet",
    ".spacy": "spacy",
}
# How such files begin, for what has no name to tell by. A DocBin is packed by zlib.
PACKED_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ": ".xz", b"BZh": ".bz2"}
MAGIC = {b"PAR1": ".parquet", b"x\x9c": ".spacy"}
WIDE_MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"} | {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# gzip, for one, lets errors of zlib through; pyarrow's are ValueErrors.
READ_ERRORS = (OSError, EOFError, lzma.LZMAError, zlib.error)
# A line with more bytes than this is not a sentence or a pair: it is reported, and never held in memory.
LONGEST_LINE = 4_000_000
# How much of it is told.
SHOWN = 1000


class BrokenOff(PawsError):
    """The rest of a file can't be read. What was read before it is good."""


class LongLine(str):
    """The beginning of a line that is longer than any that is read.

    size (int): How many bytes it has.
    """

    size: int = 0

    @classmethod
    def of(cls, beginning: bytes, size: int) -> "LongLine":
        made = cls(f"{beginning.decode('utf8', 'ignore')} … ({size:,} bytes in all)")
        made.size = size
        return made

    @property
    def reason(self) -> str:
        return Errors.P074.format(size=f"{self.size:,}", limit=f"{LONGEST_LINE:,}")


class Meter:
    """How many bytes of some files were read, and how many there are, for whoever shows progress.

    paths (Iterable[str]): The files. Where one is a pipe, or no file at all, nobody knows how many there are.
    """

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self.done = 0
        # What was there when the reading began is what is read, also where a file grows.
        self.sizes = {path: size_of(path) for path in map(str, paths)}
        sizes = list(self.sizes.values())
        self.total = None if None in sizes or not sizes else sum(size or 0 for size in sizes)


def size_of(path: PathLike) -> Optional[int]:
    """How many bytes a file has; None for what is none, or has no end that anybody knows."""
    if not is_url(path):
        return os.path.getsize(path) if is_regular(path) else None
    try:
        return url_size(str(path))
    except OSError:
        return None  # whoever opens it will say what is wrong


def kind_of(path: PathLike) -> Optional[str]:
    """What is at a path or a URL: "file", "directory", or None for nothing. Our error if a store does not answer."""
    if not is_url(path):
        return "directory" if os.path.isdir(path) else "file" if os.path.exists(path) else None
    try:
        return url_kind(str(path))
    except OSError as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error


def names_in(path: PathLike) -> List[str]:
    """The names of what is in the folder at a URL."""
    try:
        return RemoteFolder(str(path)).names()
    except OSError as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error


def unpacked(path: PathLike) -> str:
    """The name of a file without the ending that its compression gives it."""
    name = without_query(path)
    return name.removesuffix(next((ending for ending in PACKED if name.lower().endswith(ending)), ""))


def format_of(path: PathLike) -> Optional[str]:
    """What a file holds, by its name: "jsonl", "table", "parquet" or "spacy"; None if the name does not say."""
    return ENDINGS.get(Path(unpacked(path)).suffix.lower())


def is_regular(path: PathLike) -> bool:
    """Whether a path is a plain file, rather than a pipe, a device, a folder or nothing."""
    return str(path) != STDIN and os.path.isfile(path)


def is_stream(path: PathLike) -> bool:
    """Whether a path can be read once only: standard input, a FIFO, `<(…)`."""
    if str(path) == STDIN:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def open_bytes(path: PathLike, meter: Optional[Meter] = None) -> Any:
    """Open a file or a URL for reading, unpacked. Our error if it can't be opened."""
    name = str(path)
    try:
        raw: Any = sys.stdin.buffer if name == STDIN else open_url(name) if is_url(name) else open(path, "rb")
    except OSError as error:
        raise PawsError(Errors.P020.format(path=name, reason=error)) from error
    file = io.BufferedReader(_Metered(raw, meter or Meter(), name), 1 << 16)
    opener = PACKED.get(url_suffix(path).lower())
    return opener(file, "rb") if opener else file


class _Metered(io.RawIOBase):
    """Counts what is read. `tell()` would do for files, but a pipe has none. Standard input stays open.

    Where the meter knows how long a file was when the reading began, no more is read than that and the rest of the line
    that it ended in, and no less is taken for it.
    """

    def __init__(self, raw: Any, meter: Meter, name: str) -> None:
        self.raw, self.meter, self.name = raw, meter, name
        # Files of the system say that they have no bytes, and do.
        self.size = meter.sizes.get(name) or None
        self.place, self.in_line, self.grown = 0, False, False
        # What is packed has no lines.
        self.has_lines = url_suffix(name).lower() not in PACKED

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # `read1` gives what is there: who reads a pipe need not wait for a full buffer.
        if self.size is None:
            data = self.raw.read1(len(buffer))
        elif self.place < self.size:
            data = self.raw.read1(min(len(buffer), self.size - self.place))
            if not data:
                raise OSError(f"it ends after {self.place:,} of the {self.size:,} bytes that it had when this began")
            if not self.place and data.startswith(tuple(WIDE_MARKS)):
                self.has_lines = False  # a line ends with several bytes there
            self.in_line = self.has_lines and not data.endswith(b"\n")
        else:
            data = self._after(len(buffer))
        buffer[: len(data)] = data
        self.place += len(data)
        self.meter.done += len(data)
        return len(data)

    def _after(self, count: int) -> bytes:
        """What is read of a file that has grown."""
        data: bytes = self.raw.read1(count) if self.in_line or not self.grown else b""
        if data and not self.grown:
            self.grown = True
            warnings.warn(Warnings.W033.format(path=without_secrets(self.name), size=f"{self.size:,}"), stacklevel=2)
        if not self.in_line:
            return b""
        line, end, _ = data.partition(b"\n")
        self.in_line = bool(data) and not end
        return line + end

    def close(self) -> None:
        if not self.closed and self.name != STDIN:
            self.raw.close()
        super().close()


def broken_off(path: PathLike, error: Exception) -> PawsError:
    """What to raise where a file can't be read on: `BrokenOff`, after which a run ends with what there is, unless it
    can be read another time, when the run can go on."""
    if isinstance(error, StoreError) or getattr(error, "errno", None) == errno.ESTALE:
        return PawsError(Errors.P073.format(path=str(path), reason=error))
    return BrokenOff(Errors.P020.format(path=str(path), reason=error))


def byte_lines(path: PathLike, meter: Optional[Meter] = None) -> Iterator[Union[bytes, LongLine]]:
    """The lines of a file, unpacked, cut at "\\n" alone, in UTF-8 and without a byte-order mark.

    A file in UTF-16 that begins with its mark is read as such. Of a line that is too long to be one, the beginning
    comes as a `LongLine`. Where the rest can't be read, `BrokenOff` is raised after the lines before it.
    """
    with open_bytes(path, meter) as file:
        try:
            start = file.peek(4)[:4]
            wide = next((name for mark, name in WIDE_MARKS.items() if start.startswith(mark)), None)
            if wide:
                text = io.TextIOWrapper(file, encoding=wide, errors="replace", newline="\n")
                yield from _cut(lambda count: text.readline(count).encode("utf8", "surrogatepass"))
                return
            lines = _cut(file.readline)
            for line in lines:
                yield line.removeprefix(codecs.BOM_UTF8) if isinstance(line, bytes) else line
                break
            yield from lines
        except READ_ERRORS as error:
            raise broken_off(path, error) from error


def _cut(read: Callable[[int], bytes]) -> Iterator[Union[bytes, LongLine]]:
    """Lines, no more of each in memory than of the longest."""
    most = LONGEST_LINE + 1
    while line := read(most):
        if len(line) < most or line.endswith(b"\n"):
            yield line
            continue
        beginning, size = line[:SHOWN], len(line)
        del line
        for piece in iter(lambda: read(1 << 16), b""):
            size += len(piece)
            if piece.endswith(b"\n"):
                size -= 1
                break
        yield LongLine.of(beginning, size)


def text_lines(path: PathLike, meter: Optional[Meter] = None) -> Iterator[str]:
    """The same as text. Bytes that are not UTF-8 come as lone surrogates, noticed later."""
    for line in byte_lines(path, meter):
        yield line if isinstance(line, LongLine) else line.decode("utf8", "surrogateescape")


def head(items: Iterable[Any], count: int) -> List[Any]:
    """The first of some items; fewer where the file breaks off, and its error if it does so before the first."""
    found: List[Any] = []
    try:
        for item in items:
            found.append(item)
            if len(found) == count:
                break
    except BrokenOff:
        if not found:
            raise
    return found


def parse_object(line: str) -> Tuple[Optional[Dict[str, Any]], str]:
    """The JSON object of a line, or None and what is wrong with it. Nothing that a line can hold raises here."""
    try:
        data = json.loads(line.removeprefix("\ufeff"))
    # A number of 5,000 digits is a plain ValueError, 100,000 brackets a RecursionError.
    except (ValueError, RecursionError) as error:
        return None, str(error) or type(error).__name__
    return (data, "") if isinstance(data, dict) else (None, "it is not a JSON object")


def parquet_batches(path: PathLike, columns: Optional[List[str]] = None) -> Iterator[List[Dict[str, Any]]]:
    """The rows of a Parquet file, some at a time. Text that is not UTF-8 comes as in `text_lines`."""
    file = open_parquet(path)
    try:
        for batch in file.iter_batches(batch_size=1000, columns=columns):
            try:
                yield batch.to_pylist()
            except UnicodeDecodeError:
                values = [_decoded(column) for column in batch.columns]
                yield [dict(zip(batch.schema.names, row)) for row in zip(*values)]
    except (OSError, ValueError) as error:
        raise broken_off(path, error) from error


def open_parquet(path: PathLike) -> Any:
    """A Parquet file; our error if it is none."""
    parquet = pyarrow_parquet()
    try:
        return parquet.ParquetFile(open_url(str(path)) if is_url(path) else path)
    except (OSError, ValueError) as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=str(error).rstrip("."))) from error


def _decoded(column: Any) -> List[Any]:
    try:
        return column.to_pylist()
    except UnicodeDecodeError:
        values = column.cast("large_binary" if "large" in str(column.type) else "binary").to_pylist()
        return [None if value is None else value.decode("utf8", "surrogateescape") for value in values]


def spooled(path: PathLike) -> str:
    """A copy on disk of what can be read once only, its name telling what it holds; gone when the program ends.

    Whoever guesses a layout has to look twice.
    """
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="paws-")
    copy = os.path.join(_folder.name, str(len(os.listdir(_folder.name))))
    try:
        with open_bytes(path) as stream, open(copy, "wb") as file:
            shutil.copyfileobj(stream, file)
    except READ_ERRORS as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error
    packing = _told(_start(copy), PACKED_MAGIC)
    if packing:
        os.rename(copy, copy := copy + packing)
    start = _start(copy)
    plain = start.removeprefix(codecs.BOM_UTF8).lstrip()
    # Nothing at all is what a run of ours sends that found nothing.
    ending = ".jsonl" if not plain or plain.startswith(b"{") else _told(start, MAGIC) or ".tsv"
    os.rename(copy, named := copy.removesuffix(packing) + ending + packing)
    return named


_folder: Optional[tempfile.TemporaryDirectory] = None


def _start(path: str) -> bytes:
    try:
        with open_bytes(path) as file:
            return bytes(file.read(64))
    except READ_ERRORS:
        return b""  # whoever reads it will say what is wrong


def _told(start: bytes, magic: Dict[bytes, str]) -> str:
    return next((ending for begin, ending in magic.items() if start.startswith(begin)), "")
