"""What a careful reader never lets pass: rules about which two spans of a sentence may trade places.

Each rule is a function with the sentence that taught it, and is asked before any language model is. It answers True
where the two may trade. A rule that needs to know words asks the language's file in `lang/`.
"""

from typing import Callable, Dict, FrozenSet, Iterable, List, Optional, Sequence, Tuple

from ..errors import Errors, PawsError
from .template import ENTITY_LABELS, PROPER, Slot
from .tokens import COMMAS, Tokens

Constraint = Callable[[Tokens, Slot, Slot], bool]

# Two entities of one of these kinds may trade, whatever their labels: a recogniser often takes one for the other.
KINDS: Tuple[FrozenSet[str], ...] = (
    frozenset(("PERSON", "PER", "ORG", "PRODUCT", "WORK_OF_ART", "MISC")),
    frozenset(("GPE", "LOC", "FAC", "ORG", "EVENT", "MISC")),
    frozenset(("NORP", "LANGUAGE", "MISC")),
)
PROPER_LIKE = frozenset(("NNP", "NNPS", "PROPN"))
MEASURES = frozenset(("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT"))
# The tags under which names trade.
NAMES = frozenset((PROPER, *ENTITY_LABELS.values()))
PLACES = frozenset(label for label, tag in ENTITY_LABELS.items() if tag == "LOCATION")
# Beside a name they say what it is: "Königin Elisabeth".
DESCRIBING = frozenset(("NOUN", "ADJ"))


def auxiliaries(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """*Be*, *have* and *do* trade with nothing: "It was recorded" is not "It recorded was"."""
    for slot in (a, b):
        if slot.end - slot.start == 1 and slot.start in tokens.auxiliaries:
            return False
    return True


def numbers(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """Numbers, ordinals and dates in a name trade only with their like: "No.47 in French, it charted at Sung"."""
    return not _any_name(tokens, a, b) or _measures(tokens, a) == _measures(tokens, b)


def quantifiers(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """*Few*, *same*, *own* and the like trade among themselves: "long takes and few cuts", "his first satellite"."""
    known = tokens.rules.quantifiers
    one, other = (not known.isdisjoint(tokens.lower[slot.start : slot.end]) for slot in (a, b))
    return one == other


def one_name(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """Words of one run of names or adjectives do not trade: "the SS Arcona Cap", "a stone large house"."""
    first, second = (a, b) if a.start < b.start else (b, a)
    between = tokens.tags[first.end : second.start]
    return bool(set(between) - {tokens.tags[first.end - 1], tokens.tags[second.start]})


def apposition(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """What a comma joins to a name says where or what it is: "he arrived in Afghanistan, Kandahar"."""
    first, second = (a, b) if a.start < b.start else (b, a)
    between = tokens.lower[first.end : second.start]
    if not _any_name(tokens, a, b) or not between:
        return True
    if tokens.rules.strict and first.start and between == [tokens.lower[first.start - 1]]:
        return False  # "in Bansdroni in Kolkata"
    return between != [","]


def dates(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """Parts of dates do not trade: "the late 20th century and early 19th century"."""
    strict = tokens.rules.strict  # few recognisers of other languages find dates: "am 31. November"
    return not any(
        (strict or tokens.labels[i] in MEASURES) and _has_digit(tokens.words[i])
        for slot in (a, b)
        for i in range(slot.start, slot.end)
    )


def whole_names(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """A piece of a name does not trade: "the International Workers' International"."""
    return not _is_piece(tokens, a) and not _is_piece(tokens, b)


def entity_types(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """A person does not trade with a place: "born in Anna to Berlin". What the recogniser says nothing of, may."""
    one, other = _label(tokens, a), _label(tokens, b)
    if tokens.rules.strict and _any_name(tokens, a, b):
        return one == other and _outline(tokens, a) == _outline(tokens, b)
    return not one or not other or one == other or any({one, other} <= kind for kind in KINDS)


def agreement(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """Number and person agree: "Targets in Montenegro was bombed". Taggers know too little of the number of names.

    A language's file may know more: endings, inflections, separable verbs.
    """
    if tokens.rules.strict and any(tokens.tags[slot.end - 1] == "VERB" for slot in (a, b)):
        return False  # each takes objects of its own: "ont remplacé la sitomanie", "ont distingué le trouble"
    if tokens.rules.agrees is not None:
        return tokens.rules.agrees(tokens.doc[a.end - 1], tokens.doc[b.end - 1]) and _same_case(tokens, a, b)
    if _is_name(tokens, a) and _is_name(tokens, b):
        return True
    one, other = tokens.doc[a.end - 1].morph, tokens.doc[b.end - 1].morph
    return all(_agree(one.get(trait, []), other.get(trait, [])) for trait in ("Number", "Person"))


def articles(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """*a* and *an* stay right: "a important role". So do "l'eau" and "du Japon" where the language's file says how."""
    rules, words = tokens.rules, tokens.words
    if rules.strict and _any_name(tokens, a, b) and _company(tokens, a) != _company(tokens, b):
        return False
    sound = rules.fits_article or rules.fits_word
    if sound is None:
        return True
    moves = ((a, b), (b, a))
    if not all(here.start == 0 or sound(words[here.start - 1], words[there.start]) for here, there in moves):
        return False
    fits = rules.fits_word
    return fits is None or all(
        here.end == len(words) or fits(words[there.end - 1], words[here.end]) for here, there in moves
    )


# In the order they are asked; the cheap ones first.
CONSTRAINTS: Dict[str, Constraint] = {
    "one_name": one_name,
    "auxiliaries": auxiliaries,
    "numbers": numbers,
    "quantifiers": quantifiers,
    "apposition": apposition,
    "dates": dates,
    "whole_names": whole_names,
    "entity_types": entity_types,
    "agreement": agreement,
    "articles": articles,
}
# Not about a pair of spans: a swap moves two of them and no more. "Bob told Sue that Ann saw Joe" has 23 others.
TWO_SPANS = "two_spans"
ALL: List[str] = [TWO_SPANS, *CONSTRAINTS]


def check_constraints(names: Iterable[str]) -> None:
    """Raise the error that lists the known rules if a name is not among them."""
    for name in names:
        if name not in ALL:
            raise PawsError(Errors.P026.format(name=name, known=", ".join(ALL)))


def stopped_by(names: Sequence[str], tokens: Tokens, moves: Sequence[Tuple[Slot, Slot]]) -> Optional[str]:
    """The first of these rules that lets a swap not pass, if there is one.

    names (Sequence[str]): The rules.
    tokens (Tokens): The sentence.
    moves (Sequence[Tuple[Slot, Slot]]): Each slot that is filled anew, and the slot its filler comes from.
    RETURNS (Optional[str]): The rule's name.
    """
    if len(moves) > 2 and TWO_SPANS in names:
        return TWO_SPANS
    for name in names:
        rule = CONSTRAINTS.get(name)
        if rule is not None:
            for here, there in moves:
                if not rule(tokens, here, there):
                    return name
    return None


def _is_name(tokens: Tokens, slot: Slot) -> bool:
    return tokens.tags[slot.end - 1] in PROPER_LIKE or (tokens.rules.strict and slot.tag in NAMES)


def _any_name(tokens: Tokens, a: Slot, b: Slot) -> bool:
    return _is_name(tokens, a) or _is_name(tokens, b)


def _measures(tokens: Tokens, slot: Slot) -> bool:
    for i in range(slot.start, slot.end):
        if tokens.labels[i] in MEASURES or _has_digit(tokens.words[i]) or tokens.doc[i].like_num:
            return True
    return False


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(char.isdigit() for char in word)


def _label(tokens: Tokens, slot: Slot) -> str:
    return tokens.labels[slot.end - 1]


def _is_piece(tokens: Tokens, slot: Slot) -> bool:
    """Whether more of the name stands before the slot or after it."""
    if tokens.rules.strict and _in_entity(tokens, slot):
        return True
    if not _is_name(tokens, slot):
        return False
    tags, start, end = tokens.tags, slot.start, slot.end
    before = start > 0 and tags[start - 1] in PROPER_LIKE and (bool(tokens.spaces[start - 1]) or not tokens.spaced)
    after = end < len(tags) and tags[end] in PROPER_LIKE and (bool(tokens.spaces[end - 1]) or not tokens.spaced)
    return before or after


def _in_entity(tokens: Tokens, slot: Slot) -> bool:
    """Whether the slot is a part of a longer entity."""
    return any(
        ent.start <= slot.start and slot.end <= ent.end and ent.end - ent.start > slot.end - slot.start
        for ent in tokens.doc.ents
    )


def _outline(tokens: Tokens, slot: Slot) -> Tuple[str, str]:
    """The tags of the first and the last word: "district de Solapur" is not a name as "Solapur" is one."""
    return tokens.tags[slot.start], tokens.tags[slot.end - 1]


def _company(tokens: Tokens, slot: Slot) -> Tuple[str, str]:
    """What beside a name says something of it: an article, a noun, a mark: "im Iran", "Königin Elisabeth", „Faust“.

    The comma before a place is one: "Dallas, Texas". Where words are written without spaces, so is a noun after the
    name: "北京大学".
    """
    before, after, doc = slot.start - 1, slot.end, tokens.doc
    told = tokens.rules.determiners.get(tokens.lower[before], "") if before >= 0 else ""
    if before >= 0 and not told:
        mark = doc[before].is_quote or doc[before].is_bracket
        comma = tokens.words[before] in COMMAS and _label(tokens, slot) in PLACES
        # A noun that has its particles with it, as in Korean, says nothing of the name.
        noun = doc[before].pos_ in DESCRIBING and (tokens.rules.determiners or not tokens.spaced)
        if mark or comma or noun:
            told = tokens.lower[before]
    follows = after < len(doc) and (
        (not tokens.spaced and doc[after].pos_ in DESCRIBING) or doc[after].is_quote or doc[after].is_bracket
    )
    return told, tokens.lower[after] if follows else ""


def _same_case(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """Whether both have a capital or neither ("Vereinigte Staaten"); the first words of sentences tell nothing."""
    return any(slot.start in tokens.starts for slot in (a, b)) or (
        tokens.words[a.start][0].isupper() == tokens.words[b.start][0].isupper()
    )


def _agree(one: List[str], other: List[str]) -> bool:
    return not one or not other or one == other
