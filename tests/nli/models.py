"""NLI models for tests: a tiny BERT with a random head, and a small spaCy pipeline that was taught a few pairs."""

from pathlib import Path
from typing import List, Sequence, Tuple

import spacy
from spacy.training import Example
from thinc.api import fix_random_seed

from paws_components.nli.protocol import Judgement
from paws_components.pairs import pair_text

from ..ml.encoders import make_tiny_classifier

LABELS = ("entailment", "neutral", "contradiction")
# Of several lengths, and without a sentence on one side or both.
PAIRS = [
    ("anna saw ben.", "ben was seen by anna."),
    ("anna saw ben in the old house by the sea.", "anna saw ben."),
    ("ben slept.", "ben was awake all night."),
    ("yes", "no"),
    ("", "ben met anna."),
    ("anna", ""),
    ("", ""),
]
TEXTS = [text for pair in PAIRS for text in pair]
TAUGHT = {
    ("anna saw ben.", "ben was seen by anna."): "entailment",
    ("ben was seen by anna.", "anna saw ben."): "entailment",
    ("anna saw ben in the old house by the sea.", "anna saw ben."): "entailment",
    ("anna saw ben.", "anna saw ben in the old house by the sea."): "neutral",
    ("ben slept.", "ben was awake all night."): "contradiction",
    ("ben was awake all night.", "ben slept."): "contradiction",
}


def make_transformer(folder: Path, labels: Sequence[str] = LABELS) -> str:
    """Write a tiny NLI model of transformers."""
    return make_tiny_classifier(folder, TEXTS, labels)


def make_pipeline(folder: Path) -> str:
    """Write a spaCy pipeline that knows the pairs it was taught."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    # N-grams reach across the tab, so that the order of the sentences counts.
    bow = {"exclusive_classes": True, "ngram_size": 3, "length": 4096, "no_output_layer": False}
    nlp.add_pipe("textcat", config={"model": {"@architectures": "spacy.TextCatBOW.v3", **bow}})
    examples = [
        Example.from_dict(nlp.make_doc(pair_text(*pair)), {"cats": {name: float(name == label) for name in LABELS}})
        for pair, label in TAUGHT.items()
    ]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(folder)
    return str(folder)


class Counting:
    """A model that says how often it was asked, and about what. A sentence entails those it begins with."""

    def __init__(self) -> None:
        self.calls: List[List[Tuple[str, str]]] = []

    def __call__(self, pairs):
        self.calls.append(list(pairs))
        return [Judgement(0.4 if one.startswith(two) else 0.3, one.startswith(two)) for one, two in pairs]
