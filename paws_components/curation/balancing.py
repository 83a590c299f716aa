"""Label balancing as the PAWS paper has it (section 3.2, Figure 1): pairs of word swaps and pairs of back translations
become one set, with new pairs between the two. Every pair that goes in comes out, or is dropped for a reason."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random
from typing import Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..records import PairRecord
from .text import sentence_key

RECOMBINED, HUMAN = "recombined", "human"
# Why a pair is dropped. The first four are for labelled pairs, the others for those that come of them.
UNLABELLED, DUPLICATE, CONTRADICTION, IDENTICAL = "unlabelled", "duplicate", "contradiction", "identical_negative"
TWO_NEGATIVES, SAID, SPLIT_MIND = "two_negatives", "said_already", "derived_contradiction"
REASONS: Dict[str, str] = {
    UNLABELLED: "have no label",
    DUPLICATE: "are there already, with the same label",
    CONTRADICTION: "are there with both labels",
    IDENTICAL: "are of identical sentences, and labelled as no paraphrase",
    TWO_NEGATIVES: "recombined: more than one link is negative, so nobody knows the label",
    SAID: "recombined: the pair already exists",
    SPLIT_MIND: "recombined: two ways to the pair say both labels, or its sentences differ in punctuation alone",
}
Translations = Dict[str, List[PairRecord]]
# A pair without its order, as it is written.
Ends = FrozenSet[str]


class Drop(NamedTuple):
    """A pair that does not come, and why."""

    record: PairRecord
    reason: str


@dataclass
class Balanced:
    """What label balancing came to.

    pairs (List[PairRecord]): The set: back translations, swaps that have one, and what was recombined.
    auxiliary (List[PairRecord]): Swaps without a back translation: the paper's PAWS-Wiki-Swap.
    dropped (List[Drop]): Everything else. Labelled pairs in are labelled pairs out and these.
    """

    pairs: List[PairRecord] = field(default_factory=list)
    auxiliary: List[PairRecord] = field(default_factory=list)
    dropped: List[Drop] = field(default_factory=list)

    @property
    def recombined(self) -> int:
        return sum(pair.generator == RECOMBINED for pair in self.pairs)

    def counts(self) -> Dict[str, int]:
        """The pairs of each kind, and the drops by their reason."""
        return {
            "pairs": len(self.pairs),
            "recombined": self.recombined,
            "auxiliary": len(self.auxiliary),
            **{f"dropped_{why}": count for why, count in sorted(Counter(one.reason for one in self.dropped).items())},
        }


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


def balance(swaps: Iterable[PairRecord], back: Iterable[PairRecord]) -> Balanced:
    """Build a label-balanced set from labelled swaps (s1, s2) and labelled back translations (s1, s1') and (s2, s2').

    All back translations come, and the swaps that have one; of these also (s2, s1'), (s2', s1) and (s2', s1'), as far
    as their label is known. What a label was given to outranks what is recombined.

    swaps (Iterable[PairRecord]): Labelled pairs; the second sentence is made from the words of the first.
    back (Iterable[PairRecord]): Labelled pairs; the second sentence is the first one translated there and back.
    RETURNS (Balanced): The set, the auxiliary set, and what was dropped.
    """
    done = Balanced()
    swaps, back = _sound(list(swaps), list(back), done)
    translations = by_source(back)
    origins = {sentence_key(text): swap.source_id for swap in swaps for text in (swap.sentence1, swap.sentence2)}
    # What comes of a swap belongs to its source, also where it was translated by itself.
    back = [replace(pair, source_id=origins.get(sentence_key(pair.sentence1), pair.source_id)) for pair in back]
    with_back = [swap for swap in swaps if has_counterpart(swap, translations)]
    done.auxiliary = [swap for swap in swaps if not has_counterpart(swap, translations)]
    derived = list(chain.from_iterable(_derived(swap, translations) for swap in with_back))
    new = _new(derived, [*swaps, *back], done)
    done.pairs = _in_order(with_back, back, new)
    return done


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


def _sound(
    swaps: List[PairRecord], back: List[PairRecord], done: Balanced
) -> Tuple[List[PairRecord], List[PairRecord]]:
    """The labelled pairs that can stay: each once, with one label, in their order."""
    labels: Dict[Ends, set] = defaultdict(set)
    letters: Dict[Ends, set] = defaultdict(set)
    for pair in (*swaps, *back):
        if pair.label is not None:
            labels[_ends(pair)].add(pair.label)
            letters[_letters(pair)].add(pair.label)
    seen: set = set()

    def is_contradicted(pair: PairRecord) -> bool:
        # People may see a difference in a comma. A label that nobody looked at can't.
        return len(labels[_ends(pair)]) > 1 or (pair.label_source != HUMAN and len(letters[_letters(pair)]) > 1)

    def stays(pair: PairRecord) -> bool:
        ends = _ends(pair)
        why = None
        if pair.label is None:
            why = UNLABELLED
        elif is_contradicted(pair):
            why = CONTRADICTION
        elif len(ends) == 1 and pair.label == 0:
            why = IDENTICAL
        elif ends in seen:
            why = DUPLICATE
        if why is not None:
            done.dropped.append(Drop(pair, why))
            return False
        seen.add(ends)
        return True

    return [pair for pair in swaps if stays(pair)], [pair for pair in back if stays(pair)]


def _derived(swap: PairRecord, translations: Translations) -> Iterator[PairRecord]:
    """The pairs between a swap and its back translations, those of unknown label too."""
    first, second = (translations.get(sentence_key(text), []) for text in (swap.sentence1, swap.sentence2))
    for one in first:
        yield _joined(swap.sentence2, one.sentence2, (swap, one))
    for other in second:
        yield _joined(other.sentence2, swap.sentence1, (swap, other))
        for one in first:
            yield _joined(other.sentence2, one.sentence2, (swap, one, other))


def _new(derived: List[PairRecord], labelled: List[PairRecord], done: Balanced) -> List[PairRecord]:
    """The recombined pairs that say something new, and nothing against anything. Here case and punctuation make no
    difference: nobody looked at these pairs, so they must be beyond doubt."""
    given = {_letters(pair) for pair in labelled}
    labels: Dict[Ends, set] = defaultdict(set)
    for pair in derived:
        if pair.label is not None:
            labels[_letters(pair)].add(pair.label)
    kept = []
    for pair in derived:
        letters = _letters(pair)
        why = None
        if pair.label is None:
            why = TWO_NEGATIVES
        elif letters in given:
            why = SAID
        elif len(labels[letters]) > 1 or (len(letters) == 1 and pair.label == 0):
            why = SPLIT_MIND
        if why is not None:
            done.dropped.append(Drop(pair, why))
        else:
            given.add(letters)
            kept.append(pair)
    return kept


def _in_order(swaps: List[PairRecord], back: List[PairRecord], new: List[PairRecord]) -> List[PairRecord]:
    """Pairs of one source together, sources in the order in which they come."""
    groups: Dict[str, List[PairRecord]] = {}
    for pair in (*swaps, *back, *new):
        groups.setdefault(pair.source_id, []).append(pair)
    return list(chain.from_iterable(groups.values()))


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


def _ends(pair: PairRecord) -> Ends:
    return frozenset((pair.sentence1, pair.sentence2))


def _letters(pair: PairRecord) -> Ends:
    return frozenset((sentence_key(pair.sentence1), sentence_key(pair.sentence2)))
