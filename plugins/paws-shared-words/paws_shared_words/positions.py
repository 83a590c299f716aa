"""Which pairs of positions may be replaced (section 3.2)."""

from typing import Collection, List, Optional, Sequence, Tuple

from spacy.tokens import Token

from paws_components.plugin import Errors as PawsErrors
from paws_components.plugin import PawsError, stop_words

# A position in the first sentence and one in the second.
PositionPair = Tuple[int, int]
# Nouns, proper ones too (Gmail in Figure 2), verbs and adjectives, by how their tags begin.
CLASSES = ("NN", "VB", "JJ")
DEFAULT_STOP_WORDS = stop_words("en")


def replaceable_positions(
    first: Sequence[Token], second: Sequence[Token], label: int, stop_words: Collection[str]
) -> List[PositionPair]:
    """The pairs of positions that may be replaced.

    first, second (Sequence[Token]): The sentences, tagged.
    label (int): 1 for a paraphrase: the positions hold the same word, capitals aside. 0 for none: the positions hold
        two nouns, two verbs or two adjectives.
    stop_words (Collection[str]): Words, in lower case, that are never replaced.
    RETURNS (List[PositionPair]): The pairs, from left to right.
    """
    kind = word_shared if label else word_class
    firsts = [(i, kind(token)) for i, token in enumerate(first) if is_content(token, stop_words)]
    seconds = [(j, kind(token)) for j, token in enumerate(second) if is_content(token, stop_words)]
    return [(i, j) for i, one in firsts for j, two in seconds if one is not None and one == two]


def is_content(token: Token, stop_words: Collection[str]) -> bool:
    """Whether a token is a word, with a letter in it, and no stop word."""
    return token.lower_ not in stop_words and any(char.isalpha() for char in token.text)


def word_shared(token: Token) -> Optional[str]:
    """What the two words of a positive example have in common."""
    return token.text.casefold()


def word_class(token: Token) -> Optional[str]:
    """What the two words of a negative example have in common; None for words that are replaced in no case."""
    if not token.tag:
        raise PawsError(PawsErrors.P001.format(attr="tag_", name="shared_words", lang="en"))
    return token.tag_[:2] if token.tag_.startswith(CLASSES) else None
