from typing import List, Protocol, Sequence, runtime_checkable

from ..sentences import Pair


@runtime_checkable
class Target(Protocol):
    """A classifier that is attacked.

    blank (str): What a word is replaced with in the first stage of a step; the classifier sees it as one token.
    """

    @property
    def blank(self) -> str: ...

    def __call__(self, pairs: Sequence[Pair]) -> List[float]:
        """The probability of "paraphrase" for each pair. It cuts them into batches itself, as they come."""


def says_paraphrase(probability: float) -> bool:
    """Whether a target takes a pair for a paraphrase: above 0.5, as in `paws evaluate`."""
    return probability > 0.5


def gold_score(probability: float, label: int) -> float:
    """The target's score of the gold label: [Z(P, Q)]_y of section 3.1."""
    return probability if label else 1.0 - probability
