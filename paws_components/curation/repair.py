"""Repair a corpus: what can be put right is, what can't is dropped, and every row of either kind is written down.

Input rows = kept as they were + changed + dropped, always.
"""

import io
import json
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Collection, Dict, Iterator, List, Optional, Set, Tuple

from ..errors import Errors, PawsError
from ..readers.labels import Label, label_problem
from ..readers.labels import encoding as label_kind
from ..readers.row import Row, decode_literal
from ..records import NLI, PairRecord, PathLike, normalise
from ..writers import RecordWriter, check_outputs, file_format, replacing
from .checks_text import TOKENISED
from .detokenise import detokenise
from .findings import Split, share
from .text import is_placeholder, pair_key, ptb_kinds, sentence_key, unordered

# What is done to a row, by the name it has in the manifest.
CHANGES = {
    "column_count": "columns after the label are left out",
    "bytes_literal": "text written as b'...' is decoded",
    "white_space": "tabs, line breaks and runs of spaces become single spaces",
    "ptb_tokens": "treebank tokens become plain text",
    "label_encoding": "the label is written 0 or 1",
    "label_reference": "the label is that of the reference",
    "identical_label": "identical sentences are labelled a paraphrase",
}
DROPS = {
    "stray_line": "no pair: a line that continues the one before",
    "unreadable": "a wrong number of columns, or not UTF-8",
    "empty_sentence": "a sentence is empty",
    "placeholder": "a sentence is a placeholder",
    "label_missing": "the label is empty",
    "label_unknown": "the label is none that the layout knows",
    "label_undecided": "the raters were divided",
    "contradictory_pair": "the pair has more than one label",
    "duplicate_pair": "the pair is an earlier row's",
    "identical_pair": "identical sentences, outside of training data (PAWS, footnote 6)",
    "shared_pair": "the pair is also in a file that it must not leak into",
}
# A record has no room for what these leave out.
ALWAYS = ("column_count", "white_space", "stray_line", "unreadable")


@dataclass
class Repaired:
    """A row on its way through the repair."""

    row: Row
    sentence1: str
    sentence2: str
    label: Optional[Label]
    reasons: List[str] = field(default_factory=list)
    dropped: Optional[str] = None

    @property
    def is_identical(self) -> bool:
        return self.sentence1 == self.sentence2

    def to_record(self) -> PairRecord:
        row = replace(self.row, sentence1=self.sentence1, sentence2=self.sentence2, label=self.label)
        # What was not to be decoded is not decoded here either.
        record = row.to_record(normalise)
        if "identical_label" in self.reasons:
            record.label_source = "rule"
        return record

    def to_manifest(self) -> Dict[str, Any]:
        """What happened to the row, as plain data."""
        before = {"sentence1": self.row.sentence1, "sentence2": self.row.sentence2, "label": self.row.written}
        after = {"sentence1": self.sentence1, "sentence2": self.sentence2, "label": self.label}
        return {
            "line": self.row.number,
            "id": self.row.id,
            "action": "dropped" if self.dropped else "changed",
            "reasons": [self.dropped] if self.dropped else self.reasons,
            "before": before,
            "after": None if self.dropped else after,
        }


@dataclass
class Counts:
    """What became of the rows that went in."""

    kept: int = 0
    changed: int = 0
    dropped: int = 0
    reasons: Counter = field(default_factory=Counter)

    @property
    def rows(self) -> int:
        return self.kept + self.changed + self.dropped

    def __str__(self) -> str:
        return (
            f"{self.rows:,} rows in = {self.kept:,} kept as they were + {self.changed:,} changed + "
            f"{self.dropped:,} dropped; {self.kept + self.changed:,} pairs"
        )


def repair(
    path: PathLike,
    output: PathLike,
    manifest: Optional[PathLike],
    *,
    layout: Optional[str] = None,
    train: Optional[bool] = None,
    tokens: Optional[bool] = None,
    reference: Optional[PathLike] = None,
    against: Collection[PathLike] = (),
    skip: Collection[str] = (),
    format: Optional[str] = None,
) -> Counts:
    """Write a clean corpus, and a manifest of every row that was changed or dropped.

    path (Union[str, Path]): The corpus: see `open_pairs`.
    output (Union[str, Path]): Where the records go; the ending tells the format.
    manifest (Optional[Union[str, Path]]): Where the manifest goes, JSONL; None for nowhere.
    layout (Optional[str]): The layout of the corpus; None to guess it.
    train (Optional[bool]): Whether it is training data, which keeps its identical pairs; None goes by the file's name.
    tokens (Optional[bool]): Whether the text is treebank tokens to be made plain; None looks.
    reference (Optional[Union[str, Path]]): A file whose labels are right for the rows with the same ids.
    against (Collection[Union[str, Path]]): Files that the corpus may share no pair with.
    skip (Collection[str]): Repairs that are not made, by the names of `CHANGES` and `DROPS`.
    format (Optional[str]): The format of an output that is a pipe.
    RETURNS (Counts): How many rows were kept, changed and dropped, and why.
    """
    _check_names(skip)
    inputs = [path, *([reference] if reference else []), *against]
    check_outputs(inputs, [output, *([manifest] if manifest else [])])
    split = Split(Path(path).name, path, layout)
    if file_format(output, format) == ".tsv" and any(row.label in NLI for row in split.rows):
        raise PawsError(Errors.P151.format(path=str(path)))
    # The other files are read before anything is written: a wrong name should cost nothing.
    rows = repair_rows(
        split,
        train=split.is_train if train is None else train,
        tokens=is_tokenised(split) if tokens is None else tokens,
        labels=_labels_by_id(reference) if reference else {},
        taken=_pairs_of(against),
        skip=skip,
    )
    counts = Counts()
    with RecordWriter(output, format) as writer, _open_manifest(manifest) as lines:
        for item in rows:
            if not item.dropped:
                writer.write(item.to_record())
            if item.dropped or item.reasons:
                lines.write(json.dumps(item.to_manifest(), ensure_ascii=False) + "\n")
            counts.kept += not item.dropped and not item.reasons
            counts.changed += not item.dropped and bool(item.reasons)
            counts.dropped += bool(item.dropped)
            counts.reasons.update([item.dropped] if item.dropped else item.reasons)
    return counts


def repair_rows(
    split: Split,
    *,
    train: bool,
    tokens: bool,
    labels: Dict[str, Optional[Label]],
    taken: Set[Tuple[str, str]],
    skip: Collection[str] = (),
) -> List[Repaired]:
    """The rows of a split as the repair leaves them, in order, with what was done to each.

    labels (Dict[str, Optional[Label]]): The right labels by id.
    taken (Set[Tuple[str, str]]): Pairs that may not occur, by their letters.
    """
    rows = [_clean(row, split, tokens, labels, skip) for row in split.rows]
    groups: Dict[Tuple[str, str], List[Repaired]] = defaultdict(list)
    for item in rows:
        if not item.dropped:
            groups[pair_key(item.label, item.sentence1, item.sentence2)].append(item)
    for group in groups.values():
        _compare(group, skip)
    for item in rows:
        if not item.dropped:
            _judge(item, train, taken, skip)
    return rows


def _clean(row: Row, split: Split, tokens: bool, labels: Dict[str, Optional[Label]], skip: Collection[str]) -> Repaired:
    """A row by itself: its text made plain, its label read, or the reason why it can't stay."""
    item = Repaired(row, row.sentence1, row.sentence2, row.label)
    if not row.readable:
        item.dropped = "stray_line" if row.problem == "stray_line" else "unreadable"
        return item
    if row.problem is not None:
        item.reasons.append("column_count")
    if "bytes_literal" not in skip:
        _apply(item, "bytes_literal", _decoded)
    _apply(item, "white_space", normalise)
    if tokens and "ptb_tokens" not in skip:
        _apply(item, "ptb_tokens", detokenise)
    if split.is_labelled:
        problem = label_problem(row.written, split.layout.scheme)
        if problem is None and isinstance(row.label, int) and label_kind(row.written) != "plain":
            item.reasons.append("label_encoding")
        if problem is not None:
            _drop(item, f"label_{problem}", skip)
    right = labels.get(row.id) if row.id else None
    if right is not None and right != item.label and "label_reference" not in skip:
        item.label = right
        item.reasons.append("label_reference")
    texts = (item.sentence1, item.sentence2)
    if any(is_placeholder(text) for text in texts):
        _drop(item, "placeholder", skip)
    if not all(text.strip() for text in texts):
        _drop(item, "empty_sentence", skip)
    return item


def _compare(group: List[Repaired], skip: Collection[str]) -> None:
    """Rows of one pair: they all go if they contradict each other, all but the first if they agree."""
    if len({item.label for item in group if item.label is not None}) > 1:
        for item in group:
            _drop(item, "contradictory_pair", skip)
    for item in group[1:]:
        if not item.dropped:
            _drop(item, "duplicate_pair", skip)


def _judge(item: Repaired, train: bool, taken: Set[Tuple[str, str]], skip: Collection[str]) -> None:
    """A row that is sound in itself: whether it belongs into this split, and with this label."""
    if taken and unordered(sentence_key(item.sentence1), sentence_key(item.sentence2)) in taken:
        _drop(item, "shared_pair", skip)
    elif item.is_identical and not train:
        _drop(item, "identical_pair", skip)
    elif item.is_identical and item.label == 0 and "identical_label" not in skip:
        item.label = 1
        item.reasons.append("identical_label")


def _drop(item: Repaired, reason: str, skip: Collection[str]) -> None:
    if reason not in skip:
        item.dropped = reason


def _decoded(text: str) -> str:
    decoded = decode_literal(text)
    return text if decoded is None else decoded


def _apply(item: Repaired, name: str, change: Any) -> None:
    first, second = change(item.sentence1), change(item.sentence2)
    if (first, second) != (item.sentence1, item.sentence2):
        item.sentence1, item.sentence2 = first, second
        item.reasons.append(name)


def is_tokenised(split: Split) -> bool:
    """Whether most rows of a split have treebank tokens; a few odd spaces are no reason to touch a text."""
    found = sum(bool(ptb_kinds(first) or ptb_kinds(second)) for _, first, second in split.pairs)
    return share(found, len(split.rows)) >= TOKENISED


def _labels_by_id(path: PathLike) -> Dict[str, Optional[Label]]:
    return {row.id: row.label for row in Split("reference", path).readable if row.id}


def _pairs_of(paths: Collection[PathLike]) -> Set[Tuple[str, str]]:
    return {
        unordered(sentence_key(first), sentence_key(second))
        for path in paths
        for _, first, second in Split("", path).pairs
    }


@contextmanager
def _open_manifest(path: Optional[PathLike]) -> Iterator[IO[str]]:
    if path is None:
        yield io.StringIO()
        return
    with replacing(path) as beside, open(beside, "w", encoding="utf8", newline="\n", errors="surrogatepass") as lines:
        yield lines


def _check_names(skip: Collection[str]) -> None:
    known = [name for name in (*CHANGES, *DROPS) if name not in ALWAYS]
    for name in skip:
        if name not in known:
            raise PawsError(Errors.P148.format(what="repair", name=name, known=", ".join(known)))
