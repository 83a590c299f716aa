"""Many trainings with one command: mixes, seeds, weights to go on from, and what was done before."""

import json

import pytest
import spacy
from click.testing import CliRunner
from spacy.util import load_config

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.training.matrix import plan_runs, read_mix

from ..training.small import CONFIG, make_pairs, write_pairs

BLOCKS = """
[initialize.after_init]
@callbacks = "paws.go_on_from.v1"
path = ${paths.init}
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder with two configs and three corpora; the last has nothing to choose by."""
    monkeypatch.chdir(tmp_path)
    config = CONFIG.replace("[paths]", "[paths]\ninit = null", 1) + BLOCKS
    (tmp_path / "configs").mkdir()
    nlp = spacy.util.load_model_from_config(spacy.util.load_config_from_str(config), auto_fill=True)
    nlp.config.to_disk(tmp_path / "configs" / "bow.cfg")
    text = (tmp_path / "configs" / "bow.cfg").read_text(encoding="utf8")
    (tmp_path / "configs" / "wide.cfg").write_text(text.replace("ngram_size = 1", "ngram_size = 2"), encoding="utf8")
    (tmp_path / "corpus").mkdir()
    for name, count in (("qqp", 16), ("paws", 8), ("silver", 8)):
        write_pairs(tmp_path / "corpus" / f"{name}_train.jsonl", make_pairs(count))
        if name != "silver":
            write_pairs(tmp_path / "corpus" / f"{name}_dev.jsonl", make_pairs(count)[:6])
    return tmp_path


def run(*arguments):
    command = ["train", *arguments, "--corpus", "corpus", "-o", "models", "--training.max_steps", "1"]
    done = CliRunner().invoke(cli, command, catch_exceptions=False, standalone_mode=False)
    return [json.loads(line) for line in done.output.splitlines() if line.startswith("{")]


def test_models_by_mixes_by_seeds(place):
    lines = run("bow", "configs/wide.cfg", "--mixes", "qqp qqp+paws:3", "--seeds", "1 2")
    names = [f"{model}-{mix}-{seed}" for seed in (1, 2) for mix in ("qqp", "qqp+paws3") for model in ("bow", "wide")]
    assert [line["model"] for line in lines] == names
    assert [line["pairs"] for line in lines[:4]] == [16, 16, 19, 19]
    config = load_config(place / "models" / "wide-qqp+paws3-2" / "config.cfg")
    assert config["paths"]["train"] == ["corpus/qqp_train.jsonl", "corpus/paws_train.jsonl"]
    assert config["paths"]["dev"] == ["corpus/qqp_dev.jsonl", "corpus/paws_dev.jsonl"]
    assert config["system"]["seed"] == 2 and config["corpora"]["train"]["limit"] == [0, 3]
    assert config["components"]["textcat"]["model"]["ngram_size"] == 2
    # The config that is kept is what `spacy train` takes.
    assert spacy.load(place / "models" / names[0] / "model-best").get_pipe("textcat").labels
    again = run("bow", "configs/wide.cfg", "--mixes", "qqp qqp+paws:3", "--seeds", "1 2")
    assert all(line["trained_before"] for line in again)


def test_it_goes_on_from_trained_weights(place):
    dev = str(place / "corpus" / "qqp_dev.jsonl")
    (silver,) = run("bow", "--mixes", "silver", "--dev", dev)
    init = ["--init", "models/{model}-silver/model-best", "--name", "{model}-silver-{mix}"]
    (tuned,) = run("bow", "--mixes", "qqp", *init)
    assert (silver["model"], tuned["model"]) == ("bow-silver", "bow-silver-qqp")
    config = load_config(place / "models" / "bow-silver-qqp" / "config.cfg")
    assert config["paths"]["init"] == "models/bow-silver/model-best"
    assert run("bow", "--mixes", "qqp", *init)[0]["trained_before"]
    # Other weights are another training.
    run("bow", "--mixes", "silver", "--dev", dev, "--training.optimizer.learn_rate", "0.1")
    assert "trained_before" not in run("bow", "--mixes", "qqp", *init)[0]


def test_a_config_reads_what_it_is_given(place):
    text = (place / "configs" / "bow.cfg").read_text(encoding="utf8")
    for name, value in (("init", "null"), ("train", '"mine.jsonl"'), ("dev", '"mine.jsonl"')):
        other = text.replace(f"${{paths.{name}}}", value)
        (place / "configs" / "deaf.cfg").write_text(other, encoding="utf8")
        with pytest.raises(PawsError, match=f"P313.*deaf.cfg.*paths.{name}"):
            run("bow", "deaf", "--mixes", "qqp", "--init", "models/{model}-silver/model-best")
    (place / "configs" / "deaf.cfg").write_text(text.replace("${paths.init}", "null"), encoding="utf8")
    assert run("deaf", "--mixes", "qqp")[0]["model"] == "deaf-qqp"


def test_a_value_goes_where_its_setting_is():
    mix = read_mix("qqp", ["nowhere", "corpus"])
    text = load_config("configs/bow.cfg").to_str()
    configs = plan_runs(["configs/bow.cfg"], [mix], overrides={"training.dropout": 0.5, "paths.encoder": "x"})
    assert configs["bow-qqp"]["training"]["dropout"] == 0.5 and "encoder" not in configs["bow-qqp"]["paths"]
    # The file is as it was.
    assert load_config("configs/bow.cfg").to_str() == text


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("bow", "--mixes", "mrpc"), "P316.*'mrpc'.*mrpc_train.jsonl"),
        (("bow", "--mixes", "qqp:some"), "P316.*'qqp:some'"),
        (("bow", "--mixes", "qqp:0"), "P316"),
        (("bow", "--mixes", "silver"), "P317.*silver_dev.jsonl"),
        (("bert", "--mixes", "qqp"), "P020.*bert.cfg"),
        (("bow", "--mixes", "qqp", "--seeds", "one"), "P015.*--seeds.*one"),
        (("bow", "--mixes", " "), "P015.*--mixes"),
        (("bow", "--mixes", "qqp paws", "--name", "same"), "P318.*same"),
        (("bow", "--mixes", "qqp", "--training.droput", "0.1"), "P319.*droput"),
        (("--mixes", "qqp", "--training.dropout", "0.1"), "P320"),
        (("bow", "--mixes", "qqp", "--init", "nowhere"), "P020.*nowhere"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_trained(place, arguments, said):
    with pytest.raises(PawsError, match=said):
        run(*arguments)
    assert not list(place.glob("models/*/model-best"))
