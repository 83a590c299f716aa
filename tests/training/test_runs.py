import json

import pytest
from spacy.util import load_config, load_config_from_str
from thinc.api import Config

from paws_components.errors import PawsError
from paws_components.readers import open_pairs
from paws_components.training import runs
from paws_components.training.convert import convert_pairs
from paws_components.training.runs import (
    corpus_files,
    count_pairs,
    fit_schedule,
    train_once,
    was_trained,
)

from .small import CONFIG, make_pairs, write_pairs


@pytest.fixture
def config(tmp_path):
    """A config as a project puts it together: with variables, with paths in lists, and two steps long."""
    config = load_config_from_str(CONFIG)
    pairs = make_pairs(24)
    for name, part in (("train", pairs[:16]), ("dev", pairs[16:])):
        config["corpora"][name]["path"] = [write_pairs(tmp_path / f"{name}.jsonl", part)]
    config["components"]["textcat"]["scorer"] = {"@scorers": "paws.paraphrase_scorer.v1", "samples": 0}
    config["training"]["score_weights"] = {"cats_score": 1.0, "cats_accuracy": 0.0, "cats_auc_pr": None}
    config["training"]["max_steps"] = 1
    return config


def test_a_missing_file_is_named(config, tmp_path):
    assert [path.name for path in corpus_files(config)] == ["train.jsonl", "dev.jsonl"]
    config["corpora"]["dev"]["path"] = str(tmp_path / "none.jsonl")
    assert [path.name for path in corpus_files(config, "train")] == ["train.jsonl"]
    with pytest.raises(PawsError, match=r"P020.*none\.jsonl.*it is not there"):
        corpus_files(config)
    with pytest.raises(PawsError, match="none.jsonl"):
        train_once(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_pairs_are_counted_within_their_limits(config):
    assert count_pairs(config) == 16
    config["corpora"]["train"]["path"] *= 2
    config["corpora"]["train"]["limit"] = [0, 5]
    assert count_pairs(config) == 21
    config["corpora"]["train"]["limit"] = 5
    assert count_pairs(config) == 10
    # As the reader takes them: a falling rate must not reach its end before the last epoch.
    config["corpora"]["train"].update(limit=0, weights=[1.0, 3.0])
    assert count_pairs(config) == 64
    config["corpora"]["train"].update(weights=None, class_weights={"paraphrase": 2.0}, skip=4)
    assert count_pairs(config) == 36


def test_pairs_of_spacy_s_own_reader_are_counted(config, tmp_path):
    (train,) = config["corpora"]["train"]["path"]
    convert_pairs([open_pairs(train)], str(tmp_path / "train.spacy"), quiet=True)
    reader = {"@readers": "spacy.Corpus.v1", "gold_preproc": False, "limit": 7}
    config["corpora"]["train"] = {**reader, "path": str(tmp_path / "train.spacy")}
    assert count_pairs(config) == 7


def test_a_falling_rate_ends_with_the_last_epoch(config):
    falling = {"@schedules": "warmup_linear.v1", "initial_rate": 0.1, "warmup_steps": 100, "total_steps": 1000}
    config["training"]["optimizer"] = {"@optimizers": "Adam.v1", "learn_rate": dict(falling)}
    config["training"]["batcher"]["size"] = 3
    config["training"]["max_epochs"] = 5
    fit_schedule(config)
    # 16 pairs are six batches, the last with one.
    assert config["training"]["optimizer"]["learn_rate"] == {**falling, "total_steps": 30, "warmup_steps": 3}
    config["training"]["optimizer"]["learn_rate"] = dict(falling, warmup_steps=2)
    fit_schedule(config, warmup=0.5)
    assert config["training"]["optimizer"]["learn_rate"]["warmup_steps"] == 2


def test_a_rate_needs_batches_of_one_size(config):
    falling = {"@schedules": "warmup_linear.v1", "initial_rate": 0.1, "warmup_steps": 100, "total_steps": 1000}
    config["training"]["optimizer"] = {"@optimizers": "Adam.v1", "learn_rate": falling}
    growing = {"@schedules": "compounding.v1", "start": 2, "stop": 8, "compound": 1.1}
    for name, size in (("paws.batch_pairs.v1", growing), ("spacy.batch_by_words.v1", 2000)):
        config["training"]["batcher"] = {"@batchers": name, "size": size}
        with pytest.raises(PawsError, match=f"P015.*training.batcher.*{name}"):
            fit_schedule(config)
    # Steps are counted without it.
    config["training"].update(max_epochs=0, max_steps=50)
    fit_schedule(config)
    assert falling["total_steps"] == 50


def test_a_rate_that_stays_is_left_alone(config):
    config["training"]["optimizer"] = {"@optimizers": "Adam.v1", "learn_rate": 0.01}
    before = Config(config).to_str()
    fit_schedule(config)
    assert Config(config).to_str() == before


def test_what_was_trained_is_not_trained_again(config, tmp_path, monkeypatch):
    folder = tmp_path / "bow-0"
    first = train_once(config, folder)
    # Scores with a weight are told, also with 0; without one they are not.
    assert set(first) == {"model", "pairs", "epochs", "seconds", "dev_score", "dev_accuracy"}
    assert (first["model"], first["pairs"], first["epochs"]) == ("bow-0", 16, 2)
    assert was_trained(folder) and (folder / "model-best").is_dir()
    assert load_config(folder / "config.cfg")["training"]["max_steps"] == 1

    calls = []
    monkeypatch.setattr(runs, "train", lambda path, output, use_gpu: calls.append(use_gpu))
    assert train_once(config, str(folder)) == {**first, "trained_before": True}
    assert not calls
    config["training"]["max_epochs"] = 3
    assert "trained_before" not in train_once(config, folder, gpu_id=-1)
    assert calls == [-1]


def test_changed_pairs_are_trained_on_again(config, tmp_path, monkeypatch):
    folder = tmp_path / "run"
    train_once(config, folder)
    calls = []
    monkeypatch.setattr(runs, "train", lambda *args, **kwargs: calls.append(args))
    for name in ("train", "dev"):
        write_pairs(tmp_path / f"{name}.jsonl", make_pairs(24)[4:12])
        assert "trained_before" not in train_once(config, folder)
        assert train_once(config, folder)["trained_before"]
    assert len(calls) == 2


def test_a_run_that_was_stopped_is_trained_again(config, tmp_path, monkeypatch):
    folder = tmp_path / "run"
    train_once(config, folder)
    note = json.loads((folder / runs.NOTE).read_text(encoding="utf8"))
    assert len(note["files"]) == 2 and "[training]" in note["config"]

    def stopped(path, output, use_gpu):
        (output / "model-best").mkdir(exist_ok=True)
        raise KeyboardInterrupt

    config["training"]["max_epochs"] = 3
    with monkeypatch.context() as patch:
        patch.setattr(runs, "train", stopped)
        with pytest.raises(KeyboardInterrupt):
            train_once(config, folder)
    # The note of the training before is gone as well: model-best is no longer what it tells of.
    assert not was_trained(folder) and (folder / "model-best").is_dir()
    assert "trained_before" not in train_once(config, folder)
    assert was_trained(folder)


def test_another_model_in_a_folder_that_is_named_is_another_training(config, tmp_path, monkeypatch):
    encoder, folder = tmp_path / "encoder", tmp_path / "run"
    encoder.mkdir()
    for name in ("config.json", "model.safetensors"):
        (encoder / name).write_text("{}", encoding="utf8")
    config["paths"]["encoder"] = str(encoder)
    train_once(config, folder)
    monkeypatch.setattr(runs, "train", lambda *args, **kwargs: None)
    assert train_once(config, folder)["trained_before"]
    (encoder / "model.safetensors").write_text("other weights", encoding="utf8")
    done = train_once(config, folder)
    assert "trained_before" not in done
    assert train_once(config, folder) == {**done, "trained_before": True}
    # A note from before the models were told of stays good.
    note = json.loads((folder / runs.NOTE).read_text(encoding="utf8"))
    del note["models"]
    (folder / runs.NOTE).write_text(json.dumps(note), encoding="utf8")
    assert train_once(config, folder) == {**done, "trained_before": True}
