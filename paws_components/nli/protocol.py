"""What a model of natural language inference must be able to do."""

from typing import List, NamedTuple, Protocol, Sequence, Tuple, runtime_checkable


class Judgement(NamedTuple):
    """What a model says of one pair in one direction.

    Both are there because neither follows from the other: of three labels, entailment can be the most probable one at
    0.4, and that is what the verdict goes by.

    probability (float): How probable the model finds it that the first sentence entails the second.
    entails (bool): Whether entailment is the most probable label.
    """

    probability: float
    entails: bool


@runtime_checkable
class Entailment(Protocol):
    """Judges whether first sentences entail second ones, many pairs at once."""

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[Judgement]:
        """A judgement for each pair, in their order."""
