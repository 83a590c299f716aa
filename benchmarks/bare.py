"""A sequence classifier of transformers as one writes it without any library around it, to measure others by."""

from typing import List

import numpy
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from paws_components.ml.pair_batches import ON_CPU


class BareClassifier:
    """Tokenizer, batches that are sorted by length, forward pass, softmax.

    folder (str): What `save_pretrained` wrote.
    """

    def __init__(self, folder: str) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForSequenceClassification.from_pretrained(folder).eval()

    def __call__(self, first: List[str], second: List[str], size: int = ON_CPU) -> numpy.ndarray:
        """The probability of each label, a row per pair."""
        lengths = [len(ids) for ids in self.tokenizer(first, second)["input_ids"]]
        order = sorted(range(len(first)), key=lambda i: -lengths[i])
        scores = numpy.zeros((len(first), self.model.config.num_labels))
        with torch.inference_mode():
            for start in range(0, len(order), size):
                part = order[start : start + size]
                texts = [first[i] for i in part], [second[i] for i in part]
                inputs = self.tokenizer(*texts, padding=True, truncation="longest_first", return_tensors="pt")
                scores[part] = self.model(**inputs).logits.softmax(-1).numpy()
        return scores
