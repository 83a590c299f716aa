"""Checks on the labels, ids and scores of one split."""

from collections import Counter, defaultdict
from typing import Dict, List, Optional, Set, Tuple

from ..readers.labels import count_labels, label_problem
from ..readers.labels import encoding as label_kind
from ..readers.row import plain
from ..records import NLI
from .findings import ERROR, INFO, WARNING, Finding, Split, counted, share

# Under this share of the rarest label, always answering the other one looks good.
IMBALANCED = 0.1
# APT pays nothing for an attempt that BLEURT finds more alike than this.
BLEURT_LIMIT = 0.5


def _with_problem(split: Split, check: str, level: str, problem: str, message: str) -> List[Finding]:
    if not split.is_labelled:
        return []
    rows = [row for row in split.readable if label_problem(row.written, split.layout.scheme) == problem]
    return split.finding(check, level, rows, message, written=counted(row.written.strip() for row in rows))


def labels_missing(split: Split) -> List[Finding]:
    """Rows whose label is empty."""
    return _with_problem(split, "labels_missing", ERROR, "missing", "{count} of {total} rows have an empty label.")


def labels_unknown(split: Split) -> List[Finding]:
    """Rows whose label is none that the layout knows."""
    message = "{count} of {total} rows have a label that the layout does not know."
    return _with_problem(split, "labels_unknown", ERROR, "unknown", message)


def labels_undecided(split: Split) -> List[Finding]:
    """Rows on which the raters were divided, and which are dropped by those who published them."""
    message = "{count} of {total} rows are undecided and mean neither label."
    return _with_problem(split, "labels_undecided", WARNING, "undecided", message)


def label_encoding(split: Split) -> List[Finding]:
    """Labels that are not written 0 and 1, or as the three words of natural language inference."""
    if not split.is_labelled:
        return []
    rows = [row for row in split.readable if row.written.strip() and label_kind(row.written) != "plain"]
    nli = any(row.label in NLI for row in rows)
    if nli and split.layout.scheme.get("0") == NLI[0]:
        # In a file with the digits 0, 1 and 2, the first two are not plain labels either.
        rows = [row for row in split.readable if row.written.strip()]
    kinds = counted(label_kind(row.written) if not nli else "nli" for row in rows)
    means = {row.written.strip(): row.label for row in rows}
    message = "{count} of {total} labels need reading: "
    message += ", ".join(f"{text} is {'dropped' if means[text] is None else means[text]}" for text in sorted(means)[:8])
    return split.finding("label_encoding", WARNING, rows, message + ".", kinds=kinds, means=means)


def imbalance(split: Split) -> List[Finding]:
    """How the labels are shared out."""
    counts = count_labels(row.label for row in split.readable if row.label is not None)
    total = sum(counts.values())
    if not total:
        return []
    classes = NLI if set(counts) & set(NLI) else ("0", "1")
    shares = {label: share(counts.get(label, 0), total) for label in classes}
    level = WARNING if min(shares.values()) < IMBALANCED else INFO
    message = "The labels: " + ", ".join(f"{label} {100 * value:.1f} %" for label, value in shares.items()) + "."
    most = max(counts.values())
    return [Finding("imbalance", level, split.name, most, [], message, {"labels": counts, "shares": shares})]


def duplicate_ids(split: Split) -> List[Finding]:
    """Rows with an id that an earlier row has."""
    seen: Set[str] = set()
    rows = []
    for row in split.readable:
        if row.id and row.id in seen:
            rows.append(row)
        seen.add(row.id)
    return split.finding("duplicate_ids", WARNING, rows, "{count} of {total} rows have the id of an earlier row.")


def source_ids(split: Split) -> List[Finding]:
    """Source sentences that stand under several ids: unique ones must be counted by their text."""
    if not split.layout.source:
        return []
    ids: Dict[str, Set[Tuple[Optional[str], ...]]] = defaultdict(set)
    texts: Dict[Tuple[Optional[str], ...], Set[str]] = defaultdict(set)
    for row in split.readable:
        ident = tuple(row.columns.get(name) for name in split.layout.source)
        ids[plain(row.sentence1)].add(ident)
        texts[ident].add(plain(row.sentence1))
    several = {text for text, found in ids.items() if len(found) > 1}
    rows = [row for row in split.readable if plain(row.sentence1) in several]
    mixed = sum(len(found) > 1 for found in texts.values())
    message = (
        f"{{count}} source sentences have several ids, and {mixed:,} ids several sentences: there are "
        f"{len(ids):,} sentences and {len(texts):,} ids."
    )
    details = {"sentences": len(ids), "ids": len(texts), "mixed_ids": mixed}
    return split.finding("source_ids", WARNING, rows, message, len(several), **details)


def unrewarded(split: Split) -> List[Finding]:
    """Attempts that were judged a paraphrase and earned nothing: the reward stops where the equation does not."""
    if not {"BLEURT", "dollar"} <= set(split.layout.extra):
        return []
    scored = [(row, _number(row.columns.get("BLEURT")), _number(row.columns.get("dollar"))) for row in split.readable]
    counts: Counter = Counter()
    rows = []
    for row, bleurt, dollar in scored:
        above = bleurt is not None and bleurt > BLEURT_LIMIT
        paid = dollar is not None and dollar > 0
        counts["rewarded"] += paid
        counts["rewarded_above_limit"] += paid and above
        if row.label == 1 and not paid:
            rows.append(row)
            counts["above_limit"] += above
    message = (
        f"{{count}} of {{total}} attempts were judged a paraphrase and have no reward, {counts['above_limit']:,} of "
        f"them above BLEURT {BLEURT_LIMIT}; {counts['rewarded']:,} attempts have one."
    )
    return split.finding("unrewarded", INFO, rows, message, **counts)


def _number(text: Optional[str]) -> Optional[float]:
    try:
        return float(text or "")
    except ValueError:
        return None
