"""Korean. A token of spaCy's pipelines is a word with its particles: they move with it, so both must have the same."""

from typing import TYPE_CHECKING

from . import Rules

if TYPE_CHECKING:
    from spacy.tokens import Token


def agrees(one: "Token", other: "Token") -> bool:
    """Whether two words may stand for each other: of one kind, with the same particles or endings.

    With different ones only the order of the words would change, and the sentence would say what it said.

    one, other (Token): The words.
    RETURNS (bool): Whether they may.
    """
    return one.pos_ == other.pos_ and _particles(one) == _particles(other)


def _particles(token: "Token") -> str:
    """What follows the stem in the fine tag: "jks" of "nnp+jks"."""
    return str(token.tag_).lower().partition("+")[2]


RULES = Rules(
    conjunctions=frozenset("및 또는 혹은 그리고 와 과 하고 이나 나 &".split()),
    auxiliaries=frozenset("있다 있는 있었다 없다 없는 하는 한다 했다 되는 된다 되었다 이다 이었다 였다 수 것".split()),
    particles=frozenset("안 못 아니 매우 더 가장 또 또한 잘 다시 이미 아직 모두 함께 약 즉".split()),
    quantifiers=frozenset(
        "다른 같은 첫 첫번째 두번째 마지막 여러 모든 각 각각 많은 적은 새로운 그 이 저 한 두".split()
    ),
    agrees=agrees,
    # spaCy has Korean among the scripts without letters; its words have spaces between them all the same.
    spaced=True,
    parsed_lists=False,
    bare_lemmas=True,
)
