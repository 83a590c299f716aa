from typing import Any, List, Optional, Sequence, Union

import numpy

from paws_components.errors import PawsError
from paws_components.ml.hub import load_pretrained
from paws_components.ml.pair_logits import PairLogits

from ..errors import Errors
from ..sentences import Pair

# What models call it where they are not told: ours, QQP's and MRPC's.
NAMES = ("paraphrase", "duplicate", "is_duplicate", "equivalent")


class TransformerTarget:
    """A sequence classifier of transformers. Its blank is the padding of its tokenizer, as in section 3.3.

    model (str): A folder written by `save_pretrained`, an installed package that carries one, or a name on the hub.
    positive_label (Optional[Union[int, str]]): The number or the name of the label that means "paraphrase"; None where
        the model's config calls one so, or has two labels without names: there it is the second, as in GLUE.
    blank (Optional[str]): What a word is replaced with.
    max_length (Optional[int]): How many tokens of a pair the model sees; None for as many as it can.
    batch_size (Optional[int]): How many pairs one forward pass takes; None for what suits the device.
    """

    def __init__(
        self,
        model: str,
        *,
        positive_label: Optional[Union[int, str]] = None,
        blank: Optional[str] = None,
        max_length: Optional[int] = None,
        batch_size: Optional[int] = None,
    ) -> None:
        loaded = load_pretrained("AutoModelForSequenceClassification", model, "target", trained=True)
        self.logits = PairLogits(loaded, model, max_length, batch_size)
        self.label = find_label(loaded.model.config, positive_label, model)
        self.blank: str = blank or loaded.tokenizer.pad_token

    def __call__(self, pairs: Sequence[Pair]) -> List[float]:
        """The probability of "paraphrase" for each pair: the softmax over the model's labels."""
        if not pairs:
            return []
        logits = self.logits([(first.text, second.text) for first, second in pairs]).astype("d")
        odds = numpy.exp(logits - logits.max(axis=1, keepdims=True))
        found: List[float] = (odds[:, self.label] / odds.sum(axis=1)).tolist()
        return found


def find_label(config: Any, wanted: Optional[Union[int, str]], name: str) -> int:
    """The number of the label that means "paraphrase"."""
    labels = [str(config.id2label.get(i, i)) for i in range(config.num_labels)]
    if wanted is None:
        found = [i for i, label in enumerate(labels) if label.lower() in NAMES]
        if not found and labels == ["LABEL_0", "LABEL_1"]:
            found = [1]
    elif str(wanted) in labels:
        found = [labels.index(str(wanted))]
    else:
        found = [i for i in range(len(labels)) if str(i) == str(wanted)]
    if len(found) != 1 or len(labels) < 2:
        label = wanted if wanted is not None else NAMES[0]
        raise PawsError(Errors.S021.format(name=name, label=label, known=", ".join(labels)))
    return found[0]
