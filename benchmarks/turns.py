"""Contenders that take turns at the same work, so that a busy machine is as busy for one as for the other."""

import statistics
import time
from typing import Any, Callable, Dict, List


def seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def one_round(contenders: Dict[str, Callable[[], Any]], turn: int) -> Dict[str, float]:
    # Who goes first changes, so that nobody always finds the machine warm.
    names = list(contenders)
    names = names[turn % len(names) :] + names[: turn % len(names)]
    return {name: seconds(contenders[name]) for name in names}


def compare(what: str, count: int, contenders: Dict[str, Callable[[], Any]], rounds: int) -> Dict[str, float]:
    """Let all take turns. RETURNS (Dict[str, float]): The median of the pairs per second of each."""
    speeds: Dict[str, List[float]] = {name: [] for name in contenders}
    for turn in range(rounds):
        for name, taken in one_round(contenders, turn).items():
            speeds[name].append(count / taken)
        shown = ", ".join(f"{name} {values[-1]:.1f}" for name, values in speeds.items())
        print(f"  {what}, round {turn + 1}, pairs per second: {shown}", flush=True)
    return {name: statistics.median(values) for name, values in speeds.items()}
