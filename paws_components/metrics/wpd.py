"""Word position deviation (*Towards Better Characterization of Paraphrases*, section 4.3)."""

from bisect import bisect_left
from typing import Literal, Sequence

from ..errors import Errors, PawsError
from .index import index_uncased, index_words

Variant = Literal["paper", "released"]
VARIANTS = ("paper", "released")


def wpd(words1: Sequence[str], words2: Sequence[str], variant: str = "paper") -> float:
    """How far the words that two sentences share have moved, on average.

    words1, words2 (Sequence[str]): The lemmas of all tokens, punctuation too.
    variant (str): "paper" (equations 1 to 3, uncased), or "released": what the authors' code computes. For a word that
        occurs more than once it measures from the sentence that has it more often, and it keeps the case.
    RETURNS (float): 0.0 to 1.0. Without a word in common it is 1.0, with a sentence of fewer than two tokens 0.0.
    """
    check_variant(variant)
    last1, last2 = len(words1) - 1, len(words2) - 1
    if last1 < 1 or last2 < 1:
        return 0.0
    indexed = index_uncased if variant == "paper" else index_words
    index1, index2 = indexed(words1), indexed(words2)
    # Normalised positions (definition 4.3) are i / last1 and j / last2. Multiplied by last1 * last2 they are whole
    # numbers, whose sums are exact: neither the order of the words nor the machine changes the last digit.
    single, repeated, common = 0, 0.0, 0
    for word, places1 in index1.items():
        if word not in index2:
            continue
        places2 = index2[word]
        common += 1
        if len(places1) == 1 and len(places2) == 1:  # equation 2
            single += abs(places1[0] * last2 - places2[0] * last1)
            continue
        scaled1, scaled2 = [i * last2 for i in places1], [j * last1 for j in places2]
        if variant == "paper":
            repeated += max(position_shift(scaled1, scaled2), position_shift(scaled2, scaled1))
        elif len(places1) >= len(places2):
            repeated += position_shift(scaled1, scaled2)
        else:
            repeated += position_shift(scaled2, scaled1)
    return (single + repeated) / (last1 * last2) / common if common else 1.0  # equation 3


def check_variant(variant: str) -> None:
    """Our error for a variant that there is not."""
    if variant not in VARIANTS:
        raise PawsError(Errors.P015.format(name="variant", what=" or ".join(map(repr, VARIANTS)), value=variant))


def position_shift(places1: Sequence[int], places2: Sequence[int]) -> float:
    """The relative position shift with respect to the first sentence (equation 1).

    places1, places2 (Sequence[int]): The positions of one word in both sentences on one scale, in ascending order.
    RETURNS (float): For each occurrence in the first sentence the distance to the nearest in the second, on average.
    """
    total = 0
    for place in places1:
        k = bisect_left(places2, place)
        total += min([abs(place - near) for near in places2[max(k - 1, 0) : k + 1]])
    return total / len(places1)
