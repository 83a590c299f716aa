"""WPD and LD of many pairs at once: what `wpd` and `ld` compute, to the last digit, several times faster.

All tokens of all pairs become whole numbers that hold pair, lemma, sentence and position in this order of weight. Once
these are sorted, the occurrences of a lemma in a pair stand side by side, first those in the first sentence.
"""

from typing import Tuple

import numpy
from numpy import bincount, ndarray

# How the 63 bits of such a number are shared out: 16 are left for the pair. Longer texts spaCy itself does not take.
PLACE_BITS = 20
LEMMA_BITS = 26
# How far apart the words of different groups are laid, on the scale of position times length.
SPREAD_BITS = 2 * PLACE_BITS


def deviations(lemmas: ndarray, lengths: ndarray, words: ndarray, variant: str) -> Tuple[ndarray, ndarray]:
    """WPD and LD.

    lemmas (ndarray): The lemmas of all sentences as numbers: those of the first pair, of the second, …
    lengths (ndarray): How many tokens each sentence has, two sentences per pair.
    words (ndarray): By number, whether the lemma counts as a word in LD.
    variant (str): "paper" or "released".
    RETURNS (Tuple[ndarray, ndarray]): The WPD of each pair, and the LD.
    """
    pairs = len(lengths) // 2
    last = lengths.reshape(pairs, 2) - 1
    sentence = numpy.repeat(numpy.arange(2 * pairs), lengths)
    place = numpy.arange(len(lemmas)) - numpy.repeat(numpy.cumsum(lengths) - lengths, lengths)
    code = ((sentence >> 1 << LEMMA_BITS | lemmas) << 1 | sentence & 1) << PLACE_BITS | place
    code.sort()
    place = code & ((1 << PLACE_BITS) - 1)
    side = code >> PLACE_BITS & 1
    group = code >> PLACE_BITS + 1
    # A group is one lemma in one pair.
    first = numpy.flatnonzero(numpy.diff(group, prepend=-1))
    size = numpy.diff(first, append=len(code))
    pair = group[first] >> LEMMA_BITS
    count2 = numpy.add.reduceat(side, first) if len(first) else size
    common = (count2 > 0) & (count2 < size)

    word = words[group[first] & ((1 << LEMMA_BITS) - 1)]
    shared = bincount(pair[common & word], minlength=pairs)
    every = bincount(pair[word], minlength=pairs)
    ld = 1.0 - shared / numpy.maximum(every, 1)  # equation 4; 1.0 where there is no word

    single = common & (size == 2)
    at, of = first[single], pair[single]
    shift = numpy.abs(place[at] * last[of, 1] - place[at + 1] * last[of, 0])  # equation 2
    total = bincount(of, weights=shift, minlength=pairs)
    several = common & (size > 2)
    if several.any():
        inside = numpy.repeat(several, size)
        of, counts = pair[several], size[several]
        here = numpy.repeat(numpy.arange(len(of)), counts)
        scale = last[of[here], 1 - side[inside]]
        shift = _shifts(here, side[inside], place[inside] * scale, counts - count2[several], count2[several], variant)
        # Summed in the order of the first sentence: the order of the groups depends on how lemmas were numbered.
        order = numpy.lexsort((place[first[several]], of))
        total = total + bincount(of[order], weights=shift[order], minlength=pairs)
    commons = bincount(pair[common], minlength=pairs)
    scale = numpy.maximum(last[:, 0] * last[:, 1], 1)
    wpd = numpy.where(commons > 0, total / scale / numpy.maximum(commons, 1), 1.0)  # equation 3
    wpd[(last < 1).any(axis=1)] = 0.0
    return wpd, ld


def _shifts(group: ndarray, side: ndarray, place: ndarray, count1: ndarray, count2: ndarray, variant: str) -> ndarray:
    """The position shift (equation 1) of lemmas that occur more than once, each a group of places on one scale."""
    code = (group << SPREAD_BITS | place) << 1 | side
    code.sort()
    side = code & 1
    place = code >> 1
    group = place >> SPREAD_BITS
    # For each place the nearest of the other sentence, before and after; one of another group is too far to count.
    nearest = numpy.full(len(place), 1 << SPREAD_BITS)
    for here in (0, 1):
        mine, other = side == here, side != here
        before = numpy.maximum.accumulate(numpy.where(other, place, -1))
        after = numpy.minimum.accumulate(numpy.where(other, place, numpy.iinfo("int64").max)[::-1])[::-1]
        for far in (
            numpy.where(before >> SPREAD_BITS == group, place - before, 1 << SPREAD_BITS),
            numpy.where(after >> SPREAD_BITS == group, after - place, 1 << SPREAD_BITS),
        ):
            nearest[mine] = numpy.minimum(nearest[mine], far[mine])
    shift1 = bincount(group[side == 0], weights=nearest[side == 0], minlength=len(count1)) / count1
    shift2 = bincount(group[side == 1], weights=nearest[side == 1], minlength=len(count1)) / count2
    if variant == "paper":
        return numpy.maximum(shift1, shift2)
    return numpy.where(count1 >= count2, shift1, shift2)
