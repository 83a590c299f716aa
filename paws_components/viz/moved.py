"""Which spans moved, for pairs of which only the two sentences are known."""

from typing import List, Sequence, Tuple

from ..metrics.inversion import alignments
from .inputs import Moved, Side

Links = List[Tuple[int, int]]


def find_moved(first: Side, second: Side) -> List[Moved]:
    """The spans that moved between two sentences, from the alignment of their words.

    Aligned words that keep together make a block. Moved are either the blocks that are no longer the n-th (two that
    changed places), or those outside the longest run of words in the same order (one that was put elsewhere):
    whichever names fewer blocks.

    first, second (Side): The sentences.
    RETURNS (List[Moved]): The spans in the order of the first sentence.
    """
    blocks = _blocks(sorted(alignments(first.keys, second.keys)))
    exchanged = _exchanged(blocks)
    displaced = _displaced(blocks)
    moved: List[Moved] = []
    for number, i in enumerate(displaced if len(displaced) < len(exchanged) else exchanged, 1):
        for part in _unbroken(blocks[i]):
            spans = _span(first, [a for a, _ in part]), _span(second, [b for _, b in part])
            moved.append(Moved(*spans, number=number))
    return moved


def _blocks(links: Links) -> List[Links]:
    """Alignments cut where the next one in the first sentence is not the next one in the second."""
    order = {b: rank for rank, b in enumerate(sorted(b for _, b in links))}
    blocks: List[Links] = []
    for link in links:
        if blocks and order[link[1]] == order[blocks[-1][-1][1]] + 1:
            blocks[-1].append(link)
        else:
            blocks.append([link])
    return blocks


def _exchanged(blocks: Sequence[Links]) -> List[int]:
    """Blocks that are not the n-th of both sentences."""
    ranks = sorted(range(len(blocks)), key=lambda i: blocks[i][0][1])
    return [i for i, other in enumerate(ranks) if i != other]


def _displaced(blocks: Sequence[Links]) -> List[int]:
    """Blocks outside the heaviest increasing sequence of blocks, a block weighing its words."""
    best: List[
        Tuple[int, int]
    ] = []  # for each block the weight of the best sequence that ends there, and its last but one
    for i, block in enumerate(blocks):
        before = [(best[k][0], k) for k in range(i) if blocks[k][0][1] < block[0][1]]
        weight, last = max(before, default=(0, -1))
        best.append((weight + len(block), last))
    kept = set()
    i = max(range(len(best)), key=lambda i: best[i][0], default=-1)
    while i >= 0:
        kept.add(i)
        i = best[i][1]
    return [i for i in range(len(blocks)) if i not in kept]


def _unbroken(block: Links) -> List[Links]:
    """A block cut where one of the sentences has a word of its own in between."""
    parts = [[block[0]]]
    for link in block[1:]:
        if link == (parts[-1][-1][0] + 1, parts[-1][-1][1] + 1):
            parts[-1].append(link)
        else:
            parts.append([link])
    return parts


def _span(side: Side, words: Sequence[int]) -> Tuple[int, int]:
    return side.starts[words[0]], side.starts[words[-1]] + len(side.words[words[-1]])
