"""Mutual implication: each of two sentences entails the other (the Adversarial Paraphrasing Task, section 1)."""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..engine.timing import timed
from ..errors import Errors, Fatal, PawsError
from ..ml.pair_batches import ask_both_orders, check_sizes
from .cached import CachedEntailment
from .labels import Label
from .making import CACHE_SIZE, DEFAULT_MODEL, shared_entailment
from .protocol import Entailment


class MutualImplication(NamedTuple):
    """Whether two sentences imply each other.

    forward (float): The probability that the first entails the second.
    backward (float): The probability that the second entails the first.
    verdict (bool): Whether entailment is the model's first choice both ways, as the authors of the paper have it. No
        threshold is involved: the model weighs entailment against neutral and contradiction.
    """

    forward: float
    backward: float
    verdict: bool


def mutual_implication(model: Entailment, pairs: Sequence[Tuple[str, str]]) -> List[MutualImplication]:
    """Ask a model about pairs in both directions, all of them at once.

    model (Entailment): The model.
    pairs (Sequence[Tuple[str, str]]): The pairs.
    RETURNS (List[MutualImplication]): What it says of each.
    """
    return [
        MutualImplication(one.probability, two.probability, one.entails and two.entails)
        for one, two in zip(*ask_both_orders(model, pairs))
    ]


class MutualJudge:
    """Judges pairs with a model that is named, and loaded when the first pair comes. What pickles is the settings.

    model (str), entailment_label (Optional[Label]), max_length, batch_size (Optional[int]): As in `make_entailment`.
    cache_size (int): How many answers are kept, by what the sentences say; 0 for none.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        entailment_label: Optional[Label] = None,
        max_length: Optional[int] = None,
        batch_size: Optional[int] = None,
        cache_size: int = CACHE_SIZE,
    ) -> None:
        check_sizes(max_length, batch_size)
        if cache_size < 0:
            raise PawsError(Errors.P015.format(name="cache_size", what="0 or more", value=cache_size))
        self.settings = (model, entailment_label, max_length, batch_size, cache_size)
        self._model: Optional[CachedEntailment] = None

    @property
    def entailment(self) -> CachedEntailment:
        """The model, loaded if it was not. That it can't be is fatal: the next pair would fare no better."""
        if self._model is None:
            try:
                self._model = shared_entailment(*self.settings)
            except PawsError as error:
                raise Fatal(str(error)) from error
        return self._model

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[MutualImplication]:
        """Whether the sentences of each pair imply each other."""
        if not pairs:
            return []
        with timed("nli"):
            return mutual_implication(self.entailment, pairs)

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_model": None}
