"""Texts from wherever they come: plain lines, JSONL, Parquet, tables, data sets, `.spacy` files, standard input."""

from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..corpora import find_held
from ..errors import Errors, PawsError
from ..records import PathLike, normalise
from ..storage import is_url
from .docbin import DOCBIN, docbin_docs
from .files import (
    STDIN,
    BrokenOff,
    LongLine,
    Meter,
    byte_lines,
    format_of,
    head,
    is_stream,
    kind_of,
    open_parquet,
    parquet_batches,
    parse_object,
    text_lines,
)
from .guess import table_shape
from .hub import is_saved, load_data_set, may_be_data_set
from .layouts import Layout, cut_fields
from .row import BROKEN, COLUMNS, REASONS


class Text(NamedTuple):
    """One text: where it stands, what it says, or what is wrong with it.

    text (str): On one line. Tabs, line breaks and runs of spaces within it are single spaces.
    reason (Optional[str]): Why it can't be read; None if it can.
    written (str): The line as it stands, where it can't be read; bytes that are not UTF-8 are lone surrogates.
    respaced (bool): Whether its white space had to be made plain.
    broke_off (bool): Whether this is where a source broke off.
    """

    path: str
    number: int
    text: str
    reason: Optional[str] = None
    written: str = ""
    respaced: bool = False
    broke_off: bool = False

    @property
    def raw(self) -> str:
        """What stands there."""
        return self.written or self.text

    @property
    def payload(self) -> str:
        """What a job of the engine takes; "" for an empty line, which needs no work."""
        return self.text

    @property
    def notes(self) -> List[str]:
        """What was changed in reading: `white_space`."""
        return ["white_space"] if self.respaced else []


class Texts:
    """Sources that were opened; their texts are read as they are asked for.

    sources (Sequence[str]): The sources.
    field (str): The field or the column that holds the text.
    meter (Meter): How far the reading is.
    """

    def __init__(self, sources: Sequence[str], field: str, config: Optional[str], split: Optional[str]) -> None:
        self.sources = sources
        self.field = field
        self.part = (config, split)
        self.meter = Meter(sources)

    def __iter__(self) -> Iterator[Text]:
        """Every text, also the empty ones and the broken ones."""
        for source in self.sources:
            number = 0
            try:
                for number, text in _texts(source, self.field, self.part, self.meter):
                    yield text
            except BrokenOff as error:
                if not number:
                    raise
                yield Text(source, number + 1, "", f"{REASONS[BROKEN]}: {error}", broke_off=True)


def open_texts(
    sources: Sequence[PathLike], field: str = "text", *, config: Optional[str] = None, split: Optional[str] = None
) -> Texts:
    """Open sources of texts.

    sources (Sequence[Union[str, Path]]): Files, here or at URLs (`s3://bucket/wiki.txt.gz`), "-" for standard input,
        folders saved by `datasets`, names of corpora that have a card (`wikipedia:paragraphs`), or names of data sets.
        `.gz`, `.xz` and `.bz2` are unpacked; JSONL, Parquet, data sets and tables that have such a column hold their
        texts in a field; a `.spacy` file has a text per Doc; anything else is one text per line.
    field (str): That field or column.
    config (Optional[str]), split (Optional[str]): The part of a data set.
    RETURNS (Texts): The sources; iterate over them for their texts.
    """
    names = [str(source) for source in ([sources] if isinstance(sources, (str, Path)) else sources)]
    held = [find_held(name, split) if config is None else None for name in names]
    names = [str(one.path) if one else name for one, name in zip(held, names)]
    for name in names:
        if name != STDIN:
            _check(name)
    return Texts(names, field, config, split)


def _check(source: str) -> None:
    """Our error for a file that is not there, before anything else is done, and again when its turn comes."""
    kind = kind_of(source)
    if kind is None and (is_url(source) or format_of(source) or not may_be_data_set(source)):
        raise PawsError(Errors.P020.format(path=source, reason="there is no such file"))
    if kind == "directory" and (is_url(source) or not (is_saved(source) or any(Path(source).rglob("*" + DOCBIN)))):
        raise PawsError(Errors.P020.format(path=source, reason="it is a folder; name the files in it"))


def _texts(source: str, field: str, part: Tuple, meter: Meter) -> Iterator[Tuple[int, Text]]:
    path = Path(source)
    if source != STDIN:
        _check(source)
    if path.suffix == DOCBIN or (path.is_dir() and any(path.rglob("*" + DOCBIN))):
        values: Iterator[Any] = (doc.text for doc in docbin_docs(source))
    elif not is_url(source) and not is_stream(source) and (is_saved(source) or not path.exists()):
        loaded = load_data_set(source, *part)
        _need_field(field, loaded.column_names, source)
        values = (data[field] for data in loaded)
    elif format_of(source) == "parquet":
        _need_field(field, open_parquet(source).schema_arrow.names, source)
        values = (data[field] for batch in parquet_batches(source, [field]) for data in batch)
    else:
        cells = _find_cells(source, field)
        yield from _cells(source, cells, field, meter) if cells else _lines(source, field, meter)
        return
    for number, value in enumerate(values, 1):
        yield number, _value(source, number, value, field)


def _need_field(field: str, known: Sequence[str], source: str) -> None:
    if field not in known:
        raise PawsError(Errors.P012.format(path=source, column=field, known=", ".join(known)))


def _lines(source: str, field: str, meter: Meter) -> Iterator[Tuple[int, Text]]:
    in_json = format_of(source) == "jsonl"
    for number, data in enumerate(byte_lines(source, meter), 1):
        if isinstance(data, LongLine):
            yield number, Text(source, number, "", data.reason, str(data))
            continue
        try:
            line = data.decode("utf8")
        except UnicodeDecodeError as error:
            raw = data.decode("utf8", "surrogateescape").strip()
            yield number, Text(source, number, "", Errors.P023.format(reason=error), raw)
            continue
        if number == 1 and is_stream(source):
            # A pipe has no name to tell by: one whose first line is an object with a text in it carries JSONL.
            in_json = isinstance((parse_object(line)[0] or {}).get(field), str)
        if in_json and line.strip():
            yield number, _from_json(source, number, line, field)
        else:
            yield number, _plain(source, number, line)


def _find_cells(source: str, field: str) -> Optional[Tuple[Layout, int]]:
    """How a table is cut, and which column is the field's; None where there is no such column: then lines are texts."""
    if format_of(source) != "table" or is_stream(source):
        return None
    header = "".join(head(text_lines(source), 1))
    shape = table_shape(source, header)
    try:
        names = [name.strip() for _, names in cut_fields([header], shape) for name in names]
    except BrokenOff:
        return None  # too long for a header
    return (shape, names.index(field)) if len(names) > 1 and field in names else None


def _cells(source: str, found: Tuple[Layout, int], field: str, meter: Meter) -> Iterator[Tuple[int, Text]]:
    shape, place = found
    rows = cut_fields(text_lines(source, meter), shape)
    next(rows, None)
    for number, cells in rows:
        if len(cells) > place:
            yield number, _value(source, number, cells[place], field)
        else:
            yield number, Text(source, number, "", REASONS[COLUMNS], shape.delimiter.join(cells))


def _from_json(source: str, number: int, line: str, field: str) -> Text:
    data: Optional[Dict[str, Any]]
    data, wrong = parse_object(line)
    if data is None or field not in data:
        reason = Errors.P024.format(field=field, reason=wrong or "it is not there")
        return Text(source, number, "", reason, line.strip())
    return _value(source, number, data[field], field, line.strip())


def _value(source: str, number: int, value: Any, field: str, raw: str = "") -> Text:
    if value is not None and not isinstance(value, str):
        reason = Errors.P024.format(field=field, reason=f"it holds {str(value)[:80]!r}")
        return Text(source, number, "", reason, raw or str(value))
    text = value or ""
    if not text.isascii() and not _encodable(text):
        return Text(source, number, "", Errors.P023.format(reason="the text holds bytes that are none"), text)
    return _plain(source, number, text)


def _encodable(text: str) -> bool:
    try:
        text.encode("utf8")
    except UnicodeEncodeError:
        return False
    return True


def _plain(source: str, number: int, text: str) -> Text:
    plain = normalise(text)
    return Text(source, number, plain, respaced=plain != text.strip())
