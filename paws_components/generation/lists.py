"""List pruning (PAWS, footnote 2): "A and B" turned into "B and A" is no adversary."""

from typing import Collection, List, Sequence, Set, Tuple

from spacy.tokens import Doc

COMMAS = frozenset((",", ";", "、", "،"))
CONJUNCTIONS = frozenset(("and", "or", "nor", "&", "and/or"))
# How far beyond the changed words a list item may reach. To the right it must reach the conjunction: "B, A, C and D".
REACH_LEFT = 6
REACH_RIGHT = 12

Region = Tuple[int, List[Tuple[str, ...]], List[str]]


def is_list_permutation(doc: Doc, target: Sequence[str]) -> bool:
    """Whether the target differs from the Doc by the order of the items of one list.

    The items are found by pattern: stretches between commas and conjunctions, at least one conjunction among them.
    Where there is a parse, it has to agree that two of the items that moved are conjuncts of each other; it then also
    vouches for lists that have commas only.

    doc (Doc): The source.
    target (Sequence[str]): The words of the rearranged sentence, as many as the Doc has tokens, cased as in the source.
    RETURNS (bool): True for a mere permutation of a list.
    """
    source = [token.lower_ for token in doc]
    target = [word.lower() for word in target]
    changed = [i for i, (word, other) in enumerate(zip(source, target)) if word != other]
    if not changed:
        return False
    first, last = changed[0], changed[-1] + 1
    parsed = doc.has_annotation("DEP")
    conjunctions = CONJUNCTIONS | {token.lower_ for token in doc if token.tag_ == "CC" or token.pos_ == "CCONJ"}
    reach = source[max(0, first - REACH_LEFT) : last + REACH_RIGHT]
    if not any(word in conjunctions for word in reach) and not (parsed and any(word in COMMAS for word in reach)):
        return False
    for start in range(first, max(-1, first - REACH_LEFT - 1), -1):
        for end in range(last, min(len(source), last + REACH_RIGHT) + 1):
            items, links = _split(source[start:end], conjunctions)
            if len(items) < 2 or not (parsed or any(link in conjunctions for link in links)):
                continue
            others, other_links = _split(target[start:end], conjunctions)
            if links == other_links and () not in items and sorted(items) == sorted(others):
                if not parsed or _conjoined(doc, start, items, others):
                    return True
    return False


def _split(words: Sequence[str], conjunctions: Collection[str]) -> Tuple[List[Tuple[str, ...]], List[str]]:
    """Cut at commas and conjunctions: the items, and the links between them (", and" is one link)."""
    items: List[Tuple[str, ...]] = []
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


def _conjoined(doc: Doc, start: int, items: Sequence[Tuple[str, ...]], others: Sequence[Tuple[str, ...]]) -> bool:
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
