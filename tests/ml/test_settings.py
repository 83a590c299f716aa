"""Settings and labels that an architecture can't work with are told so, with what to do."""

import sys

import pytest
import spacy

from paws_components.errors import PawsError

from ..training.configs import PAIRS
from .cases import BLOCKS, make_pipeline
from .test_learning import NLI, NLI_ROWS


@pytest.mark.parametrize(
    "block",
    [
        {"@architectures": "paws.BOW.v1", "loss": "hinge"},
        {"@architectures": "paws.BOW.v1", "scale": 0.0},
        {"@architectures": "paws.BiLSTM.v1", "pooling": "sum"},
        {"@architectures": "paws.BiLSTM.v1", "layers": 0},
        {"@architectures": "paws.ESIM.v1", "batch_size": 0},
        {"@architectures": "paws.DecAtt.v1", "hidden": 0},
        {"@architectures": "paws.BiMPM.v1", "perspectives": -1},
        {"@architectures": "paws.DIIN.v1", "max_length": 0},
        {"@architectures": "paws.DIIN.v1", "transition": 0.0},
    ],
    ids=lambda block: "-".join(f"{value}" for value in block.values()),
)
def test_values_out_of_range(block):
    with pytest.raises(PawsError, match="P015"):
        spacy.blank("en").add_pipe("textcat", config={"model": block})


@pytest.mark.parametrize("name", ["bow", "bilstm"])
def test_a_cosine_has_two_labels(name):
    with pytest.raises(PawsError, match="P324"):
        make_pipeline(BLOCKS[name], NLI_ROWS, NLI)


def test_a_cosine_must_know_its_label():
    labels = ("duplicate", "not_duplicate")
    rows = [(one, two, labels[label == "not_paraphrase"]) for one, two, label in PAIRS]
    with pytest.raises(PawsError, match="P323"):
        make_pipeline(BLOCKS["bow"], rows, labels)
    nlp = make_pipeline({**BLOCKS["bow"], "positive_label": "duplicate"}, rows, labels)
    assert nlp.get_pipe("textcat").labels == labels


def test_without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(PawsError, match=r"P342.*paws\.DIIN\.v1.*'torch'"):
        spacy.registry.architectures.get("paws.DIIN.v1")()
