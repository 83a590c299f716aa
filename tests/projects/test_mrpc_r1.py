"""The project's own scripts on a few dozen pairs in the layouts of the real files, through `spacy project run`."""

import csv
import importlib
import json
import shutil
from pathlib import Path

import pytest
import spacy
from spacy.cli.init_config import fill_config
from spacy.util import load_config

from paws_components.records import PairRecord

from ..ml.encoders import make_tiny_bert
from ..training.small import write_pairs
from .running import PROJECTS, copy_project, json_lines, open_scripts, run_workflow, sentences

pytest.importorskip("torch")
pytest.importorskip("transformers")

PROJECT = PROJECTS / "mrpc_r1"
SETS = ("paws", "mrpc", "mrpc_r1")
TOWNS = ["Oslo", "Bonn", "Rome", "Lima", "Cairo", "Quito", "Paris", "Delhi", "Riga", "Cork"]
# MRPC's quotation marks stand in the text as they are, often alone.
MRPC = [
    (label, f'"{town} has {i + 3} ships, he said.', f"He said {town} had {i + said} ships.")
    for i, town in enumerate(TOWNS)
    for label, said in ((1, 3), (1, 20), (0, 30))
]
PAWS = [
    (f"The road from {a} to {b} is {how} .", f"The road is {how} {rest} .", label)
    for a, b in zip(TOWNS, TOWNS[3:] + TOWNS[:3])
    for how in ("long", "new")
    for rest, label in ((f"from {b} to {a}", 0), (f"from {a} to {b}", 1))
]
# A pair of MRPC that the release does not have, and the other way round.
ONLY_MRPC = (1, "Only MRPC has this.", "This is only in MRPC.")
ONLY_RELEASE = (0, "Only the release has this.", "This is in the release.")


def write_mrpc(folder):
    folder.mkdir(parents=True)
    rows = ["Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"]
    rows += [f"{label}\t{i}\t{i + 1}\t{a}\t{b}" for i, (label, a, b) in enumerate([*MRPC, ONLY_MRPC])]
    text = "\ufeff" + "\r\n".join([*rows, "1\t7\t8\tNo second sentence."]) + "\r\n"
    (folder / "msr_paraphrase_train.txt").write_bytes(text.encode("utf8"))
    with (folder / "mrpc_train_corrected.csv").open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["og_s1", "og_s2", "new_s1", "new_s2", "og_label", "new_label", "remarks"])
        writer.writerows(row for pair in [*MRPC, ONLY_RELEASE] for row in revised(*pair))


def revised(label, first, second):
    """The rows of the release: of MRPC's pairs with two figures those of half the towns are corrected."""
    original = (first.replace('"', "``"), second)
    if not label:
        return [(*original, *original, 0, 0, "no need to correct")]
    ours, theirs = (next((word for word in text.split() if word.isdigit()), "") for text in original)
    if ours == theirs:
        return [(*original, *original, 1, 1, "no need to correct")]
    if int(ours) % 2:
        return [(*original, *original, 1, 0, "can't correct")]
    return [
        (*original, original[0], second.replace(theirs, ours), 1, 1, "corrected"),
        (*original, original[0].replace(ours, theirs), second, 1, 1, "corrected"),
    ]


def write_paws(path, pairs):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ["id\tsentence1\tsentence2\tlabel", *(f"{i}\t{a}\t{b}\t{label}" for i, (a, b, label) in enumerate(pairs, 1))]
    path.write_bytes("".join(f"{row}\r\n" for row in rows).encode("utf8"))


def records(folder, name):
    return json_lines((folder / f"{name}.jsonl").read_text(encoding="utf8"))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with little data, after its workflow with two runs of two steps for each set."""
    folder = copy_project("mrpc_r1", tmp_path_factory.mktemp("projects"))
    write_mrpc(folder / "data" / "mrpc")
    write_paws(folder / "data" / "paws_wiki" / "dev.tsv", PAWS)
    texts = [text for _, *pair in MRPC for text in pair] + [text for *pair, _ in PAWS for text in pair]
    encoder = make_tiny_bert(folder / "encoder", texts, positions=128)
    overrides = {"data": "data", "paws_dev": 12, "paws_test": 12, "runs": 2, "epochs": 2, "max_steps": 1}
    overrides.update(encoder=encoder, learn_rate=0.01, threads=1)
    done = run_workflow(folder, **overrides)
    return folder, json_lines(done.stdout), done.stderr


@pytest.fixture
def script(project, monkeypatch, capsys):
    with open_scripts(project[0], monkeypatch, capsys) as call:
        yield call


def test_both_are_made_of_the_same_pairs(project):
    folder, lines, _ = project
    counts = lines[0]
    assert counts["mrpc_rows"] == len(MRPC) + 2 and counts["mrpc_rows_left_out_unreadable"] == 1
    assert counts["mrpc_not_in_mrpc_r1"] == counts["mrpc_r1_not_in_mrpc"] == 1
    mrpc, released = (records(folder / "build" / "corpus", name) for name in ("mrpc", "mrpc_r1"))
    assert [(pair["label"], pair["sentence1"], pair["sentence2"]) for pair in mrpc] == MRPC
    corrected = sum(len(revised(*pair)) == 2 for pair in MRPC)
    assert 0 < corrected < len(TOWNS) and len(released) == len(MRPC) + corrected
    # As many are relabelled as were neither corrected nor right before.
    assert sum(pair["label"] for pair in released) == len(TOWNS) + 2 * corrected
    assert mrpc[0]["sentence1"][:5] == '"Oslo' and released[0]["sentence1"][:6] == "``Oslo"
    for name in ("mrpc", "mrpc_r1"):
        assert counts[name] == len(records(folder / "build" / "corpus", name))


def test_paws_is_cut_where_only_a_part_of_it_is_there(project):
    folder, lines, said = project
    counts = lines[0]
    assert "dev.tsv is cut" in said and "test.tsv" in said and counts["paws_published_parts"] == 0
    parts = [records(folder / "build" / "corpus", name) for name in ("paws_dev", "paws_test", "paws")]
    assert list(map(len, parts)) == [12, 12, len(PAWS) - 24]
    dev, test, train = map(sentences, parts)
    assert not dev & test and not dev & train and not test & train


def test_published_parts_are_used_as_they_are(project, script, tmp_path):
    folder = project[0]
    data, out = tmp_path / "data", tmp_path / "corpus"
    shutil.copytree(folder / "data", data)
    leak = ("The road from Oslo to Lima is LONG.", "Nobody takes the road from Oslo.", 0)
    write_paws(data / "paws_wiki" / "dev.tsv", PAWS[:8])
    write_paws(data / "paws_wiki" / "test.tsv", PAWS[8:12])
    write_paws(data / "paws_wiki" / "train.tsv", [*PAWS[12:], leak])
    ours = write_pairs(
        tmp_path / "ours.jsonl", [PairRecord("He came.", "There he came.", label=1, label_source="rule")]
    )
    (counts,) = json_lines(script("prepare", data, "-o", out, f"--corrected={ours}"))
    assert counts["paws_published_parts"] == 1
    assert (counts["paws_dev"], counts["paws_test"]) == (8, 4)
    assert counts["paws"] + counts["paws_shares_with_paws_dev_or_test"] == len(PAWS[12:]) + 1
    assert counts["paws_shares_with_paws_dev_or_test"] >= 1
    assert not sentences(records(out, "paws")) & sentences(records(out, "paws_dev") + records(out, "paws_test"))
    assert [pair["label_source"] for pair in records(out, "mrpc_ours")] == ["rule"]


def test_every_set_is_trained_with_every_seed(project):
    folder, lines, _ = project
    trained = [line for line in lines if "seconds" in line]
    assert [line["model"] for line in trained] == [f"{name}-{seed}" for seed in (0, 1) for name in SETS]
    assert {line["model"][:-2]: line["pairs"] for line in trained} == {
        name: len(records(folder / "build" / "corpus", name)) for name in SETS
    }
    config = load_config(folder / "build" / "models" / "mrpc-1" / "config.cfg", interpolate=True)
    parts = (config["training"], config["training"]["batcher"], config["corpora"]["train"])
    assert [part["seed"] for part in parts] == [1, 1, 1]
    assert config["training"]["score_weights"]["cats_macro_f"] == 1.0
    assert config["corpora"]["dev"]["path"] == str(Path("build/corpus/paws_dev.jsonl"))


def test_the_paper_s_setting_is_the_config(project, script, tmp_path):
    """`spacy init fill-config` knows every key, and the pipeline is made from it."""
    folder = project[0]
    train = importlib.import_module("train")
    assert (
        load_config(PROJECT / "configs" / "base.cfg")["components"]["textcat"]["model"]["name"]
        == "microsoft/deberta-base"
    )
    for name, size in (("mrpc_r1", 32), ("paws", 128)):
        config = train.make_config(name, Path("build/corpus"), 3)
        config["components"]["textcat"]["model"]["name"] = str(folder / "encoder")
        config.to_disk(tmp_path / "base.cfg")
        fill_config(tmp_path / "full.cfg", tmp_path / "base.cfg")
        nlp = spacy.util.load_model_from_config(load_config(tmp_path / "full.cfg"), auto_fill=False, validate=True)
        assert nlp.pipe_names == ["paws_pair", "textcat"]
        settings = nlp.config.interpolate()["training"]
        assert settings["batcher"]["size"] == size and settings["seed"] == 3
        assert settings["optimizer"]["@optimizers"] == "Adam.v1" and settings["optimizer"]["learn_rate"] == 1e-5
        assert settings["eval_frequency"] == 50 and settings["max_steps"] == 0
        spacy.util.registry.resolve(settings, schema=spacy.schemas.ConfigSchemaTraining)
        # A training that is over before the 50th step is looked at when it ends.
        train.fit_evaluation(config)
        assert config["training"]["eval_frequency"] == 5 * (2 if size == 32 else 1) - 1


def test_the_first_evaluation_never_chooses(project, script):
    callback = importlib.import_module("callbacks").make_callback()
    nlp = spacy.blank("en", config={"training": {"score_weights": {"cats_f1": 1.0}}})
    evaluate = nlp.evaluate
    callback(nlp, {"step": 0, "epoch": 0})
    assert nlp.evaluate([]) == {"cats_f1": 0.0}
    for step in (1, 2):
        callback(nlp, {"step": step, "epoch": 0})
        assert nlp.evaluate == evaluate


def test_what_was_trained_is_not_trained_again(project, script):
    folder = project[0]
    command = ["train", "mrpc", "--runs", 1, "--epochs", 2, "--max-steps", 1, "--learn-rate", 0.01]
    command += ["--encoder", folder / "encoder"]
    assert json_lines(script(*command))[0]["trained_before"]
    (again,) = json_lines(script(*command, "--choose-by", "cats_f1", "-o", "build/others"))
    assert "trained_before" not in again


def test_the_table_has_the_median_of_the_runs(project):
    folder, lines, _ = project
    runs = json.loads((folder / "build" / "results.json").read_text(encoding="utf8"))
    assert [(run["trained_on"], run["seed"]) for run in runs] == [(name, seed) for name in SETS for seed in (0, 1)]
    text = (folder / "build" / "table.md").read_text(encoding="utf8")
    rows = {
        cells[0]: cells[1:]
        for cells in (
            [cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")
        )
    }
    mine = [100 * run["test"]["macro_f"] for run in runs if run["trained_on"] == "mrpc_r1"]
    assert rows["MRPC-R1"][2] == f"{sum(mine) / 2:.1f} [{min(mine):.1f}, {max(mine):.1f}]"
    assert rows["*MRPC-R1, DeBERTa-base, paper*"][1:3] == ["52.25", "50.83"]
    counts = lines[0]
    share = counts["paws_test_paraphrases"] / counts["paws_test"]
    always = rows["none: yes to all pairs"]
    assert always[2:] == [f"{100 * x:.1f}" for x in (share / (1 + share), 2 * share / (1 + share), share, share, 1)]
    assert "parts of PAWS-Wiki's dev.tsv" in text and "2 runs" in text and str(folder / "encoder") in text
    summary = {line["trained_on"]: line for line in lines if "paper" in line}
    assert list(summary) == list(SETS)
    assert summary["mrpc_r1"]["test_macro_f"]["high"] == round(max(mine), 2)


def test_the_figures_are_those_of_spacy(project):
    """`spacy evaluate` comes to the same, from the answers of the checkpoint that was kept."""
    from paws_components.training.readers import PairCorpus

    folder = project[0]
    runs = json.loads((folder / "build" / "results.json").read_text(encoding="utf8"))
    run = next(run for run in runs if run["trained_on"] == "mrpc" and run["seed"] == 1)
    nlp = spacy.load(folder / "build" / "models" / "mrpc-1" / "model-best")
    for part in ("dev", "test"):
        scores = nlp.evaluate(list(PairCorpus(folder / "build" / "corpus" / f"paws_{part}.jsonl")(nlp)))
        for name in ("macro_f", "f1", "accuracy", "auc_pr"):
            assert run[part][name] == pytest.approx(scores[f"cats_{name}"], abs=1e-4), (part, name)


def test_what_is_wrong_is_said(project, script, tmp_path):
    assert "no training set 'qqp'" in script("train", "qqp")
    assert "Run prepare first" in script("train", "mrpc", "--corpus", tmp_path)
    assert "Run train first" in script("evaluate", "mrpc", "--runs", 3, "-o", tmp_path / "results.json")
    assert "would be empty" in script("prepare", "data", "-o", tmp_path, "--paws-dev", 0)
    shutil.copytree("data/mrpc", tmp_path / "mrpc")
    assert "dev.tsv" in script("prepare", tmp_path, "-o", tmp_path / "corpus")
    (tmp_path / "results.json").write_text("[]", encoding="utf8")
    assert "Run evaluate first" in script("table", tmp_path / "results.json", "-o", tmp_path / "table.md")
    one = ["train", "paws", "--epochs", 1, "--encoder", "none"]
    assert "nothing to choose from" in script(*one)
