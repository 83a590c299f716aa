"""The project on a few dozen pairs, through `spacy project`: links to the data, vectors, tables, the curve."""

import json
import shutil
import xml.etree.ElementTree as ElementTree

import pytest
import spacy

from ..ml.encoders import make_tiny_bert
from .quora import CITIES, PAWS, PAWS_TEST, QQP, write_quora
from .running import copy_project, json_lines, open_scripts, run_spacy, run_workflow, sentences, write_index

pytest.importorskip("torch")
pytest.importorskip("transformers")

MIXES = ("qqp", "qqp+paws")


def records(folder, name):
    return json_lines((folder / "build" / "corpus" / f"{name}.jsonl").read_text(encoding="utf8"))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with little data, after its workflow with two models and one step each."""
    place = tmp_path_factory.mktemp("projects")
    folder = copy_project("paws_qqp", place)
    write_quora(place / "data")
    index = write_index(place / "index", [*CITIES, "old", "city", "How"])
    encoder = make_tiny_bert(folder / "encoder", [side for pair in QQP + PAWS for side in pair[:2]], positions=128)
    overrides = {"train": 24, "qqp_dev": 4, "paws_dev": 4, "models": "bow transformer", "encoder": encoder}
    overrides["max_steps"] = 1
    run_workflow(folder, data=place / "data", index=index, **overrides)
    # What follows finds everything there already.
    overrides.update(models="bow", curve_models="bow", curve_mixes="qqp qqp+paws:3 qqp+paws")
    figure = run_workflow(folder, "figure", data=place / "data", index=index, **overrides)
    return folder, json_lines(figure.stdout)


@pytest.fixture
def script(project, monkeypatch, capsys):
    """A function that runs a script of the project in its folder: it gives what was printed, or why it gave up."""
    with open_scripts(project[0], monkeypatch, capsys) as call:
        yield call


def test_data_is_linked_and_seen(project):
    folder, _ = project
    assert (folder / "assets" / "qqp").is_symlink() and (folder / "assets" / "paws_qqp" / "train.tsv").is_file()
    told = run_spacy(folder, "project", "assets").stdout
    # The data is not the published data, and what has no address is not fetched.
    assert told.count("incorrect checksum") == 3


def test_leaks_are_taken_out_of_what_is_trained_on(project):
    folder, _ = project
    counts = json.loads((folder / "build" / "corpus" / "counts.json").read_text(encoding="utf8"))
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
    folder, _ = project
    names = [f"{model}-{mix}" for mix in MIXES for model in ("bow", "transformer")]
    notes = {name: json.loads((folder / "build" / "models" / name / "trained.json").read_text()) for name in names}
    assert notes["bow-qqp"]["pairs"] == len(records(folder, "qqp_train"))
    assert notes["bow-qqp+paws"]["pairs"] == len(records(folder, "qqp_train")) + len(records(folder, "paws_train"))
    results = json.loads((folder / "build" / "results.json").read_text(encoding="utf8"))
    assert {(one["model"], one["test_set"], one["pairs"]) for one in results["results"]} == {
        (name, *one) for name in names for one in (("qqp_test", len(QQP) - 24), ("paws_dev_test", len(PAWS_TEST)))
    }
    (beside,) = results["beside"]
    bow = next(one for one in results["results"] if one["model"] == "bow-qqp" and one["test_set"] == "paws_dev_test")
    cell = next(one for one in beside["cells"] if (one["row"], one["column"]) == ("bow", "QQP→PAWS-QQP Acc"))
    assert cell["ours"] == pytest.approx(100 * bow["accuracy"]["value"]) and cell["paper"] == 29.0
    table = (folder / "build" / "table7.md").read_text(encoding="utf8")
    assert "| BOW | " in table and "*BERT, paper* | 90.5 | 96.3 | 33.5" in table
    asked = json_lines((folder / "build" / "table1.jsonl").read_text(encoding="utf8"))
    assert [pair["label"] for pair in asked] == [0, 0, 0, 0, 1, 0]
    assert all(set(pair["evidence"]["answers"]) == set(names) for pair in asked)


def test_words_have_the_vectors_that_were_fetched(project):
    nlp = spacy.load(project[0] / "build" / "models" / "bow-qqp" / "model-best")
    assert nlp.vocab.vectors.shape == (len(CITIES) + 3, 8)
    layer = next(node for node in nlp.get_pipe("textcat").model.walk() if node.name == "vectors_or_hashes")
    assert layer.attrs["has_vectors"] is True


def test_the_curve_is_drawn_and_nothing_is_trained_twice(project):
    folder, lines = project
    trained = {line["model"]: line for line in lines if "seconds" in line}
    assert list(trained) == ["bow-qqp", "bow-qqp+paws3", "bow-qqp+paws"]
    assert ["trained_before" in line for line in trained.values()] == [True, False, True]
    counts = [line["pairs"] - len(records(folder, "qqp_train")) for line in trained.values()]
    assert counts == [0, 3, len(records(folder, "paws_train"))]
    assert [line["number"] for line in lines if "number" in line] == counts
    svg = ElementTree.parse(folder / "build" / "curve.svg").getroot()
    assert len([node for node in svg.iter() if node.tag.endswith("circle")]) == 3


def test_what_is_wrong_is_said(project, script, tmp_path):
    data = ["assets/qqp/quora-dev.tsv", "assets/paws_qqp"]
    assert "held back" in script("prepare", *data, "-o", tmp_path, "--train", 5000)
    shutil.copy(project[0] / "build" / "curve.json", tmp_path)
    assert "no AUC-PR of diin" in script("curve", tmp_path / "curve.json", "diin", "-o", tmp_path / "curve.svg")
