"""Table 2: how many attempts there are, how many are MI, how many pass, and of how many source sentences."""

from collections import Counter, defaultdict
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from .attempts import Attempt
from .reward import THRESHOLD, reward

# What Table 2 counts, and which count is the whole that a share is of.
ROWS: Dict[str, Tuple[str, Optional[str]]] = {
    "attempts": ("attempts", None),
    "apt_attempts": ("APT attempts", "attempts"),
    "mi_attempts": ("MI attempts", "attempts"),
    "non_mi_attempts": ("non-MI attempts", "attempts"),
    "sources": ("unique sentences", None),
    "apt_sources": ("APT uniques", "sources"),
    "mi_sources": ("MI uniques", "sources"),
    "non_mi_sources": ("non-MI uniques", "sources"),
    "never_mi_sources": ("never-MI uniques", "sources"),
    "apt_by_threshold": ("APT attempts by the threshold", "attempts"),
    "apt_sources_by_threshold": ("APT uniques by the threshold", "sources"),
    "unknown": ("attempts without a similarity", "attempts"),
    "paid": ("attempts with a payment", "attempts"),
    "paid_as_computed": ("payments within 0.01 of equation 1", "paid"),
}
# The paper's Table 2. Its column of non-MI uniques counts two things: the sentences with a non-MI attempt in the two
# rows of T5, and those without any MI attempt in the row of the human attempts.
PAPER: Dict[str, Dict[str, int]] = {
    "AP_H": {
        "attempts": 5007,
        "apt_attempts": 2659,
        "mi_attempts": 3232,
        "non_mi_attempts": 1775,
        "sources": 1631,
        "apt_sources": 1231,
        "mi_sources": 1338,
        "never_mi_sources": 293,
    },
    "AP_T5 M": {
        "attempts": 62986,
        "apt_attempts": 3836,
        "mi_attempts": 37511,
        "non_mi_attempts": 25475,
        "sources": 4072,
        "apt_sources": 2288,
        "mi_sources": 4045,
        "non_mi_sources": 3115,
    },
    "AP_T5 Tw": {
        "attempts": 75011,
        "apt_attempts": 6454,
        "mi_attempts": 17074,
        "non_mi_attempts": 57937,
        "sources": 4328,
        "apt_sources": 3670,
        "mi_sources": 4131,
        "non_mi_sources": 4230,
    },
}


class Stats(NamedTuple):
    """The counts of some attempts, by the names of `ROWS`. What can't be counted is left out."""

    name: str
    counts: Dict[str, int]

    def share(self, row: str) -> Optional[float]:
        """How large a part of its whole a count is."""
        whole = ROWS[row][1]
        return self.counts[row] / self.counts[whole] if whole and self.counts.get(whole) else None

    def to_dict(self) -> Dict[str, Any]:
        shares = {row: self.share(row) for row in self.counts}
        return {
            "name": self.name,
            **self.counts,
            "shares": {row: round(value, 4) for row, value in shares.items() if value is not None},
        }


def count(name: str, attempts: Iterable[Tuple[Attempt, Optional[bool]]], threshold: Optional[float] = None) -> Stats:
    """Count attempts as Table 2 does. Sources are told apart by their text.

    name (str): What the attempts are called.
    attempts (Iterable[Tuple[Attempt, Optional[bool]]]): The attempts, each with what is known about it besides: True
        if it passed, False if not, None if its own columns are to tell. The paper counts as passed what was paid for.
    threshold (Optional[float]): The highest similarity that passes; None for the verdict of an attempt's own run, or
        the paper's threshold.
    RETURNS (Stats): The counts.
    """
    numbers: Dict[str, int] = Counter()
    sources: Dict[str, Set[str]] = defaultdict(set)
    for attempt, known in attempts:
        for kind in _kinds(attempt, known, threshold):
            numbers[kind] += 1
            sources[kind].add(attempt.source)
    counts = {
        "attempts": numbers["all"],
        "apt_attempts": numbers["apt"],
        "mi_attempts": numbers["mi"],
        "non_mi_attempts": numbers["non_mi"],
        "sources": len(sources["all"]),
        "apt_sources": len(sources["apt"]),
        "mi_sources": len(sources["mi"]),
        "non_mi_sources": len(sources["non_mi"]),
        "never_mi_sources": len(sources["non_mi"] - sources["mi"]),
    }
    if numbers["unknown"]:
        # MI attempts of unknown similarity may have passed or not: no number is better than a wrong one.
        del counts["apt_attempts"], counts["apt_sources"]
        counts["unknown"] = numbers["unknown"]
    if numbers["paid"]:
        counts["paid"] = numbers["paid"]
        counts["apt_by_threshold"] = numbers["by_threshold"]
        counts["apt_sources_by_threshold"] = len(sources["by_threshold"])
        counts["paid_as_computed"] = numbers["paid_as_computed"]
    return Stats(name, counts)


def _kinds(attempt: Attempt, known: Optional[bool], threshold: Optional[float]) -> Iterator[str]:
    """All that an attempt counts as."""
    yield "all"
    yield "mi" if attempt.mi else "non_mi"
    by_threshold = attempt.passed(threshold)
    if by_threshold:
        yield "by_threshold"
    passed = by_threshold if known is None else known
    if attempt.reward is not None:
        yield "paid"
        passed = attempt.reward > 0
        if attempt.similarity is not None:
            earned = reward(attempt.mi, attempt.similarity, THRESHOLD if threshold is None else threshold)
            if abs(earned - attempt.reward) <= 0.01:
                yield "paid_as_computed"
    if passed is None:
        yield "unknown"
    elif passed:
        yield "apt"


def paper() -> List[Stats]:
    """The three rows of the paper's Table 2."""
    return [Stats(f"paper: {name}", counts) for name, counts in PAPER.items()]


def cells(stats: Sequence[Stats]) -> List[List[str]]:
    """The counts as a table of texts: a line a count, a column a set of attempts, the header first."""
    lines = [["", *(each.name for each in stats)]]
    for row, (label, _) in ROWS.items():
        if any(row in each.counts for each in stats):
            lines.append([label, *(_cell(each, row) for each in stats)])
    return lines


def _cell(stats: Stats, row: str) -> str:
    if row not in stats.counts:
        return "-"
    share = stats.share(row)
    return f"{stats.counts[row]:,}" + (f" ({share:.2%})" if share is not None else "")
