"""Callbacks of `spacy train`: going on from trained weights, and the evaluation that chooses nothing."""

import pytest
import spacy
from spacy.cli.train import train
from spacy.util import load_config

from paws_components.errors import PawsError
from paws_components.training.first_evaluation import make_no_first_evaluation
from paws_components.training.going_on import go_on_from, make_go_on_from

from .small import CONFIG, make_pairs, write_pairs

BLOCK = """
[initialize.after_init]
@callbacks = "paws.go_on_from.v1"
path = null
"""


def weights(path):
    return (path / "model-best" / "textcat" / "model").read_bytes()


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """A pipeline after two steps, and the config that it came from."""
    monkeypatch.chdir(tmp_path)
    write_pairs(tmp_path / "train.jsonl", make_pairs(24))
    path = tmp_path / "config.cfg"
    path.write_text(CONFIG + BLOCK, encoding="utf8")
    nlp = spacy.util.load_model_from_config(load_config(path), auto_fill=True)
    nlp.config.to_disk(path)
    files = {f"corpora.{name}.path": str(tmp_path / "train.jsonl") for name in ("train", "dev")}
    train(path, tmp_path / "first", overrides={**files, "training.max_steps": 2})
    return path, files


def test_a_component_starts_with_trained_weights(trained, tmp_path):
    path, files = trained
    first = tmp_path / "first" / "model-best"
    # With a rate of 0 it stays what it was.
    still = {**files, "training.max_steps": 1, "training.optimizer.learn_rate": 0.0}
    train(path, tmp_path / "on", overrides={**still, "initialize.after_init.path": str(first)})
    assert weights(tmp_path / "on") == weights(tmp_path / "first")
    train(path, tmp_path / "anew", overrides=still)
    assert weights(tmp_path / "anew") != weights(tmp_path / "first")


def test_what_cannot_be_gone_on_from_is_said(trained, tmp_path):
    nlp = spacy.load(tmp_path / "first" / "model-best")
    assert make_go_on_from()(nlp) is nlp
    with pytest.raises(PawsError, match="P020.*nowhere"):
        go_on_from(nlp, str(tmp_path / "nowhere"), "textcat")
    other = spacy.blank("en")
    other.add_pipe("textcat").add_label("yes")
    other.get_pipe("textcat").add_label("no")
    other.initialize()
    other.to_disk(tmp_path / "other")
    with pytest.raises(PawsError, match="P315.*architecture"):
        go_on_from(nlp, str(tmp_path / "other"), "textcat")


def test_the_first_evaluation_never_chooses():
    callback = make_no_first_evaluation()
    nlp = spacy.blank("en", config={"training": {"score_weights": {"cats_f1": 1.0}}})
    evaluate = nlp.evaluate
    callback(nlp, {"step": 0, "epoch": 0})
    assert nlp.evaluate([]) == {"cats_f1": 0.0}
    for step in (1, 2):
        callback(nlp, {"step": step, "epoch": 0})
        assert nlp.evaluate == evaluate
