"""Trainings that go on from trained weights, and what projects do with the results."""

import json
import shutil
from pathlib import Path

import numpy
import pytest
import spacy
from spacy.training.initialize import init_nlp
from spacy.util import load_config

from paws_components.errors import PawsError
from paws_components.evaluation.comparison import measure_cell, read_results
from paws_components.evaluation.measures import Measure
from paws_components.pairs import pair_text
from paws_components.records import PairRecord
from paws_components.training.runs import NOTE, train_once
from paws_components.writers import RecordWriter

from .configs import PAIRS, pair_config

pytest.importorskip("torch")

CALLBACK = {"@callbacks": "paws.go_on_from.v1"}
MODEL = {
    "@architectures": "paws.DecAtt.v1",
    "hidden": 8,
    "tok2vec": {"@architectures": "paws.WordEmbed.v1", "width": 8, "rows": 50},
}


@pytest.fixture
def config(tmp_path, monkeypatch):
    """The config of a small training on a few pairs, in the folder that the test is in."""
    monkeypatch.chdir(tmp_path)
    with RecordWriter("pairs.jsonl") as writer:
        for one, other, label in PAIRS[:8]:
            writer.write(PairRecord(one, other, label=int(label == "paraphrase")))
    reader = {"@readers": "paws.PairCorpus.v1", "path": "pairs.jsonl"}
    changes = {"corpora": {"train": reader, "dev": dict(reader)}, "training.max_epochs": 1, "training.max_steps": 0}
    changes["components.textcat.scorer"] = {"@scorers": "paws.paraphrase_scorer.v1", "samples": 10}
    changes["training.score_weights"] = {"cats_score": 1.0, "cats_auc_pr": 0.0, "cats_accuracy": 0.0}
    changes["training.optimizer"] = {"@optimizers": "Adam.v1", "learn_rate": 0.01}
    return pair_config(MODEL, None, None, **changes)


def predictions(nlp):
    return [nlp(pair_text(one, other)).cats["paraphrase"] for one, other, _ in PAIRS[:4]]


def test_training_goes_on_from_trained_weights(config):
    train_once(config, "first")
    first = predictions(spacy.load("first/model-best"))
    second = config.copy()
    second["initialize"]["after_init"] = {**CALLBACK, "path": "first/model-best"}
    # Nothing moves at this rate: what comes out are the weights that went in.
    second["training"]["optimizer"]["learn_rate"] = 0.0
    train_once(second, "second")
    assert predictions(spacy.load("second/model-best")) == first
    written = load_config("second/config.cfg")
    assert written["initialize"]["after_init"]["path"] == "first/model-best"
    started = init_nlp(written)
    assert predictions(started) == first != predictions(init_nlp(load_config("first/config.cfg")))
    # The optimizer knows nothing of the first training.
    assert not started._optimizer.mom1 and not started._optimizer.nr_update
    # What came of it needs the first no more.
    shutil.rmtree("first")
    assert predictions(spacy.load("second/model-best")) == first


def test_other_weights_are_another_training(config):
    train_once(config, "first")
    second = config.copy()
    second["initialize"]["after_init"] = {**CALLBACK, "path": "first/model-best"}
    assert "trained_before" not in train_once(second, "second")
    assert train_once(second, "second")["trained_before"]
    config["training"]["optimizer"]["learn_rate"] = 0.02
    assert "trained_before" not in train_once(config, "first")
    assert "trained_before" not in train_once(second, "second")


def test_weights_need_the_same_word_vectors(config):
    for seed in (0, 1):
        nlp, draw = spacy.blank("en"), numpy.random.default_rng(seed)
        for word in "the dog cat sat on a mat".split():
            nlp.vocab.set_vector(word, draw.random(6, dtype="f"))
        nlp.to_disk(f"vectors{seed}")
    embed = {"@architectures": "paws.WordEmbed.v2", "width": 8, "rows": 50}
    config["components"]["textcat"]["model"]["tok2vec"] = embed
    train_once(config, "without")
    config["initialize"]["vectors"] = "vectors0"
    train_once(config, "with")
    config["initialize"]["after_init"] = {**CALLBACK, "path": "with/model-best"}
    train_once(config, "on")
    for path, vectors, reason in (
        ("with", None, "it has word vectors, and this config has none"),
        ("without", "vectors0", "it has no word vectors, and this config has some"),
        ("with", "vectors1", "it has other word vectors"),
    ):
        config["initialize"]["vectors"] = vectors
        config["initialize"]["after_init"]["path"] = f"{path}/model-best"
        with pytest.raises(PawsError, match=f"P315.*{reason}"):
            train_once(config, "other")


def test_weights_must_be_there(config):
    config["initialize"]["after_init"] = {**CALLBACK, "path": "nowhere"}
    with pytest.raises(PawsError, match=r"\[P020\].*nowhere"):
        train_once(config, "run")


def test_weights_of_a_training_that_was_stopped_are_refused(config):
    train_once(config, "first")
    second = config.copy()
    second["initialize"]["after_init"] = {**CALLBACK, "path": "first/model-best"}
    Path("first", NOTE).unlink()
    with pytest.raises(PawsError, match="P314.*first"):
        train_once(second, "second")
    assert not Path("second").exists()


def test_results_are_read_back(tmp_path):
    one = {"model": "bow", "test_set": "dev", "pairs": 4, "accuracy": {"value": 0.5, "low": 0.25, "high": 0.75}}
    (tmp_path / "results.json").write_text(json.dumps({"results": [one]}), encoding="utf8")
    results = read_results(tmp_path / "results.json")
    assert results == {("bow", "dev"): {"accuracy": Measure(0.5, 0.25, 0.75)}}
    assert measure_cell(results["bow", "dev"]["accuracy"]) == "50.0 [25.0, 75.0]"
    assert measure_cell(Measure(None, None, None)) == measure_cell(None) == "–"
