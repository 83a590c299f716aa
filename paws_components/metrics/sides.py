"""What metrics read of pairs, computed once for all of them: texts, words, lemmas."""

from functools import cached_property
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

import numpy
from spacy.attrs import LEMMA, LOWER, ORTH  # type: ignore[import-not-found]
from spacy.tokens import Doc

from ..errors import Errors, PawsError
from ..lang import rules_of
from .batch import deviations
from .index import Index, index_words
from .lemmas import LemmaTable


class Side(NamedTuple):
    """One sentence of a pair: a Doc, or a part of one. Plainer than a Span, and so faster to make."""

    doc: Doc
    start: int
    end: int

    @property
    def text(self) -> str:
        return str(self.doc[self.start : self.end].text)


Sides = Sequence[Tuple[Side, Side]]


class Words(Sequence[str]):
    """The lower-cased words of a sentence. They are spelled out when somebody looks at them.

    side (Side): The sentence.
    """

    def __init__(self, side: Side) -> None:
        # Hashes will do for most: all that matters is which words are the same.
        self.hashes: List[int] = side.doc.to_array(LOWER)[side.start : side.end].tolist()
        self.strings = side.doc.vocab.strings

    def __len__(self) -> int:
        return len(self.hashes)

    def __getitem__(self, i: Any) -> Any:
        return [self.strings[key] for key in self.hashes[i]] if isinstance(i, slice) else self.strings[self.hashes[i]]

    @cached_property
    def places(self) -> Index:
        """Where each word stands, by its hash."""
        return index_words(self.hashes)


class LemmaPairs(Sequence[Tuple[List[str], List[str]]]):
    """The lemmas of pairs. They are spelled out when somebody looks at them; WPD and LD are computed without.

    sides (Sequence[Tuple[Side, Side]]): The pairs.
    tables (Dict[str, LemmaTable]): The numbers of lemmas, by variant; they outlive a batch.
    """

    def __init__(self, sides: Sides, tables: Dict[str, LemmaTable]) -> None:
        self.sides = sides
        self.tables = tables
        self._hashes = [doc.to_array(LEMMA)[start:end] for pair in sides for doc, start, end in pair]
        self._found: Dict[str, Tuple[List[float], List[float]]] = {}
        # A token that no lemmatizer has seen has 0. Some lemmatizers leave out one or the other, none all of them.
        for i, part in enumerate(self._hashes):
            if len(part) and not part.any():
                doc, start, end = sides[i // 2][i % 2]
                if not rules_of(doc.lang_).bare_lemmas:
                    raise PawsError(Errors.P102.format())
                self._hashes[i] = doc.to_array(ORTH)[start:end]

    def __len__(self) -> int:
        return len(self.sides)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        strings = self.sides[i][0].doc.vocab.strings
        one, two = ([strings[key] for key in self._hashes[2 * i + k].tolist()] for k in (0, 1))
        return one, two

    def deviations(self, variant: str) -> Tuple[List[float], List[float]]:
        """The WPD of each pair, and the LD."""
        if variant not in self._found:
            table = self.tables.setdefault(variant, LemmaTable(variant))
            wpds: List[float] = []
            lds: List[float] = []
            if self.sides:
                numbers = table.number(numpy.concatenate(self._hashes), self.sides[0][0].doc.vocab.strings)
                lengths = numpy.array([len(part) for part in self._hashes], dtype="int64")
                wpds, lds = (column.tolist() for column in deviations(numbers, lengths, table.words, variant))
            self._found[variant] = wpds, lds
        return self._found[variant]
