"""Is one model better than another? A paired bootstrap over both models' answers to the same pairs."""

from typing import Any, Hashable, NamedTuple, Sequence

import numpy

from .measures import mcc

# From this p value on a difference may well be chance.
LEVEL = 0.05
# How many numbers one block of resamples may hold.
BLOCK = 4_000_000


class Difference(NamedTuple):
    """How much better one model is than another.

    value (float): The difference of their MCC.
    low (float), high (float): Its 95 % interval.
    p (float): How likely a difference this far from 0 is by chance, on either side.
    groups (int): How many groups of pairs were drawn from.
    """

    value: float
    low: float
    high: float
    p: float
    groups: int

    @property
    def words(self) -> str:
        """What it means, in words."""
        return "significant at 5 %" if self.p < LEVEL else "not significant"


def mcc_difference(
    truths: Sequence[bool],
    before: Sequence[bool],
    after: Sequence[bool],
    groups: Sequence[Hashable],
    *,
    samples: int = 5000,
    seed: int = 0,
) -> Difference:
    """The gain in MCC from one model to another, with a 95 % interval and a p value by a clustered paired bootstrap.

    Whole groups are drawn: attempts at one sentence are alike, and drawing them one by one would promise too much. Both
    models are measured on the same draws, so that what is hard for both does not blur the difference.

    truths (Sequence[bool]): Which pairs are positive.
    before (Sequence[bool]), after (Sequence[bool]): Which of them each model calls positive.
    groups (Sequence[Hashable]): The group of each pair, such as its source sentence.
    samples (int): How many resamples are drawn.
    seed (int): Their seed.
    RETURNS (Difference): The gain; its interval has the percentiles of the resamples, and p is twice the smaller share
        of resamples on either side of 0, with one more added so that it is never 0.
    """
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    places = numpy.array([numbers[group] for group in groups], dtype=int)
    gold = numpy.asarray(truths, dtype=bool)
    counts = [_counts(gold, numpy.asarray(each, dtype=bool), places, len(numbers)) for each in (before, after)]
    first, second = (mcc(each.sum(axis=0)) for each in counts)
    drawn = _resampled(counts[0], counts[1], samples, seed)
    low, high = numpy.percentile(drawn, (2.5, 97.5))
    aside = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    p = min(1.0, 2 * (aside + 1) / (samples + 1))
    return Difference(float(second - first), float(low), float(high), p, len(numbers))


def _counts(truths: Any, answers: Any, places: Any, groups: int) -> Any:
    """The four counts of `measures.confusion` in each group."""
    kinds = numpy.where(truths, numpy.where(answers, 0, 2), numpy.where(answers, 1, 3))
    return numpy.bincount(4 * places + kinds, minlength=4 * groups).reshape(groups, 4)


def _resampled(before: Any, after: Any, samples: int, seed: int) -> Any:
    """The difference in each resample: how often a group is drawn weighs the counts of both models alike."""
    random = numpy.random.default_rng(seed)
    size = len(before)
    differences = []
    step = max(1, BLOCK // size)
    for start in range(0, samples, step):
        weights = random.multinomial(size, numpy.full(size, 1 / size), min(step, samples - start))
        differences.append(mcc(weights @ after) - mcc(weights @ before))
    return numpy.concatenate(differences)
