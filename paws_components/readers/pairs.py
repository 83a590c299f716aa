"""Pairs from wherever they come: files in any layout, `.spacy` files, data sets, folders, standard input."""

import warnings
from fnmatch import fnmatch
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ..corpora import find_held
from ..errors import Errors, PawsError, Warnings
from ..records import NLI, PairRecord, PathLike
from ..storage import is_url
from .columns import named_columns
from .docbin import DOCBIN, docbin_objects
from .docbin import LAYOUT as DOCBIN_LAYOUT
from .files import (
    BrokenOff,
    LongLine,
    Meter,
    format_of,
    head,
    is_stream,
    kind_of,
    names_in,
    parquet_batches,
    parse_object,
    spooled,
    text_lines,
)
from .guess import PEEK, field_names, guess_fields, guess_layout, is_records, table_shape
from .hub import is_saved, load_data_set, may_be_data_set, plain_rows
from .labels import read_label
from .layouts import Layout, cut_fields, for_records, generic, get_layout, language_of, partner_path
from .row import BROKEN, COLUMNS, ENCODING, STRAY, Row

# What holds pairs: the name of a file or a data set, or the pairs themselves.
Source = Union[str, Path, Iterable[Any]]
# What pairs that are in memory are called in messages.
MEMORY = "(in memory)"
# The files of a folder that a run of ours wrote.
SHARDS = "shard-*"
# The line or row, the object, or else what is wrong with it and what stands there.
Numbered = Tuple[int, Optional[Dict[str, Any]], str, str]


class Pairs:
    """A source that was opened: its layout is known, its rows are read as they are asked for, as often as they are.

    source (str): What was asked for.
    layout (Layout): How it holds its pairs.
    names (List[str]): Its columns, as far as they are known before the rows are.
    path (Optional[Path]): The file, if it is one of this machine; what came through a pipe is in one too.
    uneven (bool): Whether rows may have columns of their own, as lines of JSON may.
    meter (Meter): How far the reading is.
    """

    def __init__(self, source: str, layout: Layout, names: Sequence[str], rows: Callable[["Pairs"], Iterator[Row]]):
        self.source = source
        self.layout = layout
        self.names = list(names)
        self.path: Optional[Path] = None
        self.uneven = False
        self.meter = Meter()
        self._rows = rows

    def __iter__(self) -> Iterator[Row]:
        """Every row, also those that make no pair; a source that breaks off ends with one that says so."""
        number = 0
        try:
            for row in self._rows(self):
                # Of a folder, the file that the row stands in is named already.
                row.path = row.path or self.source
                number = row.number
                yield row
        except BrokenOff as error:
            if not number:
                raise
            yield Row(number + 1, "", "", problem=BROKEN, readable=False, path=self.source, detail=str(error))


def open_pairs(
    source: Source,
    layout: Union[str, Layout, None] = None,
    *,
    columns: Sequence[str] = (),
    config: Optional[str] = None,
    split: Optional[str] = None,
) -> Pairs:
    """Open a source of sentence pairs and find out its layout.

    source (Union[str, Path, Iterable]): A file (JSONL, TSV, CSV, Parquet, .spacy; also .gz, .xz, .bz2), here or at a
        URL (`s3://bucket/pairs.tsv`), "-" for standard input, a folder saved by `datasets` or of `.spacy` files, one
        that `paws generate` wrote, the name of a corpus that has a card (`paws_wiki:dev`), that of a data set; or pairs
        that are in memory: records, tuples, dicts, rows of a `datasets.Dataset`, a data frame.
    layout (Union[str, Layout, None]): The layout or its name; None to guess it.
    columns (Sequence[str]): The columns of the sentences, and perhaps of the label, in place of a layout.
    config (Optional[str]), split (Optional[str]): The part of a data set.
    RETURNS (Pairs): The source; iterate over it for its rows.
    """
    wanted = get_layout(layout) if isinstance(layout, str) else layout
    if not isinstance(source, (str, Path)):
        return _open_items(source, wanted, columns)
    name = str(source)
    held = find_held(source, split) if config is None else None
    if held is not None:
        opened = open_pairs(held.path, layout or (None if columns else held.layout), columns=columns)
        opened.source = name
        return opened
    if is_url(name):
        return _open_url(name, wanted, columns)
    path = Path(spooled(source) if is_stream(source) else source)
    if path.suffix == DOCBIN or (path.is_dir() and any(path.rglob("*" + DOCBIN))):
        _must_exist(path)
        return _open_docs(name, path)
    elif path.is_dir() and not is_saved(path):
        return _open_shards(name, sorted(path.glob(SHARDS)), wanted, columns)
    elif path.is_file() or format_of(path) or not may_be_data_set(name):
        return _open_file(name, path, wanted, columns)
    return _open_data_set(name, wanted, columns, config, split)


def read_pairs(
    source: Source, layout: Optional[str] = None, *, config: Optional[str] = None, split: Optional[str] = None
) -> Iterator[PairRecord]:
    """Read the pairs of a source as records. A row that can't be read is an error; `paws repair` drops such rows. One
    without a sentence, or with a placeholder for it, is left out; a warning tells how many there are.

    source (Source), layout (Optional[str]), config (Optional[str]), split (Optional[str]): See `open_pairs`.
    YIELDS (PairRecord): The pairs.
    """
    left_out = 0
    opened = open_pairs(source, layout, config=config, split=split)
    for row in opened:
        if row.readable and row.missing:
            left_out += 1
            continue
        reason = row.reason
        if reason is None and row.written.strip() and row.label is None:
            reason = Errors.P015.format(name="label", what="one that the layout knows", value=row.written)
        try:
            record = row.to_record() if reason is None else None
        except PawsError as error:
            reason = str(error)
        if record is None or reason is not None:
            raise PawsError(Errors.P009.format(line=row.number, path=opened.source, reason=reason))
        yield record
    if left_out:
        warnings.warn(Warnings.W027.format(count=f"{left_out:,}", path=opened.source), stacklevel=2)


def _open_url(name: str, layout: Optional[Layout], columns: Sequence[str]) -> Pairs:
    kind = kind_of(name)
    if kind == "directory":
        names = [file for file in names_in(name) if fnmatch(file, SHARDS)]
        return _open_shards(name, [f"{name.rstrip('/')}/{file}" for file in names], layout, columns)
    return _open_docs(name, name) if kind and name.endswith(DOCBIN) else _open_file(name, name, layout, columns)


def _open_docs(name: str, path: PathLike) -> Pairs:
    found = Pairs(name, DOCBIN_LAYOUT, [], partial(_docs, path=path))
    return _as_file(found, path, uneven=True)


def _as_file(found: Pairs, path: PathLike, uneven: bool) -> Pairs:
    """A source that is a file, with what is known of such."""
    found.path = path if isinstance(path, Path) else None
    found.meter, found.uneven = Meter([str(path)]), uneven
    return found


def _must_exist(path: PathLike) -> None:
    if kind_of(path) is None:
        raise PawsError(Errors.P020.format(path=str(path), reason="there is no such file"))


def _open_file(name: str, path: PathLike, layout: Optional[Layout], columns: Sequence[str]) -> Pairs:
    _must_exist(path)
    if columns:
        layout = _by_columns(path, columns)
    elif layout is None:
        layout = guess_layout(path)
    if layout.reads == "table" and is_records(path):
        layout = for_records(layout)
    return _rows_of(name, path, layout)


def _rows_of(name: str, path: PathLike, layout: Layout) -> Pairs:
    reader = {"table": _table, "aligned": _aligned, "records": _objects}[layout.reads]
    names: List[str] = list(layout.columns)
    if layout.reads == "records":
        names = field_names(path)
    elif layout.reads == "aligned":
        names = [layout.sentence1, layout.sentence2]
    elif not names:
        names = _header(path, layout)
        for column in layout.pair_columns:
            if column not in names:
                known = ", ".join(names)
                raise PawsError(Errors.P142.format(path=str(path), layout=layout.name, column=column, known=known))
    found = Pairs(name, layout, names, partial(reader, path=path))
    return _as_file(found, path, uneven=format_of(path) == "jsonl")


def _by_columns(path: PathLike, columns: Sequence[str]) -> Layout:
    """A layout from the names of columns that somebody gives."""
    if is_records(path):
        return generic(named_columns(field_names(path), columns, str(path)), reads="records")
    try:
        shape = guess_layout(path)
    except PawsError:
        shape = table_shape(path, "".join(head(text_lines(path), 1)))
    found = named_columns(list(shape.columns) or _header(path, shape), columns, str(path))
    return generic(found, columns=shape.columns, delimiter=shape.delimiter, quoted=shape.quoted)


def _header(path: PathLike, layout: Layout) -> List[str]:
    first = head(cut_fields(text_lines(path), layout), 1)
    return [name.strip() for name in first[0][1]] if first else []


def _open_shards(name: str, files: Sequence[PathLike], layout: Optional[Layout], columns: Sequence[str]) -> Pairs:
    """A folder that a run of ours wrote."""
    if not files:
        raise PawsError(Errors.P033.format(path=name))
    opened = [_open_file(str(file), file, layout, columns) for file in files]
    found = Pairs(name, opened[0].layout, opened[0].names, partial(_shards, files=opened))
    found.meter, found.uneven = Meter(map(str, files)), opened[0].uneven
    for one in opened:
        one.meter = found.meter
    return found


def _open_items(items: Iterable[Any], layout: Optional[Layout], columns: Sequence[str]) -> Pairs:
    """Pairs that are in memory."""
    objects = [_object(item) for item in in_rows(items)]
    names = list(dict.fromkeys(name for data in objects[:PEEK] for name in data)) or ["sentence1", "sentence2"]
    if columns:
        found = generic(named_columns(names, columns, MEMORY), reads="records")
    else:
        guess = for_records(layout) if layout else guess_fields(objects[:PEEK], names)
        if guess is None:
            raise PawsError(Errors.P107.format(path=MEMORY, known=", ".join(names)))
        found = guess
    made = Pairs(MEMORY, found, names, partial(_items, objects=objects))
    made.uneven = True
    return made


def in_rows(items: Iterable[Any]) -> Iterable[Any]:
    """Items one by one; going through a data frame would give the names of its columns."""
    frame: Any = items
    return frame.to_dict("records") if hasattr(frame, "columns") and hasattr(frame, "to_dict") else items


def _object(item: Any) -> Dict[str, Any]:
    """An item as an object with fields."""
    if isinstance(item, PairRecord):
        return item.to_dict()
    if isinstance(item, Mapping):
        return dict(item)
    if isinstance(item, (tuple, list)) and len(item) in (2, 3) and all(isinstance(text, str) for text in item[:2]):
        return dict(zip(("sentence1", "sentence2", "label"), item))
    raise PawsError(Errors.P111.format(item=repr(item)[:80]))


def _open_data_set(
    name: str, layout: Optional[Layout], columns: Sequence[str], config: Optional[str], split: Optional[str]
) -> Pairs:
    loaded = load_data_set(name, config, split)
    names = list(loaded.column_names)
    if columns:
        found = generic(named_columns(names, columns, name), reads="records")
    else:
        guess = for_records(layout) if layout else guess_fields(list(islice(plain_rows(loaded), PEEK)), names)
        if guess is None:
            raise PawsError(Errors.P303.format(name=name, known=", ".join(names)))
        found = guess
    return Pairs(name, found, names, partial(_data_set, loaded=loaded))


# The readers of each kind of source, module-level since a reader of training data has to pickle.


def _docs(pairs: Pairs, path: PathLike) -> Iterator[Row]:
    return _records(_numbered(docbin_objects(path)), pairs.layout)


def _items(pairs: Pairs, objects: Sequence[Dict[str, Any]]) -> Iterator[Row]:
    return _records(_numbered(objects), pairs.layout)


def _data_set(pairs: Pairs, loaded: Any) -> Iterator[Row]:
    return _records(_numbered(plain_rows(loaded)), pairs.layout)


def _shards(_: Pairs, files: Sequence[Pairs]) -> Iterator[Row]:
    for file in files:
        yield from file


def _numbered(objects: Iterable[Dict[str, Any]]) -> Iterator[Numbered]:
    for number, data in enumerate(objects, 1):
        yield number, data, "", ""


def _table(pairs: Pairs, path: PathLike) -> Iterator[Row]:
    layout = pairs.layout
    rows = cut_fields(text_lines(path, pairs.meter), layout)
    if not layout.columns:
        next(rows, None)
    needed = max(pairs.names.index(name) for name in layout.pair_columns)
    # A table that holds whole records, as `RecordWriter` makes one of CSV.
    whole = {"source_id", "evidence"} <= set(pairs.names)
    lang = language_of(path, layout)
    for number, fields in rows:
        row = _row(number, fields, layout, pairs.names, needed)
        row.lang = lang
        yield _whole(row, layout) if whole and row.readable else row


def _whole(row: Row, layout: Layout) -> Row:
    """A row of a table as the record that it holds: what is empty is not there."""
    sentences = (layout.sentence1, layout.sentence2)
    data = {name: None if value == "" and name not in sentences else value for name, value in row.columns.items()}
    return record_row(row.number, data, layout)


def _row(number: int, fields: List[str], layout: Layout, names: List[str], needed: int) -> Row:
    columns: Dict[str, Any] = dict(zip(names, fields))
    if isinstance(fields[0], LongLine):
        return Row(number, "", "", problem=COLUMNS, readable=False, detail=fields[0].reason, line=fields[0])
    if len(fields) <= needed:
        problem = STRAY if len(fields) == 1 else COLUMNS
        detail = f"it has {len(fields)} columns, the others have {len(names)}"
        return Row(number, "", "", problem=problem, readable=False, columns=columns, detail=detail)
    row = make_row(number, columns, layout)
    if len(fields) > len(names):
        row.line = "\t".join(fields)
    if row.problem is None and len(fields) != len(names):
        row.problem = COLUMNS
        # A column too many or too few is harmless after the label: that it can be read shows where the surplus stands.
        row.readable = bool(layout.label) and row.written.strip().lower() in layout.scheme
        if not row.readable:
            row.sentence1 = row.sentence2 = ""
            row.detail = f"it has {len(fields)} columns, the others have {len(names)}"
    return row


def make_row(number: int, columns: Dict[str, Any], layout: Layout) -> Row:
    """A row from its columns by name."""
    first, second = _text(columns, layout.sentence1), _text(columns, layout.sentence2)
    written = _text(columns, layout.label) if layout.label else ""
    label = read_label(written, layout.scheme) if layout.label else None
    if label is None and not written.strip() and columns.get("nli") in NLI:
        label = written = columns["nli"]
    broken = not (first + second + written).isascii() and _has_surrogates(first + second + written)
    return Row(
        number,
        first,
        second,
        written,
        label,
        ENCODING if broken else None,
        not broken,
        _text(columns, layout.id).strip() if layout.id else "",
        columns,
        None,
        layout.label_source,
    )


def _text(columns: Dict[str, Any], name: str) -> str:
    value = columns.get(name)
    return value if isinstance(value, str) else "" if value is None else str(value)


def _has_surrogates(text: str) -> bool:
    """Whether a text holds what `text_lines` makes of bytes that are not UTF-8."""
    return any("\udc80" <= char <= "\udcff" for char in text)


def _aligned(pairs: Pairs, path: PathLike) -> Iterator[Row]:
    layout, end = pairs.layout, object()
    ours, theirs = text_lines(path, pairs.meter), text_lines(partner_path(path, layout))
    number = 0
    while True:
        number += 1
        one, two = next(ours, end), next(theirs, end)
        if one is end and two is end:
            return
        if one is end or two is end:
            yield Row(number, "", "", problem=COLUMNS, readable=False)
            continue
        long = next((line for line in (one, two) if isinstance(line, LongLine)), None)
        if long is not None:
            yield Row(number, "", "", problem=COLUMNS, readable=False, detail=long.reason, line=long)
            continue
        values = {layout.sentence1: str(one).rstrip("\r\n"), layout.sentence2: str(two).rstrip("\r\n")}
        yield make_row(number, values, layout)


def _objects(pairs: Pairs, path: PathLike) -> Iterator[Row]:
    found = _parquet(path) if format_of(path) == "parquet" else _json_lines(path, pairs.meter)
    yield from _records(found, pairs.layout)


def _parquet(path: PathLike) -> Iterator[Numbered]:
    yield from _numbered(data for batch in parquet_batches(path) for data in batch)


def _json_lines(path: PathLike, meter: Meter) -> Iterator[Numbered]:
    for number, line in enumerate(text_lines(path, meter), 1):
        if isinstance(line, LongLine):
            yield number, None, line.reason, line
        elif line.strip():
            data, wrong = parse_object(line)
            yield number, data, wrong, line.strip() if data is None else ""


def _records(objects: Iterable[Numbered], layout: Layout) -> Iterator[Row]:
    for number, data, wrong, line in objects:
        row = record_row(number, data, layout, wrong)
        row.line = line
        yield row


def record_row(number: int, data: Optional[Dict[str, Any]], layout: Layout, wrong: str = "") -> Row:
    """A row from an object of JSONL or Parquet, or from a row of a data set.

    data (Optional[Dict[str, Any]]): The object; None if there is none.
    wrong (str): Why there is none.
    RETURNS (Row): The row.
    """
    sentences = (layout.sentence1, layout.sentence2)
    absent = next((name for name in sentences if (data or {}).get(name) is None), None)
    if data is None or absent is not None:
        wrong = wrong or f"it has no {absent}"
        return Row(number, "", "", problem=COLUMNS, readable=False, columns=data or {}, fields={}, detail=wrong)
    fields = {key: value for key, value in data.items() if key not in layout.pair_columns}
    evidence = fields.get("evidence")
    if isinstance(evidence, str):  # as it stands in Parquet
        evidence, wrong = parse_object(evidence or "{}")
        fields["evidence"] = evidence
    if not isinstance(evidence, (dict, type(None))) or wrong:
        wrong = f"its evidence is not a JSON object ({wrong or evidence!r})"
        return Row(number, "", "", problem=COLUMNS, readable=False, columns=data, fields={}, detail=wrong)
    nli = (evidence or {}).get("nli")
    row = make_row(number, {**data, "nli": nli} if nli in NLI else data, layout)
    row.columns, row.fields = data, fields
    return row
