"""Checks of several splits against each other. Of two, the smaller is the one whose rows are counted."""

from functools import cached_property
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from ..readers.labels import Label
from ..readers.row import Row
from .findings import ERROR, EXAMPLES, INFO, WARNING, Finding, Split
from .text import folded, is_placeholder, pair_key, sentence_key, unordered

# So many shared pairs are needed, and so large a share of them with another label, to speak of inverted labels.
INVERTED_PAIRS, INVERTED_SHARE = 10, 0.9


class Index:
    """The sentences and pairs of a split, to look those of another split up in."""

    def __init__(self, split: Split) -> None:
        self.split = split

    @cached_property
    def folded(self) -> Set[str]:
        return {folded(text) for _, first, second in self.split.pairs for text in (first, second)}

    @cached_property
    def keys(self) -> List[Tuple[Row, str, str]]:
        return [(row, sentence_key(first), sentence_key(second)) for row, first, second in self.split.pairs]

    @cached_property
    def letters(self) -> Set[str]:
        return {key for _, first, second in self.keys for key in (first, second)}

    @cached_property
    def pairs(self) -> Set[Tuple[str, str]]:
        return {unordered(first, second) for _, first, second in self.keys}

    @cached_property
    def labels(self) -> Dict[Tuple[str, str], Optional[Label]]:
        """The label of each pair; None where it has none, or two that differ."""
        found: Dict[Tuple[str, str], Optional[Label]] = {}
        for row, first, second in self.keys:
            key = pair_key(row.label, first, second)
            found[key] = row.label if found.get(key, row.label) == row.label else None
        return found


def _index(split: Split) -> Index:
    return split.cache.setdefault("index", Index(split))


def _couples(splits: List[Split]) -> Iterator[Tuple[Index, Index]]:
    """Every two splits, the larger first: the smaller one is what is held out, or what was taken from the other."""
    for i, one in enumerate(splits):
        for other in splits[:i]:
            larger, smaller = (one, other) if len(one.rows) > len(other.rows) else (other, one)
            yield _index(larger), _index(smaller)


def _found(check: str, level: str, small: Index, rows: List[Row], message: str, large: Index, **details: Any) -> List:
    return small.split.finding(
        check, level, rows, message.replace("{other}", large.split.name), other=large.split.name, **details
    )


def shared_pairs(splits: List[Split]) -> List[Finding]:
    """Rows whose pair is also a row of another split, in either order, whatever the tokenisation."""
    findings: List[Finding] = []
    for large, small in _couples(splits):
        rows = [row for row, first, second in small.keys if unordered(first, second) in large.pairs]
        same = {row.id: row for row in large.split.rows if row.id}
        ids = sum(row.id in same for row in rows)
        message = "{count} of {total} pairs are also in {other}: training on one leaks into the other."
        findings += _found("shared_pairs", ERROR, small, rows, message, large, same_id=ids)
    return findings


def shared_sentences(splits: List[Split]) -> List[Finding]:
    """Distinct sentences that are also in another split, case and white space aside."""
    findings: List[Finding] = []
    for large, small in _couples(splits):
        shared = small.folded & large.folded
        if shared:
            distinct = len(small.folded)
            message = f"{len(shared):,} of {distinct:,} distinct sentences are also in {large.split.name}."
            details = {"other": large.split.name, "distinct": distinct}
            some = sorted(shared)[:EXAMPLES]
            name = small.split.name
            findings.append(Finding("shared_sentences", WARNING, name, len(shared), some, message, details))
    return findings


def shared_rows(splits: List[Split]) -> List[Finding]:
    """Rows with a sentence that is also in another split, whatever the tokenisation, case and punctuation."""
    findings: List[Finding] = []
    for large, small in _couples(splits):
        rows = [row for row, first, second in small.keys if first in large.letters or second in large.letters]
        message = "{count} of {total} rows share a sentence with {other}, compared by letters and digits."
        findings += _found("shared_rows", WARNING, small, rows, message, large)
    return findings


def _disagreeing(large: Index, small: Index) -> Tuple[List[Row], int, Set[Label]]:
    """The rows whose pair has another label in the other split; of all labelled in both, how many and which labels."""
    rows: List[Row] = []
    labels: Set[Label] = set()
    both = 0
    for row, first, second in small.keys:
        other = large.labels.get(pair_key(row.label, first, second))
        # 0 and "contradiction" are answers to different questions.
        if other is not None and row.label is not None and isinstance(other, int) == isinstance(row.label, int):
            both += 1
            labels.add(row.label)
            if other != row.label:
                rows.append(row)
    return rows, both, labels


def contradictory_across(splits: List[Split]) -> List[Finding]:
    """Rows whose pair has another label in another split."""
    findings: List[Finding] = []
    for large, small in _couples(splits):
        rows, both, _ = _disagreeing(large, small)
        message = f"{{count}} of {both:,} pairs that are also in {{other}} have another label there."
        findings += _found("contradictory_across", ERROR, small, rows, message, large, shared=both)
    return findings


def inverted_labels(splits: List[Split]) -> List[Finding]:
    """A split whose labels mean the opposite of another's."""
    findings: List[Finding] = []
    for large, small in _couples(splits):
        rows, both, labels = _disagreeing(large, small)
        # A file of one label only, such as APT's failed attempts, contradicts without being inverted.
        if len(labels) > 1 and both >= INVERTED_PAIRS and len(rows) >= INVERTED_SHARE * both:
            message = (
                f"The labels look inverted: {{count}} of {both:,} pairs shared with {{other}} have the other label."
            )
            findings += _found("inverted_labels", ERROR, small, rows, message, large, shared=both)
    return findings


def find_reference(split: Split, splits: List[Split], reference: Optional[str]) -> Optional[Split]:
    """The split that a split's labels are compared with: the one named, else the English one beside it.

    PAWS-X has a folder a language with the same file in each, and was translated from `en`.
    """
    for other in splits:
        if other is split:
            continue
        beside = split.path.parent.parent / "en" / split.path.name
        if other.name == reference or (reference is None and Path(other.path) == beside):
            return other
    return None


def label_reference(splits: List[Split], reference: Optional[str] = None) -> List[Finding]:
    """Rows whose label differs from that of the row with the same id in the reference split."""
    findings: List[Finding] = []
    for split in splits:
        other = find_reference(split, splits, reference)
        if other is None:
            continue
        labels = {row.id: row.label for row in other.readable if row.id}
        rows = [row for row in split.readable if row.id in labels and labels[row.id] != row.label]
        empty = sum(is_placeholder(row.sentence1) or is_placeholder(row.sentence2) for row in rows)
        message = f"{{count}} of {{total}} labels differ from {other.name}'s with the same id"
        message += f"; {empty:,} of them are beside a placeholder." if empty else "."
        findings += split.finding("label_reference", ERROR, rows, message, other=other.name, placeholders=empty)
    return findings


def mixed_line_endings(splits: List[Split]) -> List[Finding]:
    """Splits of which some end their lines in CRLF and some in LF."""
    crlf = [split.name for split in splits if split.facts.crlf]
    rest = [split.name for split in splits if split.facts.lf and not split.facts.crlf]
    if not crlf or not rest:
        return []
    message = f"CRLF in {', '.join(crlf)}; LF in {len(rest)} other splits." if len(rest) > 3 else ""
    message = message or f"CRLF in {', '.join(crlf)}; LF in {', '.join(rest)}."
    details = {"crlf": crlf, "lf": rest}
    return [Finding("mixed_line_endings", INFO, crlf[0], len(crlf), [], message, details)]
