"""Label balancing as the PAWS paper has it (section 3.2): pairs of word swaps and pairs of back translations become one
set, with new pairs between the two."""

from dataclasses import replace
from itertools import chain
from random import Random
from typing import Dict, FrozenSet, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ..records import PairRecord
from .text import sentence_key

RECOMBINED = "recombined"
Translations = Dict[str, List[PairRecord]]


def combined_label(labels: Iterable[Optional[int]]) -> Optional[int]:
    """The label of the two ends of a chain of labelled pairs: a paraphrase if all of them are, none if exactly one is
    not, and unknown where two are not or one has no label."""
    known = list(labels)
    if None in known or known.count(0) > 1:
        return None
    return 1 - known.count(0)


def by_source(back: Iterable[PairRecord]) -> Translations:
    """The pairs of a sentence and its back translation, by that sentence."""
    found: Translations = {}
    for pair in back:
        found.setdefault(sentence_key(pair.sentence1), []).append(pair)
    return found


def has_counterpart(swap: PairRecord, translations: Translations) -> bool:
    """Whether a sentence of a swapped pair has a back translation. Those without are PAWS's auxiliary set."""
    return any(sentence_key(text) in translations for text in (swap.sentence1, swap.sentence2))


def recombine(swaps: Iterable[PairRecord], back: Iterable[PairRecord]) -> List[PairRecord]:
    """Build a label-balanced set from swapped pairs (s1, s2) and their back translations (s1, s1') and (s2, s2').

    Of a swap with a counterpart come the swap, its back translations, and (s2, s1'), (s2', s1) and (s2', s1') as far as
    their label is known. A swap without one does not come. Nor does a pair of which both labels are said, such as that
    of a swap that is a back translation as well, nor one of sentences that are equal but for case and punctuation.

    swaps (Iterable[PairRecord]): Labelled pairs; the second sentence is made from the words of the first.
    back (Iterable[PairRecord]): Labelled pairs; the second sentence is the first one translated there and back.
    RETURNS (List[PairRecord]): The pairs, each once, those that come of a swap together.
    """
    translations = by_source(back)
    groups = [list(_expanded(swap, translations)) for swap in swaps if has_counterpart(swap, translations)]
    said: Dict[FrozenSet[str], Set[int]] = {}
    for pair in chain.from_iterable(groups):
        if pair.label is not None:
            said.setdefault(_ends(pair), set()).add(pair.label)
    kept = []
    for pair in chain.from_iterable(groups):
        # What was taken is forgotten, so that it comes once.
        if len(_ends(pair)) == 2 and pair.label is not None and len(said.pop(_ends(pair), ())) == 1:
            kept.append(pair)
    return kept


def thin_out(pairs: Sequence[PairRecord], share: float, seed: int = 0) -> List[PairRecord]:
    """Draw as many non-paraphrases as leave a given share of paraphrases, where there are too many of them.

    pairs (Sequence[PairRecord]): The pairs.
    share (float): The share of paraphrases that is wanted, at the least; 0 keeps all.
    seed (int): The seed of the draw.
    RETURNS (List[PairRecord]): All paraphrases and the other pairs that were drawn, in their order.
    """
    others = [i for i, pair in enumerate(pairs) if pair.label != 1]
    room = int((len(pairs) - len(others)) * (1 - share) / share) if share else len(others)
    left = set(others if room >= len(others) else Random(seed).sample(others, room))
    return [pair for i, pair in enumerate(pairs) if pair.label == 1 or i in left]


def _expanded(swap: PairRecord, translations: Translations) -> Iterator[PairRecord]:
    """All pairs that come of a swap, the unknown ones too."""
    first, second = (translations.get(sentence_key(text), []) for text in (swap.sentence1, swap.sentence2))
    yield swap
    yield from (replace(pair, source_id=swap.source_id) for pair in (*first, *second))
    for one in first:
        yield _joined(swap.sentence2, one.sentence2, (swap, one))
    for other in second:
        yield _joined(other.sentence2, swap.sentence1, (swap, other))
        for one in first:
            yield _joined(other.sentence2, one.sentence2, (swap, one, other))


def _joined(sentence1: str, sentence2: str, links: Tuple[PairRecord, ...]) -> PairRecord:
    sources = {link.label_source for link in links}
    return PairRecord(
        sentence1,
        sentence2,
        label=combined_label(link.label for link in links),
        label_source=sources.pop() if len(sources) == 1 else None,
        generator=RECOMBINED,
        source_id=links[0].source_id,
        evidence={"from": [link.id for link in links]},
    )


def _ends(pair: PairRecord) -> FrozenSet[str]:
    return frozenset((sentence_key(pair.sentence1), sentence_key(pair.sentence2)))
