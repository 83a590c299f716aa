"""What an attack takes from a target, and how much of it adversarial training wins back."""

from pathlib import Path
from typing import Dict, List, Optional

import numpy

from paws_components.readers import read_pairs

# Accuracies in per cent, by column and group.
Figures = Dict[tuple, Optional[float]]
RESAMPLES = 10_000


def left(figures: Figures) -> Optional[float]:
    """The accuracy on modified examples over that on the same examples before."""
    before, after = figures["sampled", "all"], figures["modified", "all"]
    return None if not before or after is None else after / before


def loss(figures: Figures, group: str = "all") -> Optional[float]:
    """How much of its accuracy on what was sampled a target loses to the attack, in points."""
    before, after = figures["sampled", group], figures["modified", group]
    return None if before is None or after is None else before - after


def won_back(normal: Figures, adversarial: Figures, group: str = "all") -> Optional[float]:
    """The share of that loss which adversarial training wins back: the gain on modified examples over the loss."""
    lost, before, after = loss(normal, group), normal["modified", group], adversarial["modified", group]
    return None if not lost or before is None or after is None else (after - before) / lost


def change(normal: Figures, adversarial: Figures, column: str) -> Optional[float]:
    """What adversarial training does to the accuracy on pairs that nobody attacked, in points."""
    before, after = normal[column, "all"], adversarial[column, "all"]
    return None if before is None or after is None else after - before


def interval(normal: Path, adversarial: Path, seed: int = 0) -> Optional[List[float]]:
    """A 95 % bootstrap interval of the share that is won back: examples are drawn again, positives and negatives apart.

    normal (Path), adversarial (Path): The outcomes of the attacks, on the same examples.
    seed (int): Of the draws.
    RETURNS (Optional[List[float]]): Both ends; None if some draw has nothing to win back.
    """
    ours, theirs = list(read_pairs(normal)), list(read_pairs(adversarial))
    if [record.evidence["pair_id"] for record in ours] != [record.evidence["pair_id"] for record in theirs]:
        raise SystemExit(f"{normal} and {adversarial} are not about the same examples. Attack both again")
    lost = numpy.array([record.evidence["right_before"] - record.evidence["right_after"] for record in ours])
    gained = numpy.array([b.evidence["right_after"] - a.evidence["right_after"] for a, b in zip(ours, theirs)])
    labels = numpy.array([record.label for record in ours])
    draws = numpy.random.default_rng(seed)
    totals = numpy.zeros((2, RESAMPLES))
    for label in set(labels.tolist()):
        rows = numpy.flatnonzero(labels == label)
        drawn = rows[draws.integers(0, len(rows), (RESAMPLES, len(rows)))]
        totals += [gained[drawn].sum(axis=1), lost[drawn].sum(axis=1)]
    if not totals[1].all():
        return None
    return [round(float(end), 2) for end in numpy.quantile(totals[0] / totals[1], (0.025, 0.975))]
