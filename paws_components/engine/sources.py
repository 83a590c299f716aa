"""Input texts: files, standard input, compressed or not, plain lines, JSONL or Parquet; a broken line is no end."""

import bz2
import gzip
import json
import lzma
import sys
from pathlib import Path
from typing import IO, Any, Callable, Iterator, NamedTuple, Optional, Sequence

from ..errors import Errors, PawsError
from ..records import PairRecord, normalise, pyarrow_parquet

OPENERS: dict = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


class Line(NamedTuple):
    """One line of input: its text, or what is wrong with it, and whether its white space had to be made plain.

    A line of a file of pairs has both sentences in its text, with a tab between them, and the pair as its source.
    """

    path: str
    number: int
    text: str
    error: Optional[str] = None
    respaced: bool = False
    source: Optional[PairRecord] = None


def read_lines(
    paths: Sequence[str], field: str = "text", advance: Optional[Callable[[int], None]] = None
) -> Iterator[Line]:
    """Read texts from files one after the other.

    paths (Sequence[str]): Files; "-" is standard input. `.gz`, `.xz` and `.bz2` are unpacked; `.jsonl` and `.parquet`
        have their texts in a field or column; anything else is one text a line.
    field (str): That field or column.
    advance (Optional[Callable]): Told how many bytes of the files were read since the last call.
    YIELDS (Line): Every line, also the empty ones and the broken ones.
    """
    for path in paths:
        try:
            if path.endswith(".parquet"):
                yield from _parquet_lines(path, field)
            else:
                yield from _text_lines(path, field, advance)
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise PawsError(Errors.P020.format(path=path, reason=error)) from error


def read_pair_lines(
    paths: Sequence[str], layout: Optional[str] = None, advance: Optional[Callable[[int], None]] = None
) -> Iterator[Line]:
    """Read pairs from files one after the other, in any layout that `paws audit` knows.

    paths (Sequence[str]): The files.
    layout (Optional[str]): The name of their layout; None to guess it for each.
    advance (Optional[Callable]): Told how many bytes were read since the last call, once a file.
    YIELDS (Line): Every row; one that can't be read has an error.
    """
    from ..curation.layouts import read_rows
    from ..pairs import pair_text

    for path in paths:
        for row in read_rows(path, layout):
            if row.readable:
                source = row.to_record()
                yield Line(path, row.number, pair_text(source.sentence1, source.sentence2), source=source)
            else:
                yield Line(path, row.number, "", Errors.P212.format(reason=row.problem))
        if advance is not None and Path(path).is_file():
            advance(Path(path).stat().st_size)


def total_bytes(paths: Sequence[str]) -> Optional[int]:
    """The size of the files together, if all of them have one."""
    if all(Path(path).is_file() for path in paths):
        return sum(Path(path).stat().st_size for path in paths)
    return None


def _text_lines(path: str, field: str, advance: Optional[Callable[[int], None]]) -> Iterator[Line]:
    raw: IO[bytes] = sys.stdin.buffer if path == "-" else open(path, "rb")
    opener = OPENERS.get(Path(path).suffix)
    is_json = ".jsonl" in Path(path).suffixes or ".ndjson" in Path(path).suffixes
    seen = 0
    with raw:
        lines = opener(raw, "rb") if opener else raw
        for number, data in enumerate(lines, 1):
            if number == 1:
                data = data.removeprefix(b"\xef\xbb\xbf")
            yield _decode(path, number, data, field if is_json else None)
            if advance is not None and path != "-":
                position = raw.tell()
                advance(position - seen)
                seen = position


def _decode(path: str, number: int, data: bytes, field: Optional[str]) -> Line:
    try:
        text = data.decode("utf8")
    except UnicodeDecodeError as error:
        return Line(path, number, data.decode("utf8", "replace").strip(), Errors.P023.format(reason=error))
    if field is None or not text.strip():
        return _plain(path, number, text)
    return _from_json(path, number, text, field)


def _from_json(path: str, number: int, text: str, field: str) -> Line:
    try:
        value = json.loads(text)[field]
    except json.JSONDecodeError as error:
        return Line(path, number, text.strip(), Errors.P024.format(field=field, reason=error))
    except (KeyError, TypeError, IndexError):
        return Line(path, number, text.strip(), Errors.P024.format(field=field, reason="it is not there"))
    if not isinstance(value, str):
        return Line(path, number, text.strip(), Errors.P024.format(field=field, reason=f"it holds {value!r}"))
    return _plain(path, number, value)


def _plain(path: str, number: int, text: str) -> Line:
    """A text on one line. Tabs, line breaks and runs of spaces within it become single spaces, and that is told."""
    plain = normalise(text)
    return Line(path, number, plain, respaced=plain != text.strip())


def _parquet_lines(path: str, field: str) -> Iterator[Line]:
    parquet: Any = pyarrow_parquet()
    file = parquet.ParquetFile(path)
    known = file.schema_arrow.names
    if field not in known:
        raise PawsError(Errors.P012.format(path=path, column=field, known=", ".join(known)))
    number = 0
    for batch in file.iter_batches(batch_size=1000, columns=[field]):
        for value in batch.column(0).to_pylist():
            number += 1
            if value is None or isinstance(value, str):
                yield _plain(path, number, value or "")
            else:
                yield Line(path, number, "", Errors.P024.format(field=field, reason=f"it holds {value!r}"))
