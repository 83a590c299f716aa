"""Mutual implication without a model, for tests: a sentence entails another if it has all of its words."""

from typing import List, NamedTuple, Sequence, Tuple


class Contained(NamedTuple):
    forward: float
    backward: float
    verdict: bool


def implication(pairs: Sequence[Tuple[str, str]]) -> List[Contained]:
    found = []
    for first, second in pairs:
        one, two = set(first.lower().split()), set(second.lower().split())
        shared = len(one & two)
        forward, backward = shared / max(1, len(two)), shared / max(1, len(one))
        found.append(Contained(forward, backward, forward == backward == 1.0))
    return found
