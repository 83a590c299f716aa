"""Guess the layout of a corpus file from its header, or from what its columns hold."""

import re
from dataclasses import replace
from typing import Any, Callable, Dict, List, Optional, Sequence

from ..errors import Errors, PawsError
from ..records import FIELDS, PathLike
from .columns import find_columns
from .files import (
    BrokenOff,
    format_of,
    head,
    kind_of,
    open_parquet,
    parquet_batches,
    parse_object,
    text_lines,
    unpacked,
)
from .labels import BINARY, NLI_DIGITS
from .layouts import LAYOUTS, Layout, cut_fields, generic, partner_path

# How many lines are looked at.
PEEK = 1000
# A field as a csv writer quotes it.
QUOTED = re.compile(r'"(?:[^"]|"")*"')


def guess_layout(path: PathLike) -> Layout:
    """The layout of a file.

    path (Union[str, Path]): The file.
    RETURNS (Layout): One of `LAYOUTS`, or one named "generic" made from the header's column names.
    """
    for layout in LAYOUTS.values():
        if layout.reads == "aligned" and unpacked(path).endswith(layout.partner[0]):
            if kind_of(partner_path(path, layout)) == "file":
                return layout
    found = guess_fields(first_objects(path), field_names(path)) if is_records(path) else _guess_table(path)
    if found is None:
        raise PawsError(Errors.P144.format(path=str(path), known=", ".join(LAYOUTS)))
    return found


def is_records(path: PathLike) -> bool:
    """Whether a file holds objects with named fields rather than a table."""
    return format_of(path) in ("jsonl", "parquet")


def first_objects(path: PathLike) -> List[Dict[str, Any]]:
    """The first objects of a JSONL or Parquet file, without the lines that are none."""
    if format_of(path) == "parquet":
        return [data for batch in head(parquet_batches(path), 1) for data in batch]
    found = (parse_object(line)[0] for line in head(text_lines(path), PEEK) if line.strip())
    return [data for data in found if data]


def field_names(path: PathLike) -> List[str]:
    """The fields of a JSONL or Parquet file. An object of JSONL may lack what others have: the first of them count."""
    if format_of(path) == "parquet":
        return list(open_parquet(path).schema_arrow.names)
    names = list(dict.fromkeys(key for data in first_objects(path) for key in data))
    # An empty file is what a run of ours writes that found nothing.
    return names or ([] if any(line.strip() for line in head(text_lines(path), PEEK)) else list(FIELDS))


def guess_fields(rows: Sequence[Dict[str, Any]], names: Sequence[str]) -> Optional[Layout]:
    """The layout of records, by the names of their fields; None if these say nothing.

    rows (Sequence[Dict[str, Any]]): The first of them.
    names (Sequence[str]): Their fields.
    RETURNS (Optional[Layout]): A layout named "generic", or one that is read from records alone.
    """
    for layout in LAYOUTS.values():
        if layout.reads == "records" and set(layout.named) <= set(names):
            return layout
    columns = find_columns(names)
    if columns is None:
        return None
    found = generic(columns)
    written = {str(row.get(found.label, "")).strip().lower() for row in rows}
    # A premise and digits: 0 and 1 are not paraphrase labels, also where no row among the first has a 2.
    digits = found.sentence1.lower() == "premise" and written <= set(NLI_DIGITS) | {"", "none"}
    return replace(found, reads="records", scheme=NLI_DIGITS if digits else found.scheme)


def _guess_table(path: PathLike) -> Optional[Layout]:
    lines = head(text_lines(path), PEEK)
    if not lines:
        return None
    by_header = [layout for layout in LAYOUTS.values() if layout.reads == "table" and not layout.columns]
    fits = [layout for layout in by_header if _header_fits(lines, layout) and _labels_fit(lines, layout)]
    if fits:
        # PAWS, PAWS-QQP and PAWS-X share one layout: the path may tell which it is, and nothing depends on it.
        best = max(fits, key=lambda layout: (len(layout.named), layout.name in str(path)))
        return _with_quoting(path, best)
    shape = table_shape(path, lines[0])
    columns = find_columns(_header(lines, shape))
    if columns:
        return _with_quoting(path, generic(columns, delimiter=shape.delimiter, quoted=shape.quoted))
    for layout in LAYOUTS.values():
        if layout.columns and _columns_fit(lines, layout):
            return layout
    return None


def table_shape(path: PathLike, header: str) -> Layout:
    """How a table is cut of which nothing else is known: quoted, at commas, by its name or by a header without tabs."""
    commas = unpacked(path).lower().endswith(".csv") or ("\t" not in header and "," in header)
    return Layout("", "", "", delimiter="," if commas else "\t", quoted=commas)


def _header(lines: List[str], layout: Layout) -> List[str]:
    return [name.strip() for fields in _rows(lines[:1], layout) for name in fields]


def _rows(lines: List[str], layout: Layout) -> List[List[str]]:
    """The rows of some lines, as far as they can be cut: a layout that is not theirs may not get far."""
    try:
        return [fields for _, fields in head(cut_fields(lines, layout), PEEK)]
    except BrokenOff:
        return []


def _header_fits(lines: List[str], layout: Layout) -> bool:
    return set(layout.named) <= set(_header(lines, layout))


def _labels_fit(lines: List[str], layout: Layout) -> bool:
    """Whether most labels are written as the layout has it; SNLI and MNLI have one header and two ways of writing."""
    if not layout.label:
        return True
    rows = _rows(lines, layout)
    place = [name.strip() for name in rows[0]].index(layout.label)
    written = [fields[place].strip().lower() for fields in rows[1:] if len(fields) > place]
    # A file of PAWS's columns with no label yet is one of PAWS's all the same.
    return _most(written, lambda text: text in layout.scheme or (not text and layout.scheme is BINARY))


def _columns_fit(lines: List[str], layout: Layout) -> bool:
    """Whether most lines of a file without a header have the layout's columns, with a label and scores in place."""
    places: Dict[str, int] = {name: i for i, name in enumerate(layout.columns)}

    def fits(fields: List[str]) -> bool:
        if len(fields) != len(layout.columns) or fields[places[layout.label]].strip().lower() not in layout.scheme:
            return False
        score = places.get("BLEURT")
        return score is None or re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", fields[score].strip()) is not None

    rows = _rows(lines, layout)
    return bool(rows) and _most([fields for fields in rows if fields != [""]], fits)


def _most(values: List, fits: Callable[..., bool]) -> bool:
    return not values or 2 * sum(fits(value) for value in values) > len(values)


def _with_quoting(path: PathLike, layout: Layout) -> Layout:
    """The layout as this file is quoted: quoted if all its quotation marks stand where a csv writer puts them.

    One mark elsewhere, anywhere in the file, and a csv reader would join lines from there on.
    """
    if layout.quoted:
        return layout
    doubled = False
    try:
        for line in text_lines(path):
            if '"' not in line:
                continue
            values = [value for value in line.rstrip("\r\n").split(layout.delimiter) if '"' in value]
            if not all(QUOTED.fullmatch(value) for value in values):
                return layout
            doubled = doubled or any('""' in value[1:-1] for value in values)
    except BrokenOff:
        pass  # whoever reads the rows will say so
    return replace(layout, quoted=True) if doubled else layout
