"""German."""

from typing import TYPE_CHECKING

from . import TRAITS, Rules, same_form

if TYPE_CHECKING:
    from spacy.tokens import Token

# How adjectives before a noun end; longest first, though none ends another.
ENDINGS = ("em", "en", "er", "es", "e")
SEPARATED = "PTKVZ"
# The endings say what the form of an adjective is; taggers often guess its case wrong.
OF_ADJECTIVES = ("Degree",)


def agrees(one: "Token", other: "Token") -> bool:
    """Whether two words may stand for each other: adjectives by their endings, verbs that no prefix has left.

    one, other (Token): The words.
    RETURNS (bool): Whether they may.
    """
    if one.pos_ == other.pos_ == "PROPN":
        return _genitive(one) == _genitive(other)
    if one.pos_ == other.pos_ == "ADJ":
        return _ending(one) == _ending(other) and same_form(one, other, OF_ADJECTIVES)
    if _is_parted(one) or _is_parted(other):
        return False
    return same_form(one, other, TRAITS)


def _genitive(name: "Token") -> bool:
    """Whether a name has the ending of the genitive: "Annas Hund", "die Straßen Berlins"."""
    return name.morph.get("Case", []) == ["Gen"] and name.lower_.endswith(("s", "'", "’"))


def _ending(adjective: "Token") -> str:
    """The ending of an adjective that stands before a noun: "e" of "alte"; none of "Er ist alt" and "Berliner"."""
    if adjective.tag_ == "ADJD":
        return ""
    return next((ending for ending in ENDINGS if adjective.lower_.endswith(ending)), "")


def _is_parted(verb: "Token") -> bool:
    """Whether a separable prefix of a verb stands elsewhere: "Er rief sie an" says nothing without its last word.

    The parse knows whose prefix it is. Without one any prefix that follows in the sentence may be the verb's.
    """
    if verb.pos_ not in ("VERB", "AUX") or "Part" in verb.morph.get("VerbForm", []):
        return False
    if verb.doc.has_annotation("DEP"):
        return any(child.dep_ == "svp" for child in verb.children)
    return any(token.tag_ == SEPARATED for token in verb.doc[verb.i + 1 :])


_ARTICLES = "der die das dem den des ein eine einem einen einer eines dieser diese dieses diesem diesen".split()

RULES = Rules(
    conjunctions=frozenset("und oder aber sowie sondern bzw. beziehungsweise noch & und/oder".split()),
    auxiliaries=frozenset(
        "sein bin bist ist sind seid war warst waren wart gewesen sei seien wäre wären haben habe hast hat habt "
        "hatte hatten gehabt hätte hätten werden werde wirst wird werdet wurde wurden worden geworden würde "
        "würden".split()
    ),
    particles=frozenset(
        "nicht nie niemals kein keine keinen keinem keiner sehr zu so als wie mehr weniger meist etwa rund ca. "
        "nur auch noch schon erst bereits immer wieder dann danach später früher dort hier da wo jedoch doch "
        "sowohl weder je desto fast ganz dabei damit dazu daher dafür darauf deshalb heute".split()
    ),
    quantifiers=frozenset(
        word + ending
        for word in (
            "ander erst zweit dritt viert fünft letzt nächst viel wenig mehrer einig eigen gleich selb ganz "
            "solch beid einzig weiter all manch jed meist viele folgend verschieden zahlreich ehemalig"
        ).split()
        for ending in ("", *ENDINGS)
    ),
    articles=("der", "die", "das", "dem", "den", "des"),
    # The contractions stand where preposition and article would: "im Iran" is "in dem Iran".
    determiners={
        **{article: article for article in _ARTICLES},
        **dict.fromkeys("im zum vom beim am".split(), "dem"),
        **dict.fromkeys("ins ans aufs fürs durchs".split(), "das"),
        "zur": "der",
    },
    agrees=agrees,
    capitals=frozenset(("NOUN", "PROPN")),
)
