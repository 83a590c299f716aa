"""The reader, the batcher and the augmenter where they belong: under `spacy train` and the commands beside it."""

import json
import warnings

import pytest
import spacy
from click.testing import CliRunner
from spacy.cli.debug_data import debug_data
from spacy.cli.evaluate import evaluate
from spacy.cli.init_config import fill_config
from spacy.cli.train import train as train_command
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import load_config

from paws_components.cli import cli

from .small import base_config, make_pairs, train_config, write_pairs


@pytest.fixture
def paths(tmp_path):
    return [write_pairs(tmp_path / f"{name}.jsonl", make_pairs()) for name in ("train", "dev")]


def run(config):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        nlp = init_nlp(config)
        trained, _ = train(nlp, None, use_gpu=-1)
    return trained


def predictions(nlp):
    return [nlp(f"{pair.sentence1}\t{pair.sentence2}").cats for pair in make_pairs(6)]


@pytest.mark.parametrize("max_epochs, max_steps", [(0, 9), (3, 0), (-1, 9)])
def test_trains_for_any_number_of_epochs(paths, max_epochs, max_steps):
    settings = {
        "training__max_epochs": max_epochs,
        "training__max_steps": max_steps,
        "training__batcher__swap_sides": 0.5,
        "corpora__train__shuffle": True,
        "corpora__train__class_weights": {"paraphrase": 1.5},
    }
    nlp = run(train_config(*paths, **settings))
    assert nlp.get_pipe("textcat").labels == ("not_paraphrase", "paraphrase")
    assert predictions(nlp) == predictions(run(train_config(*paths, **settings)))  # the same again
    assert len({cats["paraphrase"] for cats in predictions(nlp)}) > 1


def test_streams_with_the_swaps_of_the_reader(paths):
    run(train_config(*paths, training__max_epochs=-1, training__max_steps=6, corpora__train__swap_sides=0.5))


def test_says_when_swapping_would_happen_once(paths):
    with pytest.warns(UserWarning, match="W302.*paws.batch_pairs.v1"):
        batcher = {"@batchers": "spacy.batch_by_sequence.v1", "size": 8}
        config = train_config(*paths, corpora__train__swap_sides=0.5, training__max_epochs=1)
        config["training"]["batcher"] = batcher
        init_nlp(config)


def test_trains_with_the_augmenter(paths):
    config = train_config(*paths)
    config["corpora"]["train"]["augmenter"] = {"@augmenters": "paws.swap_augmenter.v1", "level": 0.5}
    nlp = run(config)
    assert nlp.get_pipe("textcat").labels == ("not_paraphrase", "paraphrase")


def test_the_config_is_filled_and_has_no_unknown_keys(paths, tmp_path):
    base, filled = tmp_path / "base.cfg", tmp_path / "filled.cfg"
    config = base_config(*paths)
    config["corpora"]["train"]["augmenter"] = {"@augmenters": "paws.swap_augmenter.v1", "level": 0.5}
    config.to_disk(base)
    fill_config(filled, base, silent=True)
    read = load_config(filled)
    assert set(read["corpora"]["train"]) == {
        *("@readers", "path", "layout", "labels", "skip", "limit", "weights", "class_weights", "swap_sides"),
        *("shuffle", "seed", "config", "split", "augmenter"),
    }
    assert read["training"]["batcher"]["buffer"] == 1024
    assert set(read["corpora"]["train"]["augmenter"]) == {"@augmenters", "level", "model", "path", "settings", "seed"}
    run(read)


def test_debug_data_tells_of_the_labels(paths, tmp_path, capsys):
    many = write_pairs(tmp_path / "many.jsonl", make_pairs(120))  # fewer than 100 are an error of spaCy's
    train_config(many, paths[1]).to_disk(tmp_path / "config.cfg")
    debug_data(tmp_path / "config.cfg", silent=False)
    said = capsys.readouterr().out
    assert "120 training docs" in said and "24 evaluation docs" in said
    assert "Text Classification: 2 label(s)" in said


def test_spacy_evaluates_what_convert_wrote(paths, tmp_path):
    train_config(*paths, training__max_epochs=1).to_disk(tmp_path / "config.cfg")
    train_command(tmp_path / "config.cfg", tmp_path / "model")
    out = tmp_path / "dev.spacy"
    result = CliRunner().invoke(cli, ["convert", paths[1], "-o", str(out), "--quiet"], catch_exceptions=False)
    assert result.exit_code == 0
    scores = evaluate(str(tmp_path / "model" / "model-last"), out, tmp_path / "scores.json")
    nlp = spacy.load(tmp_path / "model" / "model-last")
    right = sum(
        max(nlp(f"{pair.sentence1}\t{pair.sentence2}").cats.items(), key=lambda item: item[1])[0]
        == ("paraphrase" if pair.label else "not_paraphrase")
        for pair in make_pairs()
    )
    assert scores["cats_micro_p"] == pytest.approx(right / 24)
    assert json.loads((tmp_path / "scores.json").read_text(encoding="utf8"))["cats_micro_p"] == scores["cats_micro_p"]
