from typing import Any, List, Optional, Sequence, Tuple

import numpy

from ..ml.hub import load_pretrained
from ..ml.pair_logits import PairLogits
from .labels import ENTAILMENT, Label, find_entailment, same_label
from .protocol import Judgement


class TransformerEntailment:
    """An NLI model of transformers. It is loaded here, and stays in this process.

    model (str): A folder written by `save_pretrained`, an installed package that carries one, or a name on the hub.
    entailment_label (Optional[Label]): The number or the name of the label that means entailment; None where the
        model's config calls one so.
    max_length (Optional[int]): How many tokens of a pair the model sees; None for as many as it can.
    batch_size (Optional[int]): How many pairs one forward pass takes; None for what suits the device.
    """

    def __init__(
        self,
        model: str,
        *,
        entailment_label: Optional[Label] = None,
        max_length: Optional[int] = None,
        batch_size: Optional[int] = None,
    ) -> None:
        loaded = load_pretrained("AutoModelForSequenceClassification", model, "NLI model", trained=True)
        self.logits = PairLogits(loaded, model, max_length, batch_size)
        self.label = _entailment_of(loaded.model.config, entailment_label, model)

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[Judgement]:
        """A judgement for each pair: the softmax over the model's labels."""
        logits = self.logits(pairs).astype("d")
        odds = numpy.exp(logits - logits.max(axis=1, keepdims=True)) if len(pairs) else logits
        probabilities = odds[:, self.label] / odds.sum(axis=1)
        # In a tie it is not: the model does not prefer it.
        others = numpy.delete(logits, self.label, axis=1)
        entails = numpy.all(logits[:, [self.label]] > others, axis=1)
        return [Judgement(*row) for row in zip(probabilities.tolist(), entails.tolist())]


def _entailment_of(config: Any, wanted: Optional[Label], name: str) -> int:
    labels = [str(config.id2label.get(i, i)) for i in range(config.num_labels)]
    # Some configs name their labels in one of the two tables only.
    also = [int(i) for label, i in config.label2id.items() if same_label(str(label), ENTAILMENT)]
    return find_entailment(labels, wanted, name, also)
