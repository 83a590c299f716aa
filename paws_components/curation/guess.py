"""Guess the layout of a corpus file from its header, or from what its columns hold."""

import re
from dataclasses import replace
from itertools import islice
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence

from ..errors import Errors, PawsError
from .labels import BINARY, NLI_DIGITS
from .layouts import (
    LAYOUTS,
    Layout,
    PathLike,
    cut_fields,
    generic,
    is_records,
    open_lines,
    partner_path,
    record_values,
    unpacked,
)

# How many lines are looked at.
PEEK = 1000
# What columns with sentences, labels and ids are called where no layout of ours knows the file.
FIRST = ("sentence1", "question1", "premise", "text_a", "sentence_a", "s1", "text1", "sentence", "source")
SECOND = ("sentence2", "question2", "hypothesis", "text_b", "sentence_b", "s2", "text2", "paraphrase", "target")
LABEL = ("label", "labels", "is_duplicate", "gold_label", "quality", "is_paraphrase")
IDENT = ("id", "pair_id", "pairid")
# A field as a csv writer quotes it.
QUOTED = re.compile(r'"(?:[^"]|"")*"')


def guess_layout(path: PathLike) -> Layout:
    """The layout of a file.

    path (Union[str, Path]): The file.
    RETURNS (Layout): One of `LAYOUTS`, or one named "generic" made from the header's column names.
    """
    for layout in LAYOUTS.values():
        if layout.reads == "aligned" and unpacked(path).endswith(layout.partner[0]):
            if partner_path(path, layout).is_file():
                return layout
    found = _guess_records(path) if is_records(path) else _guess_table(path)
    if found is None:
        raise PawsError(Errors.P144.format(path=str(path), known=", ".join(LAYOUTS)))
    return found


def _guess_records(path: PathLike) -> Optional[Layout]:
    return guess_fields([data for _, data in islice(record_values(path), PEEK) if data])


def guess_fields(rows: Sequence[Dict[str, Any]]) -> Optional[Layout]:
    """The layout of records, by the names of their fields; None if these say nothing.

    rows (Sequence[Dict[str, Any]]): The first of them.
    RETURNS (Optional[Layout]): A layout named "generic".
    """
    found = by_names(list(rows[0])) if rows else None
    if found is None:
        return None
    written = {str(row.get(found.label, "")).strip().lower() for row in rows}
    # A premise and digits: 0 and 1 are no paraphrase labels, also where no row among the first has a 2.
    digits = found.sentence1.lower() == "premise" and written <= set(NLI_DIGITS) | {"", "none"}
    return replace(found, reads="records", scheme=NLI_DIGITS if digits else found.scheme)


def _guess_table(path: PathLike) -> Optional[Layout]:
    try:
        with open_lines(path) as file:
            lines = list(islice(file, PEEK))
    except OSError as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error
    if not lines:
        return None
    by_header = [layout for layout in LAYOUTS.values() if layout.reads == "table" and not layout.columns]
    fits = [layout for layout in by_header if _header_fits(lines, layout) and _labels_fit(lines, layout)]
    if fits:
        # PAWS, PAWS-QQP and PAWS-X share one layout: the path may tell which it is, and nothing depends on it.
        best = max(fits, key=lambda layout: (len(layout.named), layout.name in str(path)))
        return _with_quoting(path, best)
    delimiter = "," if unpacked(path).endswith(".csv") else "\t"
    plain = Layout("", "", "", delimiter=delimiter, quoted=delimiter == ",")
    header = next(cut_fields(lines, plain))[1]
    found = by_names([name.strip() for name in header])
    if found:
        return _with_quoting(path, replace(found, delimiter=delimiter, quoted=plain.quoted))
    for layout in LAYOUTS.values():
        if layout.columns and _columns_fit(lines, layout):
            return layout
    return None


def by_names(names: Sequence[str]) -> Optional[Layout]:
    """A layout from the names of columns alone."""
    known = {name.lower(): name for name in reversed(names)}

    def pick(choices: Iterable[str]) -> str:
        return next((known[name] for name in choices if name in known), "")

    first, second = pick(FIRST), pick(SECOND)
    return generic(first, second, pick(LABEL), pick(IDENT)) if first and second else None


def _header_fits(lines: List[str], layout: Layout) -> bool:
    header = next(cut_fields(lines[:1], layout))[1]
    return set(layout.named) <= {name.strip() for name in header}


def _labels_fit(lines: List[str], layout: Layout) -> bool:
    """Whether most labels are written as the layout has it; SNLI and MNLI have one header and two ways of writing."""
    if not layout.label:
        return True
    rows = [fields for _, fields in cut_fields(lines, layout)]
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

    rows = [fields for _, fields in cut_fields(lines, layout)]
    return _most([fields for fields in rows if fields != [""]], fits)


def _most(values: List, fits: Callable[..., bool]) -> bool:
    return not values or 2 * sum(fits(value) for value in values) > len(values)


def _with_quoting(path: PathLike, layout: Layout) -> Layout:
    """The layout as this file is quoted: quoted if all its quotation marks stand where a csv writer puts them.

    One mark elsewhere, anywhere in the file, and a csv reader would join lines from there on.
    """
    if layout.quoted:
        return layout
    doubled = False
    with open_lines(path) as lines:
        for line in lines:
            if '"' not in line:
                continue
            values = [value for value in line.rstrip("\r\n").split(layout.delimiter) if '"' in value]
            if not all(QUOTED.fullmatch(value) for value in values):
                return layout
            doubled = doubled or any('""' in value[1:-1] for value in values)
    return replace(layout, quoted=True) if doubled else layout
