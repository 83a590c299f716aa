"""The project's own scripts on a few dozen pairs, through `spacy project run`, and all of its configs."""

import importlib
import json
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import spacy
from spacy.cli.init_config import fill_config
from spacy.util import load_config

from ..ml.encoders import make_tiny_bert
from .quora import PAWS, PAWS_TEST, QQP, write_quora
from .running import PROJECTS, copy_project, json_lines, open_scripts, run_workflow, sentences

pytest.importorskip("torch")
pytest.importorskip("transformers")

PROJECT = PROJECTS / "paws_qqp"
MODELS = ("bow", "bilstm", "esim", "esim_chen", "decatt", "bimpm", "diin", "transformer")


def records(folder, name):
    return json_lines((folder / "build" / "corpus" / f"{name}.jsonl").read_text(encoding="utf8"))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with little data, after its workflow with two models and one step each."""
    folder = copy_project("paws_qqp", tmp_path_factory.mktemp("projects"))
    write_quora(folder / "data")
    encoder = make_tiny_bert(folder / "encoder", [side for pair in QQP + PAWS for side in pair[:2]], positions=128)
    overrides = {"data": "data", "train": 24, "qqp_dev": 4, "paws_dev": 4, "models": "bow transformer"}
    overrides.update(epochs="bow=1 transformer=1", max_steps=1, encoder=encoder, threads=1)
    return folder, json_lines(run_workflow(folder, **overrides).stdout)


@pytest.fixture
def script(project, monkeypatch, capsys):
    """A function that runs a script of the project in its folder: it gives what was printed, or why it gave up."""
    with open_scripts(project[0], monkeypatch, capsys) as call:
        yield call


def test_leaks_are_taken_out_of_what_is_trained_on(project):
    folder, lines = project
    counts = next(line for line in lines if "qqp_rows" in line)
    assert counts["qqp_rows"] == len(QQP) + 1 and counts["qqp_rows_left_out"] == 1
    parts = ("qqp_train", "qqp_dev", "qqp_test", "paws_train", "paws_dev", "paws_dev_test")
    written = {name: records(folder, name) for name in parts}
    assert {name: len(pairs) for name, pairs in written.items()} == {name: counts[name] for name in parts}
    # The test sets are whole.
    assert counts["qqp_test"] == len(QQP) - 24 and counts["paws_dev_test"] == len(PAWS_TEST)
    assert counts["paws_train_shares_with_paws_test"] >= 2
    for train in ("qqp_train", "paws_train"):
        for other in ("qqp_dev", "paws_dev", "qqp_test", "paws_dev_test"):
            assert not sentences(written[train]) & sentences(written[other]), (train, other)
    lost = sum(value for name, value in counts.items() if name.startswith("qqp_train_shares"))
    assert counts["qqp_train"] + counts["qqp_dev"] + lost == 24
    assert {record["label"] for record in written["qqp_train"]} == {0, 1}


def test_the_workflow_trains_measures_and_writes_the_table(project):
    folder, lines = project
    names = [f"{model}-{mix}" for mix in ("qqp", "qqp+paws") for model in ("bow", "transformer")]
    trained = [line for line in lines if "seconds" in line]
    assert [line["model"] for line in trained] == names
    assert trained[2]["pairs"] == len(records(folder, "qqp_train")) + len(records(folder, "paws_train"))
    results = json.loads((folder / "build" / "results.json").read_text(encoding="utf8"))["results"]
    assert {(one["model"], one["test_set"], one["pairs"]) for one in results} == {
        (name, *one) for name in names for one in (("qqp_test", len(QQP) - 24), ("paws_dev_test", len(PAWS_TEST)))
    }
    table = (folder / "build" / "table.md").read_text(encoding="utf8").splitlines()
    assert [line.split("|")[1].strip() for line in table[2:]] == ["BOW", "*BOW, paper*", "transformer", "*BERT, paper*"]
    bow = next(one for one in results if one["model"] == "bow-qqp" and one["test_set"] == "paws_dev_test")
    assert table[2].split("|")[4].split()[0] == f"{100 * bow['accuracy']['value']:.1f}"
    assert [line["model"] for line in lines if "paws_auc_pr_gain" in line] == ["bow", "transformer"]
    asked = json_lines((folder / "build" / "table1.jsonl").read_text(encoding="utf8"))
    assert [pair["label"] for pair in asked] == [0, 0, 0, 0, 1, 0]
    assert all(set(pair["evidence"]["answers"]) == set(names) for pair in asked)


def test_what_was_trained_is_not_trained_again(project, script, tmp_path):
    folder = project[0]
    command = ["train", "bow", "--mixes", "qqp", "--epochs", "bow=1", "--max-steps", 1]
    command += ["--encoder", folder / "encoder"]
    assert json_lines(script(*command))[0]["trained_before"]
    (again,) = json_lines(script(*command, "--seed", 7))
    assert "trained_before" not in again
    # Other pairs under the same names are other data.
    shutil.copytree(folder / "build" / "corpus", tmp_path / "corpus")
    other = [*command, "--seed", 7, "--corpus", tmp_path / "corpus", "-o", tmp_path / "models"]
    script(*other)
    assert json_lines(script(*other))[0]["trained_before"]
    dev = tmp_path / "corpus" / "qqp_dev.jsonl"
    dev.write_text("".join(sorted(dev.read_text(encoding="utf8").splitlines(True))[::-1][1:]), encoding="utf8")
    assert "trained_before" not in json_lines(script(*other))[0]
    config = load_config(folder / "build" / "models" / "bow-qqp" / "config.cfg", interpolate=True)
    parts = (config["training"], config["training"]["batcher"], config["corpora"]["train"])
    assert [part["seed"] for part in parts] == [7, 7, 7]


def test_the_curve_is_drawn(project, script):
    folder = project[0]
    mixes = ["--mixes", "qqp", "qqp+3", "qqp+paws"]
    trained = json_lines(script("train", "bow", *mixes, "--epochs", "bow=1", "--max-steps", 1))
    counts = [line["pairs"] - len(records(folder, "qqp_train")) for line in trained]
    assert counts == [0, 3, len(records(folder, "paws_train"))]
    script("evaluate", "bow", *mixes, "--set", "paws_dev_test", "-o", "build/curve.json", "--one-order", "--quiet")
    points = json_lines(script("curve", "build/curve.json", "-o", "build/curve.svg"))
    assert [point["pairs"] for point in points] == counts
    svg = ElementTree.parse(folder / "build" / "curve.svg").getroot()
    assert len([node for node in svg.iter() if node.tag.endswith("circle")]) == 3


@pytest.mark.parametrize("model", MODELS)
def test_every_config_is_complete(project, script, tmp_path, model):
    """`spacy init fill-config` knows every key, and the pipeline is made from it."""
    folder = project[0]
    config = importlib.import_module("train").make_config(model, "qqp+paws", Path("build/corpus"), 3, 2)
    if model == "transformer":
        config["components"]["textcat"]["model"]["name"] = str(folder / "encoder")
        rate = config["training"]["optimizer"]["learn_rate"]
        pairs = len(records(folder, "qqp_train")) + len(records(folder, "paws_train"))
        assert rate["total_steps"] == 2 * -(-pairs // 32)
    config.to_disk(tmp_path / "base.cfg")
    _, filled = fill_config(tmp_path / "full.cfg", tmp_path / "base.cfg")
    settings = filled["components"]["textcat"]["model"]
    written = load_config(PROJECT / "configs" / f"{model}.cfg")["components"]["textcat"]["model"]
    assert set(written) < set(settings) and settings["@architectures"] == written["@architectures"]
    nlp = spacy.util.load_model_from_config(load_config(tmp_path / "full.cfg"), auto_fill=False, validate=True)
    assert nlp.pipe_names == ["paws_pair", "textcat"]
    resolved = spacy.util.registry.resolve(
        nlp.config.interpolate()["training"], schema=spacy.schemas.ConfigSchemaTraining
    )
    assert resolved["max_epochs"] == 2 and resolved["seed"] == 3


def test_what_is_wrong_is_said(project, script, tmp_path):
    assert "held back" in script("prepare", "data", "-o", tmp_path, "--train", 5000)
    assert "no model 'bert'" in script("train", "bert", "--mixes", "qqp")
    assert "not a mix" in script("train", "bow", "--mixes", "paws")
    assert "MODEL=N" in script("train", "bow", "--mixes", "qqp", "--epochs", "bow=none")
    assert "Run prepare first" in script("train", "bow", "--mixes", "qqp", "--corpus", tmp_path)
    assert "Run the training first" in script("evaluate", "diin", "--mixes", "qqp", "-o", "build/none.json")
    empty = tmp_path / "empty.json"
    empty.write_text('{"results": []}', encoding="utf8")
    assert "no model" in script("table", empty, "-o", tmp_path / "table.md")
