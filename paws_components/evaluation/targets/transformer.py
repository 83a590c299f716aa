from typing import Any, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy
from spacy.util import minibatch

from ...errors import Errors, PawsError
from ...ml.hub import load_pretrained
from ...ml.pair_logits import PairLogits
from ...nli.labels import same_label
from ...records import NLI
from .protocol import Cats, TextPair, WordPair

# What models call it where they are not told: ours, QQP's and MRPC's.
NAMES = ("paraphrase", "duplicate", "is_duplicate", "equivalent")
# How many pairs are sorted by length together, and answered before the next are looked at.
BLOCK = 1024


class TransformerTarget:
    """A sequence classifier of transformers, or a CrossEncoder of sentence-transformers, which is stored as one.

    Its blank is the padding of its tokenizer, as in section 3.3. A model with one output, as most CrossEncoders are,
    gives the logit of "paraphrase".

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
        self.labels, self.label = find_label(loaded.model.config, positive_label, model)
        self.positive_label = self.labels[self.label]
        self.blank: str = blank or loaded.tokenizer.pad_token

    def __call__(self, pairs: Sequence[WordPair]) -> List[float]:
        """The probability of "paraphrase" for each pair."""
        found: List[float] = self._ask([(first.text, second.text) for first, second in pairs])[:, self.label].tolist()
        return found

    def cats(self, pairs: Iterable[TextPair]) -> Iterator[Cats]:
        """The probabilities of all labels for each pair of texts."""
        for block in minibatch(pairs, BLOCK):
            for row in self._ask(block).tolist():
                yield dict(zip(self.labels, row))

    def _ask(self, pairs: List[TextPair]) -> numpy.ndarray:
        """The softmax over the model's labels, a row for each pair."""
        if not pairs:
            return numpy.zeros((0, len(self.labels)))
        logits = self.logits(pairs).astype("d")
        if logits.shape[1] == 1:
            # The sigmoid is the softmax beside 0.
            logits = numpy.hstack([numpy.zeros_like(logits), logits])
        odds = numpy.exp(logits - logits.max(axis=1, keepdims=True))
        found: numpy.ndarray = odds / odds.sum(axis=1, keepdims=True)
        return found


def find_label(config: Any, wanted: Optional[Union[int, str]], name: str) -> Tuple[List[str], int]:
    """The labels of a model, and the number of the one that means "paraphrase"."""
    labels = [_label(str(config.id2label.get(i, i))) for i in range(config.num_labels)]
    # A regression, such as of the similarity from 0 to 5, has one output too, and it is not a logit.
    if len(labels) == 1 and getattr(config, "problem_type", None) != "regression":
        labels = ["not_paraphrase", "paraphrase"]
    if wanted is None:
        found = [i for i, label in enumerate(labels) if label.lower() in NAMES]
        if not found and labels == ["LABEL_0", "LABEL_1"]:
            found = [1]
    else:
        found = [i for i, label in enumerate(labels) if same_label(label, str(wanted))]
        found = found or [i for i in range(len(labels)) if str(i) == str(wanted)]
    if len(found) != 1 or len(labels) < 2:
        missing = wanted if wanted is not None else NAMES[0]
        raise PawsError(Errors.P352.format(name=name, known=", ".join(labels), missing=missing))
    return labels, found[0]


def _label(name: str) -> str:
    """A label as a model calls it; those of inference, which some write in capitals, as our records call them."""
    return next((label for label in NLI if same_label(label, name)), name)
