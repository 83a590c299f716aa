"""The layouts that corpora of sentence pairs are published in, and the one reader for all of them.

A layout says where the two sentences and the label stand, and how a row is cut into columns. `read_rows` gives every
row of a file, also those it can make nothing of: they carry their problem. Nothing is repaired here.
"""

import csv
import io
import json
import lzma
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from ..engine.sources import OPENERS
from ..errors import Errors, PawsError
from ..records import pyarrow_parquet
from .labels import ANY, BINARY, NLI_DIGITS, NLI_EITHER, NLI_WORDS, VOTES, Scheme, read_label
from .row import COLUMNS, ENCODING, STRAY, Row

PathLike = Union[str, Path]
# What `open_lines` makes of bytes that are not UTF-8.
NOT_UTF8 = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class Layout:
    """Where a corpus keeps its pairs.

    name (str): The name it is asked for by.
    sentence1, sentence2 (str): The columns with the two sentences.
    label (str): The column with the label; "" where there is none.
    scheme (Scheme): How that label is written.
    columns (Tuple[str, ...]): The columns of a file that has no header; () where the header names them.
    delimiter (str): What stands between columns.
    quoted (bool): Whether fields are quoted as a csv writer does it; if not, a quotation mark is text.
    id (str): The column with the row's id.
    extra (Tuple[str, ...]): Columns that checks want to see, and that tell the layout from others with its sentences.
    source (Tuple[str, ...]): Those of them that together are the id of the first sentence.
    label_source (Optional[str]): Who labelled it, as `PairRecord` has it: "human", "silver" (a model) or None.
    partner (Tuple[str, str]): For line-aligned files: the endings of the first and of the second file.
    reads (str): "table", "aligned" (two files) or "records" (JSONL, Parquet).
    """

    name: str
    sentence1: str
    sentence2: str
    label: str = ""
    scheme: Scheme = field(default_factory=lambda: BINARY, hash=False)
    columns: Tuple[str, ...] = ()
    delimiter: str = "\t"
    quoted: bool = False
    id: str = ""
    extra: Tuple[str, ...] = ()
    source: Tuple[str, ...] = ()
    label_source: Optional[str] = "human"
    partner: Tuple[str, str] = ("", "")
    reads: str = "table"

    @property
    def pair_columns(self) -> Tuple[str, ...]:
        """The columns with the sentences and the label."""
        return tuple(name for name in (self.sentence1, self.sentence2, self.label) if name)

    @property
    def named(self) -> Tuple[str, ...]:
        """Every column the layout names."""
        return (*self.pair_columns, *((self.id,) if self.id else ()), *self.extra)


def _paws(name: str) -> Layout:
    return Layout(name, "sentence1", "sentence2", "label", id="id")


_LAYOUTS = (
    _paws("paws_wiki"),
    _paws("paws_qqp"),
    _paws("pawsx"),
    Layout("pawsx_xtreme", "s1", "s2", "label", columns=("s1", "s2", "label"), quoted=True),
    Layout("mrpc", "#1 String", "#2 String", "Quality", extra=("#1 ID", "#2 ID")),
    Layout("mrpc_r1", "new_s1", "new_s2", "new_label", delimiter=",", quoted=True, extra=("remarks",)),
    Layout("mrpc_r1_original", "og_s1", "og_s2", "og_label", delimiter=",", quoted=True, extra=("remarks",)),
    Layout("qqp", "sentence1", "sentence2", "is_duplicate", quoted=True, id="id"),
    Layout("twitter_url", "s1", "s2", "votes", VOTES, columns=("s1", "s2", "votes", "url")),
    Layout("apt", "text_a", "text_b", "labels", label_source="silver"),
    Layout(
        "apt_attempts",
        "sentence",
        "candidate",
        "MI",
        extra=("dataset", "index", "BLEURT", "dollar"),
        source=("dataset", "index"),
        label_source="silver",
    ),
    Layout("apt_t5", "sentence", "paraphrase", "mi", label_source="silver"),
    Layout(
        "apt_t5_scored",
        "sentence",
        "paraphrase",
        "mi",
        columns=("sentence", "paraphrase", "BLEURT", "mi"),
        extra=("BLEURT",),
        label_source="silver",
    ),
    Layout("anli", "premise", "hypothesis", "label", NLI_WORDS, extra=("round",)),
    Layout("mnli", "premise", "hypothesis", "label", NLI_WORDS),
    Layout("snli", "premise", "hypothesis", "label", NLI_DIGITS),
    Layout("sick", "sentence_A", "sentence_B", "entailment_judgment", NLI_WORDS, id="pair_ID"),
    Layout("wpd_ld_examples", "sentence1", "sentence2", extra=("place", "wpd", "ld")),
    Layout("en_de_extra", "en", "de"),
    Layout("multi30k", "en", "de", partner=(".en", ".de"), reads="aligned"),
)
LAYOUTS: Dict[str, Layout] = {layout.name: layout for layout in _LAYOUTS}


def get_layout(name: str) -> Layout:
    """A layout by its name."""
    if name not in LAYOUTS:
        raise PawsError(Errors.P141.format(name=name, known=", ".join(LAYOUTS)))
    return LAYOUTS[name]


def read_rows(path: PathLike, layout: Union[str, Layout, None] = None) -> Iterator[Row]:
    """Read every row of a corpus file, one by one.

    path (Union[str, Path]): The file; `.gz`, `.xz` and `.bz2` are unpacked.
    layout (Union[str, Layout, None]): The layout or its name; None to guess it.
    YIELDS (Row): The rows, also the broken ones.
    """
    found = find_layout(path, layout)
    try:
        reader = {"table": _table, "aligned": _aligned, "records": _records}[found.reads]
        yield from reader(path, found)
    except (OSError, EOFError, lzma.LZMAError, csv.Error) as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error


def find_layout(path: PathLike, layout: Union[str, Layout, None] = None) -> Layout:
    """The layout that a file is read by: the one that is asked for, or else a guess.

    path (Union[str, Path]): The file.
    layout (Union[str, Layout, None]): The layout or its name; None to guess it.
    RETURNS (Layout): The layout; one that is asked for by its name reads JSONL and Parquet as well.
    """
    from .guess import guess_layout

    try:
        found = get_layout(layout) if isinstance(layout, str) else layout or guess_layout(path)
    except (OSError, EOFError, lzma.LZMAError, csv.Error) as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error
    return for_records(found) if found.reads == "table" and is_records(path) else found


def for_records(layout: Layout) -> Layout:
    """A layout as it is read from records: the names of its columns are those of the fields."""
    scheme = NLI_EITHER if layout.scheme in (NLI_WORDS, NLI_DIGITS) else layout.scheme
    return replace(layout, scheme=scheme, reads="records")


def unpacked(path: PathLike) -> str:
    """The name of a file without the ending that its compression gives it."""
    name = str(path)
    return name.removesuffix(next((ending for ending in OPENERS if name.endswith(ending)), ""))


def is_records(path: PathLike) -> bool:
    """Whether a file holds records rather than a table, by its name."""
    return Path(unpacked(path)).suffix in (".jsonl", ".ndjson", ".parquet")


def open_lines(path: PathLike) -> IO[str]:
    """The lines of a file, cut at "\\n" alone. Bytes that are not UTF-8 come as lone surrogates, noticed later."""
    opener = OPENERS.get(Path(path).suffix, open)
    return io.TextIOWrapper(opener(path, "rb"), encoding="utf8", errors="surrogateescape", newline="\n")


def cut_fields(lines: Iterable[str], layout: Layout) -> Iterator[Tuple[int, List[str]]]:
    """The fields of each row, with the line it begins at; a byte-order mark is left out."""
    without_mark = (line.removeprefix("\ufeff") if i == 0 else line for i, line in enumerate(lines))
    if not layout.quoted:
        for number, line in enumerate(without_mark, 1):
            yield number, line.rstrip("\r\n").split(layout.delimiter)
        return
    reader = csv.reader(without_mark, delimiter=layout.delimiter)
    number = 1
    for fields in reader:
        yield number, fields or [""]
        number = reader.line_num + 1


def _table(path: PathLike, layout: Layout) -> Iterator[Row]:
    with open_lines(path) as lines:
        rows = cut_fields(lines, layout)
        columns = list(layout.columns)
        if not columns:
            columns = [name.strip() for name in next(rows, (0, []))[1]]
            for name in layout.pair_columns:
                if name not in columns:
                    known = ", ".join(columns)
                    raise PawsError(Errors.P142.format(path=str(path), layout=layout.name, column=name, known=known))
        places = {name: columns.index(name) for name in layout.named if name in columns}
        for number, fields in rows:
            yield _row(number, fields, layout, places, len(columns))


def _row(number: int, fields: List[str], layout: Layout, places: Dict[str, int], width: int) -> Row:
    needed = max(places[name] for name in layout.pair_columns)
    if len(fields) <= needed:
        problem = STRAY if len(fields) == 1 else COLUMNS
        return Row(number, "", "", problem=problem, readable=False)
    get = {name: fields[place] if place < len(fields) else "" for name, place in places.items()}
    row = make_row(number, get, layout)
    if row.problem is None and len(fields) != width:
        row.problem = COLUMNS
        # A column too many or too few is harmless after the label: that it can be read shows where the surplus stands.
        row.readable = bool(layout.label) and row.written.strip().lower() in layout.scheme
        if not row.readable:
            row.sentence1 = row.sentence2 = ""
    return row


def make_row(number: int, values: Dict[str, str], layout: Layout) -> Row:
    """A row from its columns by name."""
    first, second = values[layout.sentence1], values[layout.sentence2]
    written = values[layout.label] if layout.label else ""
    broken = NOT_UTF8.search(first + second + written) is not None
    return Row(
        number,
        first,
        second,
        written,
        read_label(written, layout.scheme) if layout.label else None,
        ENCODING if broken else None,
        not broken,
        values.get(layout.id, "").strip() if layout.id else "",
        {name: values[name] for name in layout.extra if name in values},
        layout.label_source,
    )


def partner_path(path: PathLike, layout: Layout) -> Path:
    """The second file of a line-aligned pair."""
    first, second = layout.partner
    name, stem = str(path), unpacked(path)
    if not stem.endswith(first):
        raise PawsError(Errors.P143.format(path=name, first=first, second=second))
    return Path(stem.removesuffix(first) + second + name.removeprefix(stem))


def _aligned(path: PathLike, layout: Layout) -> Iterator[Row]:
    end = object()
    with open_lines(path) as ours, open_lines(partner_path(path, layout)) as theirs:
        number = 0
        while True:
            number += 1
            one, two = next(ours, end), next(theirs, end)
            if one is end and two is end:
                return
            if one is end or two is end:
                yield Row(number, "", "", problem=COLUMNS, readable=False)
                continue
            values = {layout.sentence1: str(one).rstrip("\r\n"), layout.sentence2: str(two).rstrip("\r\n")}
            yield make_row(number, values, layout)


def record_values(path: PathLike) -> Iterator[Tuple[int, Optional[Dict[str, Any]]]]:
    """The objects of a JSONL or Parquet file, with their line; None for a line that holds none."""
    if str(path).endswith(".parquet"):
        number = 0
        for batch in pyarrow_parquet().ParquetFile(path).iter_batches():
            for data in batch.to_pylist():
                number += 1
                yield number, data
        return
    with open_lines(path) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                data = json.loads(line.removeprefix("\ufeff"))
            except json.JSONDecodeError:
                data = None
            yield number, data if isinstance(data, dict) else None


def _records(path: PathLike, layout: Layout) -> Iterator[Row]:
    for number, data in record_values(path):
        yield record_row(number, data, layout)


def record_row(number: int, data: Optional[Dict[str, Any]], layout: Layout) -> Row:
    """A row from an object of JSONL or Parquet, or from a row of a data set."""
    if data is None or any(data.get(name) is None for name in (layout.sentence1, layout.sentence2)):
        return Row(number, "", "", problem=COLUMNS, readable=False)
    values = {name: "" if data.get(name) is None else str(data[name]) for name in layout.named}
    row = make_row(number, values, layout)
    row.record = {key: value for key, value in data.items() if key not in layout.pair_columns}
    if isinstance(data.get("evidence"), str):
        row.record["evidence"] = json.loads(data["evidence"])  # as `RecordWriter` puts it into Parquet
    return row


def generic(sentence1: str, sentence2: str, label: str, ident: str, **settings: Any) -> Layout:
    """A layout for a file of which nothing is known but the names of its columns."""
    return replace(Layout("generic", sentence1, sentence2, label, ANY, id=ident, label_source=None), **settings)
