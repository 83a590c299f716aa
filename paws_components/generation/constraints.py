"""What a careful reader never lets pass: rules about which two spans of a sentence may trade places.

Each rule is a function with the sentence that taught it, and is asked before any language model is. It answers True
where the two may trade. A rule that needs to know words asks the language's file in `lang/`.
"""

from typing import Callable, Dict, FrozenSet, Iterable, List, Optional, Sequence, Tuple

from ..errors import Errors, PawsError
from .template import Slot
from .tokens import Tokens

Constraint = Callable[[Tokens, Slot, Slot], bool]

# Two entities of one of these kinds may trade, whatever their labels: a recogniser often takes one for the other.
KINDS: Tuple[FrozenSet[str], ...] = (
    frozenset(("PERSON", "PER", "ORG", "PRODUCT", "WORK_OF_ART", "MISC")),
    frozenset(("GPE", "LOC", "FAC", "ORG", "EVENT", "MISC")),
    frozenset(("NORP", "LANGUAGE", "MISC")),
)
PROPER_LIKE = frozenset(("NNP", "NNPS", "PROPN"))
MEASURES = frozenset(("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT"))


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
    return not _any_name(tokens, a, b) or tokens.words[first.end : second.start] != [","]


def dates(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """Parts of dates do not trade: "the late 20th century and early 19th century"."""
    return not any(
        tokens.labels[i] in MEASURES and _has_digit(tokens.words[i])
        for slot in (a, b)
        for i in range(slot.start, slot.end)
    )


def whole_names(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """A piece of a name does not trade: "the International Workers' International"."""
    return not _is_piece(tokens, a) and not _is_piece(tokens, b)


def entity_types(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """A person does not trade with a place: "born in Anna to Berlin". What the recogniser says nothing of, may."""
    one, other = _label(tokens, a), _label(tokens, b)
    return not one or not other or one == other or any({one, other} <= kind for kind in KINDS)


def agreement(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """Number and person agree: "Targets in Montenegro was bombed". Taggers know too little of the number of names."""
    if _is_name(tokens, a) and _is_name(tokens, b):
        return True
    one, other = tokens.doc[a.end - 1].morph, tokens.doc[b.end - 1].morph
    return all(_agree(one.get(trait, []), other.get(trait, [])) for trait in ("Number", "Person"))


def articles(tokens: Tokens, a: Slot, b: Slot) -> bool:
    """*a* and *an* stay right: "a important role"."""
    sound = tokens.rules.fits_article
    if sound is None:
        return True
    return all(
        here.start == 0 or sound(tokens.words[here.start - 1], tokens.words[there.start])
        for here, there in ((a, b), (b, a))
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
    return tokens.tags[slot.end - 1] in PROPER_LIKE


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
    if not _is_name(tokens, slot):
        return False
    tags, start, end = tokens.tags, slot.start, slot.end
    before = start > 0 and tags[start - 1] in PROPER_LIKE and bool(tokens.spaces[start - 1])
    after = end < len(tags) and tags[end] in PROPER_LIKE and bool(tokens.spaces[end - 1])
    return before or after


def _agree(one: List[str], other: List[str]) -> bool:
    return not one or not other or one == other
