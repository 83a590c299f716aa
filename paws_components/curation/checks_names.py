"""Names that a translator rendered in one way in one sentence of a pair, and in another in the other.

PAWS-X (section 2) tells of *Slovak* beside *Slowake*, and of *Four Rivers* that became 四河 in one sentence only: each
sentence was translated by itself. The rules look at letters alone, without a pipeline, and lean on what holds for these
corpora: the two sentences of a pair name much the same things.
"""

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from ..readers.language import BY_SCRIPT, ROWS, guess_language
from .findings import WARNING, Finding, Split, counted

# A name in Latin letters in one sentence, nothing like it in the other; two spellings; a word of a name in English here
# and translated there.
LEFT, SPELLING, TRANSLATED = "left", "spelling", "translated"
# Languages in Latin letters whose capitals mark names, and one where they mark every noun.
BY_CAPITALS = ("es", "fr", "it", "nl", "pt", "sv")
NOUNS = "de"
WORD = re.compile(r"[^\W\d_]+")
LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]{2,}")
# A word has its capital from here, and not because it is a name.
OPENING = re.compile(r"(?:^|[.!?:;]|--)\s*[\"'“”„«»‘’`¿¡]*\s*$|[\"“„«`]\s*$")
# A name has so many letters at least, and one that may be spelled in two ways so many.
LEAST, LEAST_SPELLED = 3, 4
# From this likeness on two words spell one name; within a German noun so many letters may differ.
ALIKE, EDITS = 0.66, 2
# What links the parts of a German noun; a longer word than this with ph or f is hardly a name (*Joseph*, *Biographie*).
LINKS, LONGEST_PH = ("s", "es", "n", "en", "e", "er"), 7
# From this likeness on a word in the other sentence may be the name, spelled otherwise.
SIMILAR = 0.7
# What is added to a word when it is bent, or made of another.
ENDINGS = frozenset(
    "s es e en n er r ern em ens in innen a o as os ns se sche schen ne nes x al aux ale isch ische ischen "
    "ischer".split()
)
# Words of names in English, and what they are called elsewhere.
GENERIC: Dict[str, Tuple[str, ...]] = {
    "river": ("fluss", "río", "rivière", "fleuve"),
    "lake": ("see", "lago", "lac"),
    "county": ("landkreis", "bezirk", "grafschaft", "condado", "comté"),
    "school": ("schule", "escuela", "école", "lycée", "colegio", "instituto", "secundaria"),
    "university": ("universität", "universidad", "université"),
    "council": ("rat", "stadtrat", "consejo", "conseil"),
    "church": ("kirche", "iglesia", "église"),
    "island": ("insel", "isla", "île"),
    "islands": ("inseln", "islas", "îles"),
    "bridge": ("brücke", "puente", "pont"),
    "street": ("straße", "strasse", "calle", "rue"),
    "creek": ("bach", "arroyo", "ruisseau"),
    "mountains": ("berge", "gebirge", "montañas", "montagnes"),
    "museum": ("museo", "musée"),
    "station": ("bahnhof", "estación", "gare"),
    "railway": ("eisenbahn", "bahn", "ferrocarril"),
    "party": ("partei", "partido", "parti"),
    "army": ("armee", "heer", "ejército", "armée"),
    "navy": ("marine", "armada"),
    "league": ("liga", "ligue"),
    "championship": ("meisterschaft", "campeonato", "championnat"),
    "award": ("preis", "auszeichnung", "premio", "prix"),
    "awards": ("preise", "auszeichnungen", "premios", "prix"),
    "house": ("haus", "casa", "maison", "cámara", "chambre"),
    "court": ("gericht", "gerichtshof", "tribunal", "corte", "cour"),
    "king": ("könig", "rey", "roi"),
    "queen": ("königin", "reina", "reine"),
    "prince": ("prinz", "príncipe"),
    "bishop": ("bischof", "obispo", "évêque"),
    "new": ("neu", "nueva", "nuevo", "nouvelle", "nouveau"),
    "states": ("staaten", "estados", "états"),
    "kingdom": ("königreich", "reino", "royaume"),
    "london": ("londres",),
    "germany": ("deutschland", "alemania", "allemagne"),
    "england": ("inglaterra", "angleterre"),
    "spain": ("spanien", "españa", "espagne"),
    "france": ("frankreich", "francia"),
}


class Rendered(NamedTuple):
    """A name that the two sentences of a pair render in two ways: which kind it is, and how it stands in each."""

    kind: str
    first: str
    second: str


def inconsistent_names(split: Split) -> List[Finding]:
    """Pairs in which a name is translated in one sentence and not in the other, or spelled in two ways."""
    rule = _rule(guess_language(text for _, *pair in split.pairs[:ROWS] for text in pair))
    if rule is None:
        return []
    found = [(row, list(rule(first, second))) for row, first, second in split.pairs]
    found = [(row, names) for row, names in found if names]
    kinds = counted(name.kind for _, names in found for name in names)
    shown = [name for _, names in found for name in names][:3]
    message = "{count} of {total} pairs render a name in two ways or leave it in one sentence, such as "
    message += ", ".join(" | ".join(filter(None, (name.first, name.second))) for name in shown)
    rows = [row for row, _ in found]
    lines = {str(row.number): [list(name) for name in names] for row, names in found}
    return split.finding("inconsistent_names", WARNING, rows, message + ".", kinds=kinds, lines=lines)


def _rule(lang: Optional[str]) -> Optional[Callable[[str, str], Iterable[Rendered]]]:
    """How names are compared in a language; None where nobody translated, or nobody knows."""
    if lang in BY_SCRIPT:
        return left_in_latin
    if lang in BY_CAPITALS or lang == NOUNS:
        return spelled_in_nouns if lang == NOUNS else spelled_by_capitals
    return None


def left_in_latin(first: str, second: str) -> Iterator[Rendered]:
    """Names in Latin letters that only one of two sentences in another script has, in whatever spelling."""
    words = [{_plain(word) for word in LATIN.findall(text)} for text in (first, second)]
    for text, others, order in ((first, words[1], 1), (second, words[0], -1)):
        lost = [word for word in _latin_names(text) if not _has_like(_plain(word), others)]
        if lost:
            yield Rendered(LEFT, *(" ".join(lost), "")[::order])


def spelled_by_capitals(first: str, second: str) -> Iterator[Rendered]:
    """Words with a capital within a sentence that are much alike and not the same, and words of names that are English
    in one sentence and translated in the other."""
    yield from _spelled(first, second, lambda one, other: SequenceMatcher(None, one, other).ratio() >= ALIKE)
    yield from _generic(first, second)


def spelled_in_nouns(first: str, second: str) -> Iterator[Rendered]:
    """The same where every noun has a capital: fewer letters may differ, and not at the end alone."""
    yield from _spelled(first, second, _slightly_different)
    yield from _generic(first, second)


def _latin_names(text: str) -> List[str]:
    """Words in Latin letters with a capital, but no abbreviations: "Audubon", not "NASA"."""
    found = LATIN.findall(text)
    return list(
        dict.fromkeys(word for word in found if len(word) >= LEAST and word[0].isupper() and not word.isupper())
    )


def _has_like(word: str, others: Set[str]) -> bool:
    """Whether a name is among words, in whatever spelling or with whatever ending."""
    if word in others:
        return True
    return any(
        other.startswith(word) or word.startswith(other) or SequenceMatcher(None, word, other).ratio() > SIMILAR
        for other in others
        if min(len(word), len(other)) >= LEAST
    )


def _spelled(first: str, second: str, same: Callable[[str, str], bool]) -> Iterator[Rendered]:
    words = [{_plain(word) for word in WORD.findall(text)} for text in (first, second)]
    ours, theirs = _names(first, words[1]), _names(second, words[0])
    for one, written in ours.items():
        likely = [other for other in theirs if one[0] == other[0] and not _bent(one, other) and same(one, other)]
        if likely:
            best = max(likely, key=lambda other: SequenceMatcher(None, one, other).ratio())
            yield Rendered(SPELLING, written, theirs.pop(best))


def _names(text: str, others: Set[str]) -> Dict[str, str]:
    """The words of a sentence that have a capital because they are names, and that the other sentence does not have."""
    found: Dict[str, str] = {}
    for match in WORD.finditer(text):
        word = match.group()
        plain = _plain(word)
        if word[0].isupper() and not word.isupper() and len(word) >= LEAST_SPELLED and plain not in others:
            if not OPENING.search(text[: match.start()]):
                found.setdefault(plain, word)
    return found


def _slightly_different(one: str, other: str) -> bool:
    """Whether few letters differ, and not those at the end alone."""
    blocks = [block for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks() if block.size]
    same = sum(block.size for block in blocks)
    if max(len(one), len(other)) - same > EDITS or min(len(one), len(other)) <= LEAST_SPELLED:
        return False
    start, end = _shared_start(one, other), _shared_start(one[::-1], other[::-1])
    middle = max(one, other, key=len)[start : max(len(one), len(other)) - end]
    # Forms of a word, the letters that link the parts of a compound, and two spellings that both are right.
    linked = middle in LINKS and start >= LEAST_SPELLED and end >= LEAST_SPELLED
    usual = one.replace("ph", "f") == other.replace("ph", "f") and len(one) > LONGEST_PH
    return max(len(one), len(other)) - start > EDITS and not linked and not usual


def _generic(first: str, second: str) -> Iterator[Rendered]:
    written = [{word.casefold(): word for word in WORD.findall(text)} for text in (first, second)]
    counts = [Counter(map(str.casefold, WORD.findall(text))) for text in (first, second)]
    for english, others in GENERIC.items():
        for here, there in ((0, 1), (1, 0)):
            name = written[here].get(english, "")
            if name[:1].isupper() and counts[here][english] > counts[there][english]:
                more = next((word for word in others if counts[there][word] > counts[here][word]), None)
                if more is not None:
                    yield Rendered(TRANSLATED, *(name, written[there][more])[:: 1 if here == 0 else -1])


def _bent(one: str, other: str) -> bool:
    """Whether two words may be forms of one, or made of one."""
    start = _shared_start(one, other)
    return start >= LEAST and all(not rest or rest in ENDINGS for rest in (one[start:], other[start:]))


def _shared_start(one: str, other: str) -> int:
    return next((i for i, (ours, theirs) in enumerate(zip(one, other)) if ours != theirs), min(len(one), len(other)))


def _plain(word: str) -> str:
    """A word without its accents and its case."""
    return "".join(char for char in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(char))
