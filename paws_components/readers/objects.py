"""Rows that are not pairs, such as votes and corrections: JSONL, TSV or CSV by the names of their columns."""

import csv
from typing import Any, Dict, Iterator, Tuple

from ..errors import Errors, PawsError
from ..records import PathLike
from .files import format_of, parse_object, text_lines, unpacked


def read_objects(path: PathLike, what: str) -> Iterator[Tuple[int, Dict[str, Any]]]:
    """The rows of a file as objects. Our error for the first line that is none.

    path (Union[str, Path]): The file: .jsonl, .tsv or .csv, also packed.
    what (str): What a row is, for the error: "a vote".
    YIELDS (Tuple[int, Dict[str, Any]]): The line, and its columns by their names.
    """
    kind = format_of(path)
    if kind == "jsonl":
        for number, line in enumerate(text_lines(path), 1):
            if line.strip():
                data, wrong = parse_object(line)
                if data is None:
                    raise bad_row(path, number, what, wrong)
                yield number, data
    elif kind == "table":
        is_csv = unpacked(path).lower().endswith(".csv")
        rows = (
            csv.reader(text_lines(path)) if is_csv else (line.rstrip("\r\n").split("\t") for line in text_lines(path))
        )
        header = next(rows, None) or []
        for number, cells in enumerate(rows, 2):
            if len(cells) > len(header):
                raise bad_row(path, number, what, f"it has {len(cells)} columns, and the header {len(header)}")
            if any(cell.strip() for cell in cells):
                yield number, dict(zip(header, cells))
    else:
        raise PawsError(Errors.P011.format(path=str(path), known=".jsonl, .tsv, .csv", hint=" (also .gz, .xz or .bz2)"))


def bad_row(path: PathLike, number: int, what: str, reason: str) -> PawsError:
    """Our error for a row that is not what it should be."""
    return PawsError(Errors.P701.format(line=number, path=str(path), what=what, reason=reason))
