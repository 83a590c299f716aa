"""BOW similarity (PAWS, section 3.2)."""

from math import sqrt
from typing import Sequence

from .index import Index, index_uncased


def bow_cosine(words1: Sequence[str], words2: Sequence[str]) -> float:
    """The cosine of the lower-cased word counts of two sentences.

    words1, words2 (Sequence[str]): The words.
    RETURNS (float): 0.0 to 1.0; a rearrangement has exactly 1.0. Without any word on one side it is 0.0.
    """
    return bow_cosine_of(index_uncased(words1), index_uncased(words2))


def bow_cosine_of(index1: Index, index2: Index) -> float:
    """`bow_cosine` of sentences that are indexed already."""
    # All of it in whole numbers but for the last step: counts that are equal give exactly 1.
    dot = sum([len(index1[word]) * len(index2[word]) for word in index1.keys() & index2.keys()])
    if not dot:
        return 0.0
    squares1 = sum([len(places) ** 2 for places in index1.values()])
    squares2 = sum([len(places) ** 2 for places in index2.values()])
    return min(1.0, dot / sqrt(squares1 * squares2))
