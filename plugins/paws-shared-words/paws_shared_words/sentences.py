"""Sentences as the search changes them: words and the spaces behind them."""

from typing import NamedTuple, Tuple

from spacy.tokens import Doc


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
    def from_doc(cls, doc: Doc) -> "Sentence":
        return cls(tuple(token.text for token in doc), tuple(bool(token.whitespace_) for token in doc))


# The two sentences that a target is asked about.
Pair = Tuple[Sentence, Sentence]
