"""Checks on a file before its sentences are looked at: marks, line endings, columns, quoting."""

from collections import Counter
from dataclasses import replace
from typing import Iterator, List, NamedTuple, Optional, Tuple

from ..readers.files import BrokenOff, text_lines
from ..readers.layouts import cut_fields
from ..readers.row import BROKEN, COLUMNS, ENCODING, STRAY, Row
from .findings import ERROR, INFO, WARNING, Finding, Split


def byte_order_mark(split: Split) -> List[Finding]:
    """A byte-order mark, which a reader that does not expect one takes for part of the first column's name."""
    if not split.facts.mark:
        return []
    message = "The file begins with a byte-order mark; read it as utf-8-sig."
    return [Finding("byte_order_mark", WARNING, split.name, 1, [], message)]


def line_endings(split: Split) -> List[Finding]:
    """Lines that end in CRLF: a reader that cuts at LF keeps a carriage return in the last column."""
    facts = split.facts
    if not facts.crlf:
        return []
    if facts.lf:
        level, message = WARNING, f"{facts.crlf:,} lines end in CRLF and {facts.lf:,} in LF."
    else:
        level, message = INFO, f"All {facts.crlf:,} lines end in CRLF."
    return [Finding("line_endings", level, split.name, facts.crlf, [], message, {"crlf": facts.crlf, "lf": facts.lf})]


def encoding(split: Split) -> List[Finding]:
    """Rows that are not UTF-8."""
    rows = [row for row in split.rows if row.problem == ENCODING]
    return split.finding("encoding", ERROR, rows, "{count} of {total} rows are not valid UTF-8.")


def broken_off(split: Split) -> List[Finding]:
    """A file whose rest can't be read: packed and cut short, or damaged."""
    rows = [row for row in split.rows if row.problem == BROKEN]
    why = f" ({rows[0].detail})" if rows and rows[0].detail else ""
    return split.finding("broken_off", ERROR, rows, f"The file can't be read to its end{why}: the rest is not known.")


def stray_lines(split: Split) -> List[Finding]:
    """Lines with one column: what a line break inside a field left behind."""
    rows = [row for row in split.rows if row.problem == STRAY]
    message = "{count} stray lines hold no pair: they continue the row before them."
    return split.finding("stray_lines", ERROR, rows, message)


def column_count(split: Split) -> List[Finding]:
    """Rows with more or fewer columns than the header or the layout says."""
    rows = [row for row in split.rows if row.problem == COLUMNS]
    lost = sum(not row.readable for row in rows)
    message = "{count} rows have a wrong number of columns; "
    message += f"{lost:,} of them can't be read." if lost else "their sentences and labels are still in place."
    return split.finding("column_count", ERROR if lost else WARNING, rows, message, unreadable=lost)


class Quoting(NamedTuple):
    """A file read twice: cut at the delimiter alone, and by a csv reader with default quoting."""

    cut: int
    quoted: int
    only_cut: int
    only_quoted: int
    missing: List[Row]


def _read_twice(split: Split) -> Optional[Quoting]:
    """How two readers differ over the rows of a file, its header aside."""
    if split.layout.reads != "table" or split.file is None:
        return None
    if "quoting" not in split.cache:
        header = 0 if split.layout.columns else 1
        cut = list(_fields(split, quoted=False))[header:]
        quoted = list(_fields(split, quoted=True))[header:]
        differ = Counter(cut) - Counter(quoted)
        split.cache["quoting"] = Quoting(
            len(cut),
            len(quoted),
            sum(differ.values()),
            sum((Counter(quoted) - Counter(cut)).values()),
            [] if split.layout.quoted else [row for row, fields in zip(split.rows, cut) if fields in differ],
        )
    return split.cache["quoting"]


def _fields(split: Split, quoted: bool) -> Iterator[Tuple[str, ...]]:
    try:
        for _, fields in cut_fields(text_lines(str(split.file)), replace(split.layout, quoted=quoted)):
            yield tuple(fields)
    except BrokenOff:
        return  # a reader stops there, and the rows after it are lost


def quoting_loss(split: Split) -> List[Finding]:
    """Rows of an unquoted file that a csv reader with default quoting drops without a word."""
    read = _read_twice(split)
    if read is None or split.layout.quoted:
        return []
    message = (
        f"Not quoted: a csv reader with default quoting gives {read.quoted:,} rows instead of {read.cut:,} and drops "
        "{count} without a word."
    )
    count = max(read.cut - read.quoted, 0)
    return split.finding("quoting_loss", WARNING, read.missing, message, count, cut=read.cut, quoted=read.quoted)


def quoting_change(split: Split) -> List[Finding]:
    """Rows of an unquoted file that a csv reader with default quoting does not give as they are."""
    read = _read_twice(split)
    if read is None or split.layout.quoted:
        return []
    message = "Not quoted: a csv reader with default quoting loses or changes {count} of {total} rows."
    return split.finding("quoting_change", WARNING, read.missing, message, read.only_cut)


def csv_quoted(split: Split) -> List[Finding]:
    """Rows of a quoted file that a reader which only cuts at the delimiter gets wrong."""
    read = _read_twice(split)
    if read is None or not split.layout.quoted:
        return []
    message = "csv-quoted: {count} of {total} rows keep quotation marks, or fall apart, when lines are only cut."
    return split.finding("csv_quoted", INFO, [], message, read.only_quoted)
