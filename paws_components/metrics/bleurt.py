"""BLEURT (Sellam et al., 2020): a model that was taught what people say of a candidate beside its reference."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..errors import Errors, Fatal, PawsError
from ..ml.bleurt import load_bleurt
from ..ml.pair_batches import ask_both_orders, check_sizes
from ..ml.pair_logits import PairLogits

# The checkpoint behind the figures of the Adversarial Paraphrasing Task, in the layout of transformers.
DEFAULT_MODEL = "Elron/bleurt-base-128"


class Bleurt:
    """`paws.BLEURT.v1`: BLEURT of pairs, the first sentence as the reference and the second as the candidate.

    The scale is the checkpoint's own: about -2.2 to 1.1 for the BERT ones, about 0 to 1 for BLEURT-20. So a threshold,
    such as the 0.5 of the Adversarial Paraphrasing Task, goes with a checkpoint. The model is loaded when the first
    pair comes.

    model (str): A checkpoint in the layout of transformers: a folder, an installed package, or a name on the hub.
    symmetric (bool): Whether to take the mean over both orders, as the Adversarial Paraphrasing Task does.
    max_length (Optional[int]): How many tokens of a pair the model sees; None for as many as it can.
    batch_size (Optional[int]): How many pairs one forward pass takes; None for what suits the device.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        symmetric: bool = False,
        max_length: Optional[int] = None,
        batch_size: Optional[int] = None,
    ) -> None:
        check_sizes(max_length, batch_size)
        self.name = model
        self.symmetric = symmetric
        self.max_length = max_length
        self.batch_size = batch_size
        self._logits: Optional[PairLogits] = None

    @property
    def logits(self) -> PairLogits:
        """The model, loaded if it was not. That it can't be is fatal: the next pair would fare no better."""
        if self._logits is None:
            try:
                loaded = load_bleurt(self.name)
                outputs = loaded.model.config.num_labels
                if outputs != 1:
                    raise PawsError(Errors.P405.format(name=self.name, count=outputs))
                self._logits = PairLogits(loaded, self.name, self.max_length, self.batch_size)
            except PawsError as error:
                raise Fatal(str(error)) from error
        return self._logits

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[float]:
        """The score of each pair."""
        if not pairs:
            return []
        if not self.symmetric:
            return list(map(float, self.logits(pairs)[:, 0]))
        there, back = ask_both_orders(self.logits, pairs)
        return list(map(float, (there[:, 0].astype("d") + back[:, 0]) / 2))

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_logits": None}
