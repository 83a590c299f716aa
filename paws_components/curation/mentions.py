"""Entities as they are compared and replaced: without the article, and with the unit told apart from the value."""

import re
from typing import List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from spacy.tokens import Doc, Span, Token

from ..generation.surface import plain_case, sentence_starts
from ..lang.en import RULES as ENGLISH
from .equivalents import TYPOGRAPHY, Equivalents

# The labels of OntoNotes that say how much, how many or when.
QUANTITIES = ("CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME")
QUOTES = "\"'"
POSSESSIVE = "'s"


class Mention(NamedTuple):
    """An entity in a sentence.

    label (str): Its type.
    key (str): Its value in the form in which it is compared.
    unit (str): The name of the unit that was taken off the value, or "".
    article (str): The article before it in lower case, or "".
    start, whole_start, value_start, value_end, end (int): Where it stands: from its article, from what follows the
        article, and the value without the unit that may be before or after it.
    whole (str): Value and unit as they would stand within a sentence.
    value (str): The value alone, likewise.
    initial (bool): Whether it begins a sentence.
    """

    label: str
    key: str
    unit: str
    article: str
    start: int
    whole_start: int
    value_start: int
    value_end: int
    end: int
    whole: str
    value: str
    initial: bool


class MentionReader:
    """Reads the entities of Docs as mentions.

    equivalents (Equivalents): Which forms say the same.
    articles (Sequence[str]): Words before an entity that are not part of its value: left out when values are
        compared, and left in place when one is replaced by another.
    units (Mapping[str, Sequence[str]]): Units and their spellings.
    """

    def __init__(
        self,
        equivalents: Equivalents,
        articles: Sequence[str] = ENGLISH.articles,
        units: Mapping[str, Sequence[str]] = ENGLISH.units,
    ) -> None:
        self.equivalents = equivalents
        words = "|".join(re.escape(word) for word in articles)
        self.leading = re.compile(rf"(?:{words})\s+" if articles else r"(?!)", re.IGNORECASE)
        self.before = re.compile(rf"(?<!\w)(?:{words})\s+$" if articles else r"(?!)", re.IGNORECASE)
        spellings = [(spelling, unit) for unit, known in units.items() for spelling in known]
        self.spellings = sorted(spellings, key=lambda pair: -len(pair[0]))

    def read(self, doc: Doc) -> List[Mention]:
        """The entities of a sentence, left to right. The text may have typographic marks; offsets are those of the Doc.

        doc (Doc): The sentence, with entities.
        RETURNS (List[Mention]): The mentions; an entity of marks alone is none.
        """
        text = doc.text.translate(TYPOGRAPHY)
        starts = sentence_starts([token.text for token in doc])
        found = (self._cut(ent, text, starts) for ent in doc.ents)
        return [mention for mention in found if mention is not None]

    def _cut(self, ent: Span, text: str, starts: Set[int]) -> Optional[Mention]:
        start, end = _strip(text, ent.start_char, ent.end_char)
        if text[start:end].endswith(POSSESSIVE):
            end -= len(POSSESSIVE)
        start -= self._mark_before(text, start)
        inner = self.leading.match(text, start, end)
        # The recogniser may have left the article outside.
        outer = None if inner or _modifies(ent) else self.before.search(text[:start])
        whole_start = inner.end() if inner else start
        start = outer.start() if outer else start
        value_start, value_end, unit = self._unit(text, whole_start, end)
        if not any(char.isalnum() for char in text[value_start:value_end]):
            return None
        # Only a word that is not a name has its capital from the place where it stands.
        word = _token_at(ent.doc, whole_start)
        proper = word.i not in starts or word.pos_ == "PROPN" or ent.label_ not in QUANTITIES
        whole = _plain_first(text[whole_start:end], proper)
        value = whole[value_start - whole_start : len(whole) - (end - value_end)]
        return Mention(
            label=ent.label_,
            key=self.equivalents.key(value),
            unit=unit,
            article=text[start:whole_start].strip().lower(),
            start=start,
            whole_start=whole_start,
            value_start=value_start,
            value_end=value_end,
            end=end,
            whole=whole,
            value=value,
            initial=_token_at(ent.doc, start).i in starts,
        )

    def _mark_before(self, text: str, start: int) -> int:
        """The length of a unit right before an entity: recognisers leave the "$" of "$5" outside, but not that of
        "about $5"."""
        for spelling, _ in self.spellings:
            left = start - len(spelling)
            if (
                left >= 0
                and text[left:start].casefold() == spelling.casefold()
                and not _one_word(text[start - 1 : start + 1])
            ):
                return len(spelling)
        return 0

    def _unit(self, text: str, start: int, end: int) -> Tuple[int, int, str]:
        """Take a unit off the value, before it or after it, unless nothing would be left."""
        for spelling, unit in self.spellings:
            inside, outside = start + len(spelling), end - len(spelling)
            if outside <= start:
                continue
            mark = spelling.casefold()
            if text[start:inside].casefold() == mark and not _one_word(text[inside - 1 : inside + 1]):
                left, right = _strip(text, inside, end)
            elif text[outside:end].casefold() == mark and not _one_word(text[outside - 1 : outside + 1]):
                left, right = _strip(text, start, outside)
            else:
                continue
            if left < right:
                return left, right, unit
        return start, end, ""


def _modifies(ent: Span) -> bool:
    """Whether a noun follows to which an article before the entity would belong: "the July issue"."""
    following = ent.doc[ent.end : ent.end + 1]
    return bool(following) and following[0].pos_ in ("ADJ", "NOUN", "NUM", "PROPN")


def _token_at(doc: Doc, offset: int) -> Token:
    return next(token for token in doc if token.idx <= offset < token.idx + len(token) + len(token.whitespace_))


def _strip(text: str, start: int, end: int) -> Tuple[int, int]:
    """Leave quotation marks and white space at both ends out."""
    while start < end and (text[start] in QUOTES or text[start].isspace()):
        start += 1
    while end > start and (text[end - 1] in QUOTES or text[end - 1].isspace()):
        end -= 1
    return start, end


def _one_word(characters: str) -> bool:
    """Whether two neighbouring characters are of one word: no unit begins or ends between them."""
    return len(characters) == 2 and characters.isalpha()


def _plain_first(text: str, proper: bool) -> str:
    word, space, rest = text.partition(" ")
    return plain_case(word, proper) + space + rest
