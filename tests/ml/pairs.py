"""Pairs for tests of the architectures, as spaCy has them."""

from pathlib import Path
from typing import List, Tuple

import numpy
import spacy
from spacy.tokens import DocBin
from spacy.training import Example
from thinc.api import Config

from paws_components.pairs import pair_text

NAMES = "anna ben carla dora emil fred gina hugo".split()
VERBS = ("saw", "met")


def make_pairs() -> List[Tuple[str, str, int]]:
    """32 pairs: who did it to whom, told again in the passive, rightly or the wrong way round."""
    pairs = []
    for i, one in enumerate(NAMES):
        for step, verb in zip((1, 3), VERBS):
            other = NAMES[(i + step) % len(NAMES)]
            pairs.append((f"{one} {verb} {other}.", f"{other} was {verb} by {one}.", 1))
            pairs.append((f"{one} {verb} {other}.", f"{one} was {verb} by {other}.", 0))
    return pairs


PAIRS = make_pairs()
TEXTS = [text for first, second, _ in PAIRS for text in (first, second)]


def cats(label: int) -> dict:
    return {"paraphrase": float(label), "not_paraphrase": float(1 - label)}


def make_examples(nlp) -> List[Example]:
    docs = [(nlp.make_doc(pair_text(first, second)), label) for first, second, label in PAIRS]
    return [Example.from_dict(doc, {"cats": cats(label)}) for doc, label in docs]


def write_corpus(path: Path) -> str:
    """The pairs as a `.spacy` file: pair Docs with their categories."""
    nlp = spacy.blank("en")
    docs = []
    for first, second, label in PAIRS:
        doc = nlp.make_doc(pair_text(first, second))
        doc.cats = cats(label)
        docs.append(doc)
    DocBin(docs=docs).to_disk(path)
    return str(path)


def scores_of(nlp, pairs, **pipe_kwargs) -> numpy.ndarray:
    """The scores of "paraphrase" and of the other label for each pair."""
    docs = nlp.pipe([pair_text(pair[0], pair[1]) for pair in pairs], **pipe_kwargs)
    return numpy.array([[doc.cats["paraphrase"], doc.cats["not_paraphrase"]] for doc in docs])


CONFIG = """
[nlp]
lang = "en"
pipeline = ["paws_pair", "textcat"]

[components]

[components.paws_pair]
factory = "paws_pair"

[components.textcat]
factory = "textcat"

[components.textcat.scorer]
@scorers = "paws.paraphrase_scorer.v1"

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"

[corpora.dev]
@readers = "spacy.Corpus.v1"

[training]
max_steps = 4
eval_frequency = 2

[training.optimizer]
@optimizers = "Adam.v1"
learn_rate = 0.001
"""


def pair_config(model: dict, corpus: str, **components: dict) -> Config:
    """The config of a blank pipeline with a text categorizer of the architecture, and what goes before it."""
    config = Config().from_str(CONFIG, interpolate=False)
    config["components"]["textcat"]["model"] = model
    config["corpora"]["train"]["path"] = config["corpora"]["dev"]["path"] = corpus
    config["components"].update(components)
    config["nlp"]["pipeline"] = ["paws_pair", *components, "textcat"]
    return config
