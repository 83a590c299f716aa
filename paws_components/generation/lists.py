"""List pruning (PAWS, footnote 2): "A and B" turned into "B and A" is not an adversary."""

from typing import Collection, Iterator, List, Sequence, Set, Tuple

from spacy.tokens import Doc

from .tokens import COMMAS, Tokens

Item = Tuple[str, ...]

# How far an item at either end of a list may reach beyond the words that changed ("old *men* and young *women*"), and
# how far after them the conjunction of the list may stand ("*B*, *A*, C and D").
ITEM_REACH = 6
LIST_REACH = 12


def is_list_permutation(tokens: Tokens, target: Sequence[str]) -> bool:
    """Whether the target differs from the source by the order of the items of one list.

    The items are found by pattern: stretches between commas and conjunctions, at least one conjunction among them.
    Where there is a parse, it has to agree that two of the items that moved are conjuncts of each other; it then also
    vouches for lists that have commas only.

    tokens (Tokens): The source.
    target (Sequence[str]): The words of the rearranged sentence, as many as the source has.
    RETURNS (bool): True for a mere permutation of a list.
    """
    source = tokens.lower
    other = [word.lower() for word in target]
    changed = [i for i, (word, new) in enumerate(zip(source, other)) if word != new]
    if not changed:
        return False
    first, last = changed[0], changed[-1] + 1
    conjunctions = tokens.conjunctions
    if not any(word in COMMAS or word in conjunctions for word in source[first:last]):
        return False
    items, links = _split(source[first:last], conjunctions)
    others, other_links = _split(other[first:last], conjunctions)
    if len(items) < 2 or links != other_links:
        return False
    parsed = tokens.rules.parsed_lists and tokens.doc.has_annotation("DEP")
    afters = list(_reaches(source[last:], conjunctions))
    if not parsed and not any(link in conjunctions for link in links):
        # The list must go on to its conjunction, so its last item here ends at the next comma: "*B*, *A*, C and D".
        following = source[last + len(afters[-1]) : last + LIST_REACH]
        if not following or not any(word in conjunctions for word in following):
            return False
        if following[0] not in COMMAS and following[0] not in conjunctions:
            return False
        afters = afters[-1:]
    # The words that changed may be parts of longer items: add what stands before the first and after the last.
    for before in _reaches(source[:first][::-1], conjunctions):
        for after in afters:
            ends = before[::-1], after
            ours, theirs = _extended(items, *ends), _extended(others, *ends)
            if () not in ours and sorted(ours) == sorted(theirs):
                return not parsed or _conjoined(tokens.doc, first - len(before), ours, theirs)
    return False


def _reaches(words: Sequence[str], conjunctions: Collection[str]) -> Iterator[Tuple[str, ...]]:
    """The beginnings of words that lie within one item, the empty one first."""
    yield ()
    for i, word in enumerate(words[:ITEM_REACH]):
        if word in COMMAS or word in conjunctions:
            return
        yield tuple(words[: i + 1])


def _extended(items: List[Item], before: Item, after: Item) -> List[Item]:
    return [before + items[0], *items[1:-1], items[-1] + after]


def _split(words: Sequence[str], conjunctions: Collection[str]) -> Tuple[List[Item], List[str]]:
    """Cut at commas and conjunctions: the items, and the links between them (", and" is one link)."""
    items: List[Item] = []
    links: List[str] = []
    item: List[str] = []
    linked = False
    for word in words:
        if word in COMMAS or word in conjunctions:
            if not linked:
                items.append(tuple(item))
                item = []
                links.append(word)
            elif word in conjunctions:
                links[-1] = word
            linked = True
        else:
            item.append(word)
            linked = False
    items.append(tuple(item))
    return items, links


def _conjoined(doc: Doc, start: int, items: Sequence[Item], others: Sequence[Item]) -> bool:
    """Whether the parse makes two of the items that moved conjuncts of each other."""
    spans: List[Set[int]] = []
    i = start
    for item, other in zip(items, others):
        while doc[i].lower_ != item[0]:  # step over the link
            i += 1
        if item != other:
            spans.append(set(range(i, i + len(item))))
        i += len(item)
    for span in spans:
        partners = {partner.i for j in span for partner in doc[j].conjuncts} - span
        if any(partners & other for other in spans if other is not span):
            return True
    return False
