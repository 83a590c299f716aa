from typing import List, Optional, Sequence, Tuple, Union

from ..nli.making import CACHE_SIZE, DEFAULT_MODEL
from ..nli.mutual import MutualImplication, MutualJudge


class MIMetric:
    """Mutual implication: the verdict (1 or 0), or the probability of entailment one way.

    Metrics with the same settings share their model and its answers, and `paws_mi` shares them too.

    model (str): An NLI model of transformers or a spaCy pipeline, by name or path; loaded when the first pair comes.
    entailment_label (Optional[Union[int, str]]): The number or the name of the label that means entailment; None where
        the model calls one so.
    max_length (Optional[int]): How many tokens of a pair a transformer sees; None for as many as it can.
    batch_size (Optional[int]): How many pairs one forward pass takes; None for what suits the device.
    cache_size (int): How many answers are kept; 0 for none.
    """

    FIELDS = MutualImplication._fields

    def __init__(
        self,
        field: str,
        *,
        model: str = DEFAULT_MODEL,
        entailment_label: Optional[Union[int, str]] = None,
        max_length: Optional[int] = None,
        batch_size: Optional[int] = None,
        cache_size: int = CACHE_SIZE,
    ) -> None:
        self.field = field
        self.judge = MutualJudge(
            model,
            entailment_label=entailment_label,
            max_length=max_length,
            batch_size=batch_size,
            cache_size=cache_size,
        )

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[float]:
        """The metric of each pair."""
        return [float(getattr(found, self.field)) for found in self.judge(pairs)]
