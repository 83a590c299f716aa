"""Queries to a target: in one batch for all examples, each asked once."""

from random import Random
from typing import Iterable, List, Sequence, Tuple

from paws_components.plugin import Memory, Target

from .sentences import Pair


class Answers(Memory[Pair, float]):
    """What a target has said about the modifications of one example. Examples share no answers: each could be
    attacked by itself with the same result.

    asked (int): How many queries went to the target.
    cached (int): How many were answered by what it had said before.
    """

    def first(self, pairs: Iterable[Pair], most: int) -> List[Pair]:
        """The first of some queries: as many as can be had by asking the target `most` times."""
        found: List[Pair] = []
        new = 0
        for pair in pairs:
            if pair not in self.known:
                if new >= most:
                    break
                new += 1
            found.append(pair)
        return found

    def drawn(self, pairs: Iterable[Pair], most: int) -> List[Pair]:
        """Some queries in their order: all of them, or a draw of as many as asking the target `most` times allows. The
        first ones would leave out the ends of long sentences."""
        found = list(pairs)
        new = [pair for pair in found if pair not in self.known]
        if len(new) <= most:
            return found
        left_out = set(Random(self.asked).sample(new, len(new) - most))
        return [pair for pair in found if pair not in left_out]


def ask(target: Target, wanted: Sequence[Tuple[Answers, Sequence[Pair]]]) -> None:
    """Have the queries of several examples answered in one go.

    target (Target): The target.
    wanted (Sequence[Tuple[Answers, Sequence[Pair]]]): For each example its answers, and its queries.
    """
    new: List[Tuple[Answers, Pair]] = []
    for answers, pairs in wanted:
        new.extend((answers, pair) for pair in answers.new(pairs))
    # Pairs of like length share a batch; the longest come first, so that what does not fit into memory fails at once.
    new.sort(key=lambda each: -(len(each[1][0].words) + len(each[1][1].words)))
    if new:
        for (answers, pair), probability in zip(new, target([pair for _, pair in new])):
            answers.learn([(pair, probability)])
