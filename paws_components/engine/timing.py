"""Where the time of a worker goes: seconds per stage, none of them counted twice.

A stage is named where it happens, at the granularity of a chunk:

    with timed("judge"):
        answers = judge(questions)

What happens within another stage is taken out of that one, so the stages add up to the time that passed.
"""

import threading
import time
from contextlib import contextmanager
from typing import Dict, Iterator, List

# The stages of a run, and what a reader is told of them.
STAGES = {
    "read": "reading",
    "load": "loading models",
    "pipeline": "pipeline",
    "search": "search",
    "entities": "entities",
    "judge": "judge",
    "translate": "translator",
    "nli": "NLI model",
    "metrics": "metrics",
    "generate": "generator",
    "work": "other work",
    "write": "writing shards",
    "finish": "putting together",
    "wait": "starting, waiting",
    "rest": "all else",
}


class _Clock(threading.local):
    def __init__(self) -> None:
        self.seconds: Dict[str, float] = {}
        # For each stage that is under way, how long others took within it.
        self.within: List[float] = []


_clock = _Clock()


@contextmanager
def timed(stage: str) -> Iterator[None]:
    """Count the time that passes inside to a stage, but for what other stages within it take."""
    clock = _clock
    begun = time.monotonic()
    clock.within.append(0.0)
    try:
        yield
    finally:
        passed = time.monotonic() - begun
        clock.seconds[stage] = clock.seconds.get(stage, 0.0) + passed - clock.within.pop()
        if clock.within:
            clock.within[-1] += passed


@contextmanager
def collected() -> Iterator[Dict[str, float]]:
    """A dict which by the end holds the seconds of each stage inside, and nothing of what was timed before."""
    clock = _clock
    kept = clock.seconds, clock.within
    clock.seconds, clock.within = {}, []
    seconds = clock.seconds
    try:
        yield seconds
    finally:
        clock.seconds, clock.within = kept
