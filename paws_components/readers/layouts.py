"""The layouts that corpora of sentence pairs are published in: where the sentences and the label stand, and how a row
is cut into columns."""

import csv
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

from ..errors import Errors, PawsError
from ..records import PathLike
from ..storage import is_url
from .columns import Columns
from .files import BrokenOff, LongLine, unpacked
from .labels import ANY, BINARY, NLI_DIGITS, NLI_EITHER, NLI_LETTERS, NLI_WORDS, VOTES, Scheme

# Stands for a carriage return within a line, at which `csv` gives up where no quotation marks are around it. No text
# that was read has this lone surrogate.
RETURN = "\ud800"


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
    Layout("paws_unlabeled", "sentence1", "sentence2", "noisy_label", id="id", label_source="silver"),
    Layout("pawsx_xtreme", "s1", "s2", "label", columns=("s1", "s2", "label"), quoted=True),
    Layout("mrpc", "#1 String", "#2 String", "Quality", extra=("#1 ID", "#2 ID")),
    Layout("mrpc_r1", "new_s1", "new_s2", "new_label", delimiter=",", quoted=True, extra=("remarks",)),
    Layout("mrpc_r1_original", "og_s1", "og_s2", "og_label", delimiter=",", quoted=True, extra=("remarks",)),
    Layout("qqp", "sentence1", "sentence2", "is_duplicate", quoted=True, id="id"),
    Layout("qqp_original", "question1", "question2", "is_duplicate", quoted=True, id="id", extra=("qid1", "qid2")),
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
    Layout("anli_1.0", "context", "hypothesis", "label", NLI_LETTERS, id="uid", reads="records"),
    Layout("nli_1.0", "sentence1", "sentence2", "gold_label", NLI_WORDS, id="pairID"),
    Layout("sick_zenodo", "sentence_A", "sentence_B", "entailment_label", NLI_WORDS, id="pair_ID"),
    Layout("sick", "sentence_A", "sentence_B", "entailment_judgment", NLI_WORDS, id="pair_ID"),
    Layout("wpd_ld_examples", "sentence1", "sentence2", extra=("place", "wpd", "ld")),
    Layout("en_de_extra", "en", "de"),
    Layout("multi30k", "en", "de", partner=(".en", ".de"), reads="aligned"),
)
LAYOUTS: Dict[str, Layout] = {layout.name: layout for layout in _LAYOUTS}
# What tells the language of a file whose pairs do not: PAWS-X has a folder per language, XTREME ends names in it.
LANGUAGES = {"pawsx": r"(?:^|[/\\])([a-z]{2})[/\\][^/\\]+$", "pawsx_xtreme": r"-([a-z]{2})\.tsv"}


def get_layout(name: str) -> Layout:
    """A layout by its name."""
    if name not in LAYOUTS:
        raise PawsError(Errors.P141.format(name=name, known=", ".join(LAYOUTS)))
    return LAYOUTS[name]


def language_of(path: PathLike, layout: Layout) -> str:
    """The language of a file of PAWS-X by its place; "" for another, or if it can't be told."""
    found = re.search(LANGUAGES[layout.name], str(path)) if layout.name in LANGUAGES else None
    return found.group(1) if found else ""


def for_records(layout: Layout) -> Layout:
    """A layout as it is read from records: the names of its columns are those of the fields."""
    scheme = NLI_EITHER if layout.scheme in (NLI_WORDS, NLI_DIGITS) else layout.scheme
    return replace(layout, scheme=scheme, reads="records")


def generic(named: Columns, **settings: Any) -> Layout:
    """A layout for a file of which nothing is known but the names of its columns."""
    first, second, label, ident = named
    return replace(Layout("generic", first, second, label, ANY, id=ident, label_source=None), **settings)


def cut_fields(lines: Iterable[str], layout: Layout) -> Iterator[Tuple[int, List[str]]]:
    """The fields of each row, with the line it begins at."""
    if not layout.quoted:
        for number, line in enumerate(lines, 1):
            # The beginning of a line has no columns that could be taken for the line's.
            yield number, [line] if isinstance(line, LongLine) else line.rstrip("\r\n").split(layout.delimiter)
        return
    reader = csv.reader(_short_lines(lines), delimiter=layout.delimiter)
    number = 1
    try:
        for fields in reader:
            yield number, [field.replace(RETURN, "\r") for field in fields] or [""]
            number = reader.line_num + 1
    except csv.Error as error:  # a field past csv's limit, which mostly is a quotation mark that nothing closes
        raise BrokenOff(f"line {number}: {error}") from error


def _short_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines, as `csv` takes them; where one is too long, nobody can tell which row the next one belongs to."""
    for number, line in enumerate(lines, 1):
        if isinstance(line, LongLine):
            raise BrokenOff(f"line {number}: {line.reason}")
        if "\r" in line:
            text = line.rstrip("\r\n")
            line = text.replace("\r", RETURN) + line[len(text) :]
        yield line


def partner_path(path: PathLike, layout: Layout) -> PathLike:
    """The second file of a line-aligned pair."""
    first, second = layout.partner
    name, stem = str(path), unpacked(path)
    if not stem.endswith(first):
        raise PawsError(Errors.P143.format(path=name, first=first, second=second))
    partner = stem.removesuffix(first) + second + name.removeprefix(stem)
    return partner if is_url(partner) else Path(partner)
