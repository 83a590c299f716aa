"""The architectures as the tests build them: all that they can be, small enough to train in seconds."""

import pytest
import spacy
from thinc.api import fix_random_seed
from thinc.compat import has_cupy_gpu

from ..training.configs import LABELS, PAIRS, make_examples

# The default embedding, on a small scale.
EMBED = {"@architectures": "paws.WordEmbed.v1", "width": 32, "rows": 500}
BLOCKS = {
    "bow": {"@architectures": "paws.BOW.v1"},
    "bow-squared": {"@architectures": "paws.BOW.v1", "loss": "squared"},
    "bilstm": {"@architectures": "paws.BiLSTM.v1"},
    "bilstm-last": {"@architectures": "paws.BiLSTM.v1", "pooling": "last", "layers": 2},
    "esim": {"@architectures": "paws.ESIM.v1"},
    "esim-interaction": {"@architectures": "paws.ESIM.v1", "interaction": True},
    "decatt": {"@architectures": "paws.DecAtt.v1"},
    "decatt-encoder": {"@architectures": "paws.DecAtt.v1", "encoder": True},
    "bimpm": {"@architectures": "paws.BiMPM.v1", "perspectives": 5},
    "diin": {"@architectures": "paws.DIIN.v1", "layers": 2, "growth": 12, "scale_down": 0.6, "max_length": 24},
}
for block in BLOCKS.values():
    block["tok2vec"] = EMBED
    if block["@architectures"] != "paws.DIIN.v1":
        block["hidden"] = 32
SOFTMAX = [name for name in BLOCKS if not name.startswith(("bow", "bilstm"))]
every_architecture = pytest.mark.parametrize("name", BLOCKS)
# spaCy takes a GPU through cupy; torch alone is not enough.
needs_gpu = pytest.mark.skipif(not has_cupy_gpu, reason="needs a GPU and cupy")
every_softmax = pytest.mark.parametrize("name", SOFTMAX)


def make_pipeline(block, rows=PAIRS, labels=LABELS, steps=0, drop=0.0, seed=0):
    """A pipeline of the architecture, initialised, and trained for some steps on all rows at once."""
    fix_random_seed(seed)
    nlp = spacy.blank("en")
    nlp.add_pipe("textcat", config={"model": block})
    train(nlp, rows, labels, steps, drop)
    return nlp


def train(nlp, rows=PAIRS, labels=LABELS, steps=0, drop=0.0):
    """Initialise a pipeline and train it. RETURNS (List[float]): The losses."""
    examples = make_examples(nlp, rows, labels)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.005
    losses = []
    for _ in range(steps):
        losses.append(nlp.update(examples, sgd=optimizer, drop=drop)["textcat"])
    return losses


def predict(nlp, rows, **kwargs):
    """The scores of pairs of sentences, in the order of the labels."""
    from paws_components.pairs import pair_text

    texts = [pair_text(row[0], row[1]) for row in rows]
    labels = nlp.get_pipe("textcat").labels
    return [[doc.cats[label] for label in labels] for doc in nlp.pipe(texts, **kwargs)]
