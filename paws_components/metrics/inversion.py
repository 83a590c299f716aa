"""The word-order inversion rate (PAWS, section 3.2 and Figure 3)."""

from bisect import bisect_right, insort
from typing import Dict, List, Sequence, Tuple

from .index import Index, index_uncased

# Up to this many alignments are put in order by insertion, which is faster than merging as long as they are few.
BLOCK = 64


def alignments(words1: Sequence[str], words2: Sequence[str]) -> List[Tuple[int, int]]:
    """Align the k-th occurrence of a word with its k-th in the other sentence, whatever the case.

    words1, words2 (Sequence[str]): The words.
    RETURNS (List[Tuple[int, int]]): The positions in both sentences, in the order of the first.
    """
    return alignments_of(index_uncased(words1), index_uncased(words2))


def inversion_rate(words1: Sequence[str], words2: Sequence[str]) -> float:
    """The share of the pairs of alignments that cross, in O(n log n).

    words1, words2 (Sequence[str]): The words.
    RETURNS (float): 0.0 (the same order) to 1.0 (the reverse); 0.0 with fewer than two alignments.
    """
    return inversion_rate_of(index_uncased(words1), index_uncased(words2))


def alignments_of(index1: Index, index2: Index) -> List[Tuple[int, int]]:
    """`alignments` of sentences that are indexed already."""
    return sorted(_partners(index1, index2).items())


def _partners(index1: Index, index2: Index) -> Dict[int, int]:
    partners: Dict[int, int] = {}
    for word in index1.keys() & index2.keys():
        partners.update(zip(index1[word], index2[word]))
    return partners


def inversion_rate_of(index1: Index, index2: Index) -> float:
    """`inversion_rate` of sentences that are indexed already."""
    partners = _partners(index1, index2)
    order = [partners[i] for i in sorted(partners)]
    if len(order) < 2:
        return 0.0
    return count_crossings(order) / (len(order) * (len(order) - 1) // 2)


def count_crossings(order: Sequence[int]) -> int:
    """How many pairs of numbers have the larger one first: a merge sort that counts."""
    crossed = 0
    runs: List[List[int]] = []
    for start in range(0, len(order), BLOCK):
        run: List[int] = []
        for value in order[start : start + BLOCK]:
            crossed += len(run) - bisect_right(run, value)
            insort(run, value)
        runs.append(run)
    while len(runs) > 1:
        merged: List[List[int]] = []
        for left, right in zip(runs[::2], runs[1::2]):
            crossed += _crossings_between(left, right)
            # Python's own sort finds the two runs and merges them in linear time.
            merged.append(sorted(left + right))
        runs = merged + runs[len(merged) * 2 :]
    return crossed


def _crossings_between(left: List[int], right: List[int]) -> int:
    """How many numbers on the left are larger than one on the right, for all of these together; both are sorted."""
    crossed = i = 0
    for value in right:
        while i < len(left) and left[i] <= value:
            i += 1
        crossed += len(left) - i
    return crossed
