"""French."""

from typing import TYPE_CHECKING, Optional

from . import Rules, same_form_and_place

if TYPE_CHECKING:
    from spacy.tokens import Token

VOWELS = frozenset("aàâäæeéèêëiîïoôöœuùûü")
# Before an aspirated h nothing is elided: "le héros", "de haut". The beginnings of the frequent words that have one.
ASPIRATED = (
    "hab hach hai hal hamb hameau hand hangar hant harc hard harn harp hasard hât hau haï hav heaume hérau "
    "hériss héron héros heurt hib hid hiérarch hip hiss hobb hoch hollan homard hong hont hors hott houbl hou "
    "hu hurl hutt"
).split()
# ... and those that begin like them and have a mute one.
MUTE = ("habi", "habl", "habu", "hallu", "halt", "huil", "huî", "hum", "huiss")
# A vowel to the eye, not to the ear: "le onze", "de yaourt".
CONSONANTAL = ("onz", "oui", "ouist", "ya", "ye", "yo", "uhl", "ululer")

# What loses its vowel before another one.
ELIDED = frozenset("le la de ne se je me te que jusque lorsque puisque quoique quelqu".split())
ELISIONS = frozenset("l' d' n' s' j' m' t' qu' c' jusqu' lorsqu' puisqu' quoiqu'".split())
# What has another form before a vowel, and these forms.
BEFORE_CONSONANT = frozenset("ce ma ta sa beau nouveau vieux fou mou".split())
BEFORE_VOWEL = frozenset("cet bel nouvel vieil fol mol".split())
# The endings of feminine adjectives; a masculine one may end in another -e.
FEMININE = tuple(
    "ée ie ue ive euse eure elle enne onne ette ète ère ale aine ine ante ente aise oise ande onde rde rte ite "
    "anche".split()
)


def fits_word(word: str, following: str) -> bool:
    """Whether a word may stand before another: "l'eau", not "le eau" or "l'pain"; "du Havre", not "de Le Havre".

    word (str): The word before.
    following (str): The word.
    RETURNS (bool): Whether they fit.
    """
    before = word.lower().replace("’", "'")
    if before in ("de", "à") and following in ("Le", "Les", "le", "les"):
        return False  # they contract: "du", "aux"
    vowel = _begins_with_vowel(following)
    if before in ELISIONS or before in BEFORE_VOWEL:
        return vowel is not False
    return not vowel or (before not in ELIDED and before not in BEFORE_CONSONANT)


def _begins_with_vowel(word: str) -> Optional[bool]:
    """Whether a word begins with a vowel to the ear; None where nobody can say: "de Harvard" and "d'Harvard"."""
    lower = word.lower()
    if lower[:1] == "h":
        if word[0].isupper():
            return None
        return lower.startswith(MUTE) or not lower.startswith(tuple(ASPIRATED))
    if lower[:1] == "y" and word[0].isupper():
        return None
    if lower.startswith(CONSONANTAL):
        return False
    return lower[:1] in VOWELS or lower[:1] == "y"


def agrees(one: "Token", other: "Token") -> bool:
    """Whether two words may stand for each other: one form, one side of the noun, and adjectives of one gender.

    one, other (Token): The words.
    RETURNS (bool): Whether they may.
    """
    if not same_form_and_place(one, other):
        return False
    return one.pos_ != "ADJ" or _gender(one.lower_) == _gender(other.lower_)


def _gender(adjective: str) -> str:
    """What the ending says of the gender, which taggers often guess: "négatives", "négatifs"; "favorables" is both."""
    stem = adjective[:-1] if adjective.endswith("s") else adjective
    if stem.endswith(FEMININE):
        return "feminine"
    return "both" if stem.endswith("e") else "masculine"


RULES = Rules(
    conjunctions=frozenset("et ou ni mais & et/ou ainsi".split()),
    auxiliaries=frozenset(
        "être suis es est sommes êtes sont étais était étions étiez étaient fus fut furent serai sera seras "
        "serons serez seront serais serait serions seriez seraient sois soit soyons soyez soient été étant "
        "avoir ai as a avons avez ont avais avait avions aviez avaient eus eut eurent aurai aura auront aurais "
        "aurait auraient aie ait aient eu ayant faire fait faisait fit font".split()
    ),
    particles=frozenset(
        "ne n' n’ pas point plus moins jamais rien aucun aucune très trop assez si aussi autant tant bien mal "
        "peu beaucoup presque encore déjà toujours tout toute tous toutes alors ensuite puis donc ainsi ici là "
        "où y en non oui même mêmes seulement environ notamment surtout également enfin tard tôt fois d'abord".split()
    ),
    quantifiers=frozenset(
        "autre autres même mêmes premier première premiers premières dernier dernière derniers dernières second "
        "seconde deuxième troisième plusieurs quelques certain certains certaine certaines tel telle tels "
        "telles propre propres seul seule seuls seules nombreux nombreuses divers diverses différents "
        "différentes prochain prochaine ancien ancienne quelconque chaque".split()
    ),
    articles=("le", "la", "les", "l'", "l’"),
    elisions=ELISIONS,
    determiners={
        **dict.fromkeys("le du au un ce cet mon ton son".split(), "masculine"),
        **dict.fromkeys("la une cette ma ta sa".split(), "feminine"),
        **dict.fromkeys("les des aux ces mes tes ses leurs nos vos".split(), "plural"),
        **dict.fromkeys(("l'", "l’"), "elided"),
        # Of places: "en France", but "au Japon" and "à Paris".
        "en": "en",
        "à": "à",
    },
    fits_word=fits_word,
    agrees=agrees,
)
