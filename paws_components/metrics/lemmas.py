"""The lemmas of Docs as small whole numbers, the same number for the same lemma."""

from itertools import islice
from typing import Dict

import numpy
from spacy.strings import StringStore

from .ld import is_word

# How many lemmas the table keeps before it starts afresh; a corpus has far fewer.
MOST = 1_000_000


class LemmaTable:
    """Numbers lemmas. A hash means the same text in every vocabulary, so the table outlives Docs and memory zones.

    variant (str): "paper" gives lemmas that differ in case one number, "released" does not.
    """

    def __init__(self, variant: str) -> None:
        self.uncased = variant == "paper"
        self.clear()

    def clear(self) -> None:
        self._hashes = numpy.zeros(1, dtype="uint64")  # sorted
        self._numbers = numpy.zeros(1, dtype="int64")  # of these hashes
        self._known: Dict[str, int] = {"": 0}
        self.words = numpy.zeros(1, dtype=bool)  # by number, whether the lemma has a letter or a digit

    def number(self, hashes: numpy.ndarray, strings: StringStore) -> numpy.ndarray:
        """The numbers of lemmas by their hashes."""
        if len(self._known) > MOST:
            self.clear()
        found = self._find(hashes)
        numbers = self._numbers[found]
        missing = self._hashes[found] != hashes
        if missing.any():
            new = hashes[missing]
            self._learn(numpy.unique(new), strings)
            numbers[missing] = self._numbers[self._find(new)]
        return numbers

    def _find(self, hashes: numpy.ndarray) -> numpy.ndarray:
        return numpy.minimum(numpy.searchsorted(self._hashes, hashes), len(self._hashes) - 1)

    def _learn(self, hashes: numpy.ndarray, strings: StringStore) -> None:
        lemmas = [strings[key] for key in hashes.tolist()]
        if self.uncased:
            lemmas = [lemma.lower() for lemma in lemmas]
        known = self._known
        numbers = [known.setdefault(lemma, len(known)) for lemma in lemmas]
        words = [lemma.isalnum() or is_word(lemma) for lemma in islice(known, len(self.words), None)]
        self.words = numpy.concatenate((self.words, numpy.array(words, dtype=bool)))
        every = numpy.concatenate((self._hashes, hashes))
        order = numpy.argsort(every)
        self._hashes = every[order]
        self._numbers = numpy.concatenate((self._numbers, numpy.array(numbers, dtype="int64")))[order]
