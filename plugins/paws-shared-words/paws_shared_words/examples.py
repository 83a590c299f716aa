"""The examples that are attacked (section 3.2): sampled from a corpus, cut into words, with what may be replaced."""

import random
from dataclasses import dataclass
from typing import Collection, List, Sequence, Tuple

from spacy.language import Language

from paws_components.plugin import PairRecord, PawsError, normalise

from .errors import Errors
from .positions import PositionPair, replaceable_positions
from .sentences import Pair, Sentence

# How often a second pair is drawn for a negative example before it is clear that there is none.
DRAWS = 1000


@dataclass(frozen=True)
class Example:
    """A pair to attack.

    first, second (Sentence): Its sentences.
    label (int): 1 for a paraphrase, 0 for none.
    positions (Tuple[PositionPair, ...]): The pairs of positions, one in each sentence, that may be replaced.
    record (PairRecord): The pair as it was sampled.
    """

    first: Sentence
    second: Sentence
    label: int
    positions: Tuple[PositionPair, ...]
    record: PairRecord

    @property
    def pair(self) -> Pair:
        return self.first, self.second


def sample_examples(pairs: Sequence[PairRecord], positives: int, negatives: int, seed: int) -> List[PairRecord]:
    """Sample pairs to attack: positives as they are, negatives from two different pairs.

    pairs (Sequence[PairRecord]): The corpus; pairs with the label 1 can become positives, all of them negatives.
    positives (int), negatives (int): How many of each.
    seed (int): Of the draws. The positives do not depend on how many negatives there are, nor the other way round.
    RETURNS (List[PairRecord]): The positives, each pair once at most, then the negatives; no two are the same.
    """
    return [*_positives(pairs, positives, seed), *_negatives(pairs, negatives, seed)]


def _positives(pairs: Sequence[PairRecord], count: int, seed: int) -> List[PairRecord]:
    found = [pair for pair in pairs if pair.label == 1]
    if len(found) < count:
        raise PawsError(Errors.S001.format(what="positives", there=len(found), wanted=count))
    # A negative count would be an error of random's own.
    return random.Random(f"{seed} positives").sample(found, max(0, count))


def _negatives(pairs: Sequence[PairRecord], count: int, seed: int) -> List[PairRecord]:
    """(P1, Q2) of two pairs (P1, Q1) and (P2, Q2). What stands in the corpus as a pair, in either order, is none."""
    if count < 1:
        return []
    if len(pairs) < 2:
        raise PawsError(Errors.S001.format(what="negatives", there=0, wanted=count))
    chance = random.Random(f"{seed} negatives")
    taken = {(_key(pair.sentence1), _key(pair.sentence2)) for pair in pairs}
    taken |= {(two, one) for one, two in taken}
    made: List[PairRecord] = []
    while len(made) < count:
        for _ in range(DRAWS):
            one, two = chance.sample(range(len(pairs)), 2)
            first, second = pairs[one], pairs[two]
            key = (_key(first.sentence1), _key(second.sentence2))
            if key[0] != key[1] and key not in taken:
                break
        else:
            raise PawsError(Errors.S001.format(what="negatives", there=len(made), wanted=count))
        taken.add(key)
        made.append(
            PairRecord(
                first.sentence1,
                second.sentence2,
                label=0,
                label_source="rule",
                source_id=first.source_id,
                evidence={"pair_ids": [first.id, second.id]},
            )
        )
    return made


def _key(text: str) -> str:
    return normalise(text).casefold()


def prepare_examples(records: Sequence[PairRecord], nlp: Language, stop_words: Collection[str]) -> List[Example]:
    """Cut pairs into words, tag them, and find the positions that may be replaced.

    records (Sequence[PairRecord]): Pairs with the label 1 or 0.
    nlp (Language): A pipeline with a tagger. Each sentence goes through it by itself.
    stop_words (Collection[str]): Words, in lower case, that are never replaced.
    RETURNS (List[Example]): One for each pair.
    """
    texts = [normalise(text) for record in records for text in (record.sentence1, record.sentence2)]
    examples = []
    with nlp.memory_zone():
        docs = nlp.pipe(texts)
        for record, first, second in zip(records, docs, docs):
            if record.label not in (0, 1):
                raise PawsError(Errors.S002.format(label=record.label, text=record.sentence1))
            positions = replaceable_positions(list(first), list(second), record.label, stop_words)
            sentences = Sentence.of(first), Sentence.of(second)
            examples.append(Example(*sentences, record.label, tuple(positions), record))
    return examples
