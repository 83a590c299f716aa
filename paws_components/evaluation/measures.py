"""How good are answers? Accuracy, area under the precision-recall curve, F1 and MCC, each with a 95 % interval."""

from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy

Array = Any
# The normal deviate of a two-sided 95 % interval.
Z = 1.959963984540054
# How many numbers one block of resamples may hold: few enough to stay in the processor's cache.
BLOCK = 65_536


class Measure(NamedTuple):
    """A value with its 95 % interval; None where it is not defined."""

    value: Optional[float]
    low: Optional[float]
    high: Optional[float]


def measure_answers(
    truths: Array, scores: Array, answers: Array, right: Optional[Array] = None, *, samples: int = 1000, seed: int = 0
) -> Dict[str, Measure]:
    """Measure answers to a question of yes and no.

    truths (Array): Which pairs are positive.
    scores (Array): How positive the model thinks each is.
    answers (Array): Which of them it calls positive.
    right (Optional[Array]): Which answers are right; None where there are two labels and it follows from the others.
    samples (int): How many resamples the bootstrap draws; 0 for no intervals but the one of accuracy.
    seed (int): Its seed.
    RETURNS (Dict[str, Measure]): `accuracy` (Wilson's interval), `auc_pr`, `f1`, `macro_f1` and `mcc` (bootstrap,
        percentiles).
    """
    truths, answers = numpy.asarray(truths, dtype=bool), numpy.asarray(answers, dtype=bool)
    right = truths == answers if right is None else numpy.asarray(right, dtype=bool)
    # A model that has diverged answers with nan, which no order knows: it comes last.
    scores = numpy.nan_to_num(numpy.asarray(scores, dtype="f8"), nan=-numpy.inf)
    counts = confusion(truths, answers)
    drawn = _resampled_counts(counts, samples, seed)
    return {
        "accuracy": wilson(int(right.sum()), len(right)),
        "auc_pr": _with_interval(average_precision(truths, scores), _resampled_areas(truths, scores, samples, seed)),
        "f1": _with_interval(float(f1(counts)) if len(truths) else None, f1(drawn)),
        "macro_f1": _with_interval(float(macro_f1(counts)) if len(truths) else None, macro_f1(drawn)),
        "mcc": _with_interval(float(mcc(counts)) if len(truths) else None, mcc(drawn)),
    }


def wilson(successes: int, trials: int) -> Measure:
    """A share and Wilson's interval, which stays within 0 and 1 and does not shrink to nothing at either end."""
    if not trials:
        return Measure(None, None, None)
    share = successes / trials
    middle = (share + Z * Z / (2 * trials)) / (1 + Z * Z / trials)
    half = Z / (1 + Z * Z / trials) * (share * (1 - share) / trials + Z * Z / (4 * trials * trials)) ** 0.5
    return Measure(share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)))


def average_precision(truths: Array, scores: Array) -> Optional[float]:
    """The area under the precision-recall curve, as a sum of steps: precision times the recall gained at each score.

    Pairs of equal score come in at once, so that their order means nothing; a line drawn through the points would
    promise more than any threshold can give (Davis and Goadrich, 2006).

    truths (Array): Which pairs are positive.
    scores (Array): How positive each is held to be.
    RETURNS (Optional[float]): The area; None where no pair is positive.
    """
    truths = numpy.asarray(truths, dtype=bool)
    if not truths.any():
        return None
    order, ends = _thresholds(numpy.asarray(scores))
    return float(_areas(truths[order], numpy.ones((1, len(truths)), dtype=int), ends)[0])


def confusion(truths: Array, answers: Array) -> Array:
    """The counts of true positives, false positives, false negatives and true negatives."""
    pairs = ((truths & answers), (~truths & answers), (truths & ~answers), (~truths & ~answers))
    return numpy.array([int(each.sum()) for each in pairs])


def f1(counts: Array) -> Array:
    """The harmonic mean of precision and recall; 0 where nothing is found. The last axis of counts is `confusion`'s."""
    tp, fp, fn = counts[..., 0], counts[..., 1], counts[..., 2]
    return 2 * tp / numpy.maximum(2 * tp + fp + fn, 1)


def macro_f1(counts: Array) -> Array:
    """The mean of the F1 of both answers, yes and no: saying the same of every pair is not worth much in it."""
    return (f1(counts) + f1(counts[..., ::-1])) / 2


def mcc(counts: Array) -> Array:
    """Matthews' correlation coefficient; 0 where all answers or all truths are the same."""
    tp, fp, fn, tn = (counts[..., i].astype("f8") for i in range(4))
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / numpy.sqrt(numpy.where(product > 0, product, 1)) * (product > 0)


def _thresholds(scores: Array) -> Tuple[Array, Array]:
    """The order of falling scores, and the last place of each run of equal ones."""
    order = numpy.argsort(-scores, kind="stable")
    falling = scores[order]
    return order, numpy.append(numpy.nonzero(falling[1:] != falling[:-1])[0], len(falling) - 1)


def _areas(positive: Array, weights: Array, ends: Array) -> Array:
    """The area of each row of weights, which say how often a pair counts.

    Recall is gained only where positive pairs come in, so all is computed for the runs of equal scores that hold one.
    """
    places = numpy.nonzero(positive)[0]
    runs, starts = numpy.unique(numpy.searchsorted(ends, places), return_index=True)
    gained = numpy.add.reduceat(weights[:, places], starts, axis=1) if len(starts) < len(places) else weights[:, places]
    hits = numpy.cumsum(gained, axis=1)
    seen = numpy.cumsum(weights, axis=1)[:, ends[runs]]
    total = hits[:, -1]
    sums = (gained * hits / numpy.maximum(seen, 1)).sum(axis=1)
    return numpy.where(total > 0, sums / numpy.maximum(total, 1), numpy.nan)


def _resampled_areas(truths: Array, scores: Array, samples: int, seed: int) -> Array:
    size = len(truths)
    if not truths.any() or not samples:
        return numpy.empty(0)
    order, ends = _thresholds(scores)
    positive = truths[order]
    random = numpy.random.default_rng(seed)
    areas = []
    step = max(1, BLOCK // size)
    for start in range(0, samples, step):
        rows = min(step, samples - start)
        drawn = random.integers(0, size, (rows, size)) + size * numpy.arange(rows)[:, None]
        weights = numpy.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
        areas.append(_areas(positive, weights, ends))
    return numpy.concatenate(areas)


def _resampled_counts(counts: Array, samples: int, seed: int) -> Array:
    """What F1 and MCC need of a resample is how many of each of the four kinds it has, and that is multinomial."""
    size = int(counts.sum())
    if not size or not samples:
        return numpy.empty((0, 4), dtype=int)
    return numpy.random.default_rng(seed).multinomial(size, counts / size, samples)


def _with_interval(value: Optional[float], drawn: Array) -> Measure:
    # A resample without a positive pair has no area.
    drawn = drawn[~numpy.isnan(drawn)]
    if value is None or not len(drawn):
        return Measure(value, None, None)
    low, high = numpy.percentile(drawn, (2.5, 97.5))
    return Measure(value, float(low), float(high))
