"""Sentences as the search changes them: words and the spaces behind them."""

from typing import Iterable, NamedTuple, Tuple

from spacy.language import Language
from spacy.tokens import Token

from paws_components.plugin import normalise


class Sentence(NamedTuple):
    """A sentence that is cut into words.

    words (Tuple[str, ...]): Its words; punctuation marks are words too.
    spaces (Tuple[bool, ...]): Whether each is followed by a space.
    """

    words: Tuple[str, ...]
    spaces: Tuple[bool, ...]

    @property
    def text(self) -> str:
        return "".join([word + " " if space else word for word, space in zip(self.words, self.spaces)])

    def with_word(self, position: int, word: str) -> "Sentence":
        """The sentence with another word in one position."""
        return Sentence((*self.words[:position], word, *self.words[position + 1 :]), self.spaces)

    @classmethod
    def of(cls, tokens: Iterable[Token]) -> "Sentence":
        """The tokens of a Doc, or of a part of one."""
        found = [(token.text, bool(token.whitespace_)) for token in tokens]
        return cls(tuple(word for word, _ in found), tuple(space for _, space in found))


def read_sentence(nlp: Language, text: str) -> Sentence:
    """A text, cut into words by a pipeline's tokenizer."""
    return Sentence.of(nlp.make_doc(normalise(text)))


# The two sentences that a target is asked about.
Pair = Tuple[Sentence, Sentence]
