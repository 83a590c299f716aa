"""Checks on the sentences of one split."""

from collections import Counter, defaultdict
from typing import Dict, List, Set, Tuple

from ..readers.labels import Label, count_labels
from ..readers.row import Row, decode_literal, plain
from .findings import ERROR, INFO, WARNING, Finding, Split, share
from .text import bag, is_placeholder, pair_key, ptb_kinds

# From this share of rows on, a text counts as tokenised and not as one with a few odd spaces.
TOKENISED = 0.5
# From so many couples of rows with one sentence, and this share of them on the same side, sides are not left to chance.
ONE_SIDED_COUPLES, ONE_SIDED = 20, 0.9
# A sentence this much shorter than its partner is hardly one.
LOPSIDED = 10


def empty_sentences(split: Split) -> List[Finding]:
    """Rows with a sentence that is not there."""
    rows = [row for row in split.readable if not plain(row.sentence1) or not plain(row.sentence2)]
    return split.finding("empty_sentences", ERROR, rows, "{count} of {total} rows have an empty sentence.")


def placeholders(split: Split) -> List[Finding]:
    """Rows whose text only says that there is none, such as PAWS-X's `NS`."""
    rows = [row for row in split.readable if is_placeholder(row.sentence1) or is_placeholder(row.sentence2)]
    labels = count_labels(row.label for row in rows)
    message = "{count} of {total} rows have a placeholder for a sentence; their labels: "
    message += ", ".join(f"{label} ({number})" for label, number in labels.items()) + "."
    return split.finding("placeholders", ERROR, rows, message, labels=labels)


def bytes_literals(split: Split) -> List[Finding]:
    """Rows whose text is written as a Python bytes literal."""
    rows = [
        row
        for row in split.readable
        if decode_literal(row.sentence1) is not None or decode_literal(row.sentence2) is not None
    ]
    return split.finding("bytes_literals", ERROR, rows, "{count} of {total} rows hold text written as b'...'.")


def ptb_tokens(split: Split) -> List[Finding]:
    """Rows with tokens in place of text: spaces before punctuation, `` and '' for quotes, -LRB- for brackets."""
    kinds: Counter = Counter()
    rows = []
    for row, first, second in split.pairs:
        found = {*ptb_kinds(first), *ptb_kinds(second)}
        kinds.update(found)
        if found:
            rows.append(row)
    level = WARNING if share(len(rows), len(split.rows)) >= TOKENISED else INFO
    message = "{count} of {total} rows have treebank tokens: "
    message += ", ".join(f"{kind} {number:,}" for kind, number in kinds.most_common()) + "."
    return split.finding("ptb_tokens", level, rows, message, kinds=dict(kinds.most_common()))


def lopsided_pairs(split: Split) -> List[Finding]:
    """Rows with one sentence many times as long as the other: often a stub or a cut-off."""
    rows = [
        row
        for row, first, second in split.pairs
        if max(len(first), len(second)) > LOPSIDED * min(len(first), len(second))
    ]
    message = f"{{count}} of {{total}} rows have one sentence more than {LOPSIDED} times as long as the other."
    return split.finding("lopsided_pairs", INFO, rows, message)


def identical_pairs(split: Split) -> List[Finding]:
    """Pairs of one sentence with itself. PAWS keeps them in train and has none in dev and test (footnote 6)."""
    rows = [row for row, first, second in split.pairs if first == second]
    case = sum(first != second and first.casefold() == second.casefold() for _, first, second in split.pairs)
    labels = count_labels(row.label for row in rows)
    message = "{count} of {total} pairs are of identical sentences; their labels: "
    message += ", ".join(f"{label} ({number})" for label, number in labels.items()) + "."
    if case:
        message += f" {case:,} more differ only in case."
    level = INFO if split.is_train else WARNING
    return split.finding("identical_pairs", level, rows, message, labels=labels, case_alone=case)


def identical_not_paraphrase(split: Split) -> List[Finding]:
    """Identical sentences with a label that says they do not mean the same."""
    wrong = (0, "neutral", "contradiction")
    rows = [row for row, first, second in split.pairs if first == second and row.label in wrong]
    message = "{count} pairs of identical sentences are labelled as no paraphrase."
    return split.finding("identical_not_paraphrase", ERROR, rows, message)


def by_pair(split: Split) -> Dict[Tuple[str, str], List[Row]]:
    """The rows of each pair, the sides in either order where the label allows it."""
    groups: Dict[Tuple[str, str], List[Row]] = defaultdict(list)
    for row, first, second in split.pairs:
        groups[pair_key(row.label, first, second)].append(row)
    return groups


def duplicate_pairs(split: Split) -> List[Finding]:
    """Rows that repeat a pair, perhaps with its sides swapped. The first of each is not counted."""
    rows: List[Row] = []
    swapped = 0
    for group in by_pair(split).values():
        rows += group[1:]
        swapped += sum(plain(row.sentence1) != plain(group[0].sentence1) for row in group[1:])
    rows.sort(key=lambda row: row.number)
    message = f"{{count}} of {{total}} rows repeat an earlier pair, {swapped:,} of them with its sides swapped."
    return split.finding("duplicate_pairs", WARNING, rows, message, swapped=swapped)


def contradictory_pairs(split: Split) -> List[Finding]:
    """Rows of a pair that has one label here and another there."""
    rows: List[Row] = []
    pairs = 0
    for group in by_pair(split).values():
        labels: Set[Label] = {row.label for row in group if row.label is not None}
        if len(labels) > 1:
            pairs += 1
            rows += group
    rows.sort(key=lambda row: row.number)
    message = f"{{count}} of {{total}} rows belong to {pairs:,} pairs that have more than one label."
    return split.finding("contradictory_pairs", ERROR, rows, message, pairs=pairs)


def fixed_sides(split: Split) -> List[Finding]:
    """Sentences that stand in several rows, and always on one side: there the side tells which is the source. PAWS
    flips the sides at random (section 4), after which two rows of a sentence have it on one side half of the time."""
    sides: Dict[str, List[int]] = defaultdict(lambda: [0, 0])
    pairs = [one for one in split.pairs if one[1] != one[2] and not isinstance(one[0].label, str)]
    for _, first, second in pairs:
        sides[first][0] += 1
        sides[second][1] += 1
    same = sum(left * (left - 1) // 2 + right * (right - 1) // 2 for left, right in sides.values())
    couples = same + sum(left * right for left, right in sides.values())
    if couples < ONE_SIDED_COUPLES or share(same, couples) < ONE_SIDED:
        return []
    message = f"{{count}} of {{total}} rows have a sentence of another row, and {100 * same / couples:.0f} % of such "
    message += "couples have it on the same side, which reveals the source. `paws build` flips sides at random."
    rows = [row for row, first, second in pairs if sum(sides[first]) > 1 or sum(sides[second]) > 1]
    return split.finding("fixed_sides", INFO, rows, message, couples=couples, same_side=same)


def same_bow(split: Split) -> List[Finding]:
    """The share of pairs with the same words in another order, by label: what a bag of words cannot tell apart."""
    totals: Counter = Counter()
    same: Counter = Counter()
    rows = []
    for row, first, second in split.pairs:
        label = "none" if row.label is None else str(row.label)
        totals[label] += 1
        if bag(first) == bag(second):
            same[label] += 1
            rows.append(row)
    shares = {label: share(same[label], totals[label]) for label in sorted(totals)}
    message = "{count} of {total} pairs have the same words, by label: "
    message += ", ".join(f"{label} {100 * value:.1f} %" for label, value in shares.items()) + "."
    return split.finding("same_bow", INFO, rows, message, shares=shares)
