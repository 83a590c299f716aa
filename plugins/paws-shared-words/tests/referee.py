"""A small world without models, and a search in it that leaves nothing out."""

import hashlib
from typing import Dict, List, Sequence, Tuple

import spacy
from spacy.tokens import Doc

from paws_components.records import PairRecord
from paws_shared_words.examples import Example
from paws_shared_words.positions import replaceable_positions
from paws_shared_words.search import Settings
from paws_shared_words.sentences import Pair, Sentence
from paws_shared_words.substitutes import Question

VOCAB = spacy.blank("en").vocab
TAGS: Dict[str, str] = {
    **dict.fromkeys(["dog", "river", "house"], "NN"),
    "Paris": "NNP",
    **dict.fromkeys(["sees", "sold"], "VBD"),
    **dict.fromkeys(["old", "red"], "JJ"),
    **dict.fromkeys(["the", "of"], "DT"),
    "quickly": "RB",
}
STOP_WORDS = frozenset(["the", "of"])
NEW = ["cat", "sea", "town", "book", "hill"]


def number(*parts: object) -> float:
    """A number from 0 to 1 that depends on nothing but what it is given."""
    digest = hashlib.blake2b(repr(parts).encode("utf8"), digest_size=6).digest()
    return int.from_bytes(digest, "big") / 2**48


class NumberTarget:
    """Answers at random, but always the same. Sentences that were not blanked are answered within a range.

    low (float), high (float): The range.
    """

    blank = "[PAD]"

    def __init__(self, seed: int = 0, low: float = 0.0, high: float = 1.0) -> None:
        self.seed, self.low, self.high = seed, low, high
        self.calls: List[List[Pair]] = []

    def __call__(self, pairs: Sequence[Pair]) -> List[float]:
        self.calls.append(list(pairs))
        width = self.high - self.low
        return [self.low + width * number(self.seed, first.words, second.words) for first, second in pairs]

    @property
    def asked(self) -> List[Pair]:
        return [pair for call in self.calls for pair in call]


class NumberSubstitutes:
    """Ranks a few words at random by the words around both positions."""

    def __init__(self, seed: int = 0, words: Sequence[str] = NEW) -> None:
        self.seed, self.words = seed, words
        self.calls: List[List[Question]] = []

    def __call__(self, questions: Sequence[Question], top_k: int) -> List[List[str]]:
        self.calls.append(list(questions))
        return [
            sorted(self.words, key=lambda word: number(self.seed, question, word))[:top_k] for question in questions
        ]


def make_example(first: Sequence[str], second: Sequence[str], label: int) -> Example:
    """An example of words whose tags are known, by the rules themselves."""
    docs = [Doc(VOCAB, words=list(words), tags=[TAGS[word] for word in words]) for words in (first, second)]
    positions = replaceable_positions(list(docs[0]), list(docs[1]), label, STOP_WORDS)
    sentences = [Sentence.of(doc) for doc in docs]
    record = PairRecord(sentences[0].text, sentences[1].text, label=label)
    return Example(sentences[0], sentences[1], label, tuple(positions), record)


def exhaustive(
    example: Example, target: NumberTarget, substitutes: NumberSubstitutes, settings: Settings
) -> Tuple[float, bool]:
    """The lowest score of the gold label that any modification has, and whether the target fails there. Like the search
    it stops after the first step in which the target fails."""
    best, fails = 2.0, False
    reached = {(example.pair, frozenset(), frozenset())}
    for _ in range(settings.steps):
        further = set()
        for (first, second), used, used_too in reached:
            for i, j in example.positions:
                if i not in used and j not in used_too:
                    for word in substitutes([Question(first, i, second, j)], settings.top_k)[0]:
                        pair = (first.with_word(i, word), second.with_word(j, word))
                        further.add((pair, used | {i}, used_too | {j}))
        for pair, _, _ in further:
            [probability] = target([pair])
            score = probability if example.label else 1 - probability
            if score < best:
                best, fails = score, (probability > 0.5) != bool(example.label)
        if fails or not further:
            break
        reached = further
    return best, fails
