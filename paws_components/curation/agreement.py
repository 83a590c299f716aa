"""How far raters agree beyond chance: Fleiss' kappa and Krippendorff's alpha, over the answers of each item."""

from typing import Dict, List, Optional, Sequence

import numpy

from ..errors import Errors, PawsError

Answers = Sequence[Sequence[int]]
LEVELS = ("nominal", "ordinal", "interval")


def kappa(items: Answers) -> Optional[float]:
    """Fleiss' kappa (1971). It wants the same number of answers for every item: those with the most usual number count.

    items (Sequence[Sequence[int]]): The answers of each item.
    RETURNS (Optional[float]): 1.0 for perfect agreement, 0.0 for that of chance; None where there is nothing to tell,
        such as where all answers are the same.
    """
    sizes = [len(answers) for answers in items if len(answers) > 1]
    if not sizes:
        return None
    # The larger of two numbers that are as usual.
    usual = max(set(sizes), key=lambda size: (sizes.count(size), size))
    table = _counts([answers for answers in items if len(answers) == usual])
    observed = ((table**2).sum(axis=1) - usual).mean() / (usual * (usual - 1))
    expected = float(((table.sum(axis=0) / table.sum()) ** 2).sum())
    return None if expected == 1.0 else float((observed - expected) / (1 - expected))


def alpha(items: Answers, level: str = "nominal") -> Optional[float]:
    """Krippendorff's alpha (2011), by way of the coincidence matrix. Items may have different numbers of answers; those
    with fewer than two say nothing of agreement.

    items (Sequence[Sequence[int]]): The answers of each item.
    level (str): "nominal" (yes or no), "ordinal" (a scale of which only the order counts) or "interval".
    RETURNS (Optional[float]): 1.0 for perfect agreement, 0.0 for that of chance, None where there is nothing to tell.
    """
    if level not in LEVELS:
        raise PawsError(Errors.P015.format(name="level", what="one of " + ", ".join(LEVELS), value=level))
    paired = [answers for answers in items if len(answers) > 1]
    if not paired:
        return None
    table = _counts(paired)
    values = numpy.array(sorted({answer for answers in paired for answer in answers}), dtype=float)
    weights = 1 / (table.sum(axis=1) - 1)
    # Every answer is paired with every other one of its item, never with itself.
    coincidences = (table.T * weights) @ table - numpy.diag((table.T * weights).sum(axis=1))
    totals = coincidences.sum(axis=1)
    distances = _distances(values, totals, level)
    expected = (numpy.outer(totals, totals) * distances).sum() / (totals.sum() - 1)
    return None if expected == 0 else float(1 - (coincidences * distances).sum() / expected)


def _distances(values: numpy.ndarray, totals: numpy.ndarray, level: str) -> numpy.ndarray:
    if level == "nominal":
        return 1.0 - numpy.eye(len(values))
    if level == "interval":
        return (values[:, None] - values[None, :]) ** 2
    # Ordinal: how many answers lie between two values, those on the two counted half.
    places = numpy.cumsum(totals) - totals / 2
    return (places[:, None] - places[None, :]) ** 2


def _counts(items: Answers) -> numpy.ndarray:
    """How often each item has each answer: a row per item, a column per answer."""
    columns: Dict[int, int] = {}
    for answer in sorted({answer for answers in items for answer in answers}):
        columns[answer] = len(columns)
    rows: List[List[int]] = []
    for answers in items:
        row = [0] * len(columns)
        for answer in answers:
            row[columns[answer]] += 1
        rows.append(row)
    return numpy.array(rows, dtype=float)
