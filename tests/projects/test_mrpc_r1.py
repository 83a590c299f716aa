"""The project's own scripts on a few dozen pairs in the layouts of the real files, through `spacy project run`."""

import csv
import json
import shutil

import pytest
import spacy
from spacy.util import load_config

from paws_components.records import PairRecord
from paws_components.training.readers import PairCorpus

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
    place = tmp_path_factory.mktemp("projects")
    folder = copy_project("mrpc_r1", place)
    write_mrpc(place / "data" / "mrpc")
    write_paws(place / "data" / "paws_wiki" / "dev.tsv", PAWS)
    texts = [text for _, *pair in MRPC for text in pair] + [text for *pair, _ in PAWS for text in pair]
    encoder = make_tiny_bert(folder / "encoder", texts, positions=128)
    overrides = {"paws_dev": 12, "paws_test": 12, "seeds": "0 1", "max_epochs": 2, "max_steps": 1}
    done = run_workflow(folder, data=place / "data", encoder=encoder, learn_rate=0.01, **overrides)
    return folder, json_lines(done.stdout)


@pytest.fixture
def script(project, monkeypatch, capsys):
    with open_scripts(project[0], monkeypatch, capsys) as call:
        yield call


def test_both_are_made_of_the_same_pairs(project):
    folder, lines = project
    counts = lines[0]
    assert counts["mrpc_rows"] == len(MRPC) + 2 and counts["mrpc_rows_left_out_unreadable"] == 1
    assert counts["mrpc_not_in_mrpc_r1"] == counts["mrpc_r1_not_in_mrpc"] == 1
    mrpc, released = (records(folder / "build" / "corpus", f"{name}_train") for name in ("mrpc", "mrpc_r1"))
    assert [(pair["label"], pair["sentence1"], pair["sentence2"]) for pair in mrpc] == MRPC
    corrected = sum(len(revised(*pair)) == 2 for pair in MRPC)
    assert 0 < corrected < len(TOWNS) and len(released) == len(MRPC) + corrected
    # As many are relabelled as were neither corrected nor right before.
    assert sum(pair["label"] for pair in released) == len(TOWNS) + 2 * corrected
    assert mrpc[0]["sentence1"][:5] == '"Oslo' and released[0]["sentence1"][:6] == "``Oslo"
    for name in ("mrpc", "mrpc_r1"):
        assert counts[f"{name}_train"] == len(records(folder / "build" / "corpus", f"{name}_train"))


def test_paws_is_cut_where_only_a_part_of_it_is_there(project):
    folder, lines = project
    assert lines[0]["paws_is"] == "cut from dev.tsv"
    parts = [records(folder / "build" / "corpus", name) for name in ("paws_dev", "paws_test", "paws_train")]
    assert list(map(len, parts)) == [12, 12, len(PAWS) - 24]
    dev, test, train = map(sentences, parts)
    assert not dev & test and not dev & train and not test & train


def test_published_parts_are_used_as_they_are(project, script, tmp_path):
    folder = project[0]
    data, out = tmp_path / "data", tmp_path / "corpus"
    shutil.copytree(folder / "assets", data)
    leak = ("The road from Oslo to Lima is LONG.", "Nobody takes the road from Oslo.", 0)
    write_paws(data / "paws_wiki" / "dev.tsv", PAWS[:8])
    write_paws(data / "paws_wiki" / "test.tsv", PAWS[8:12])
    write_paws(data / "paws_wiki" / "train.tsv", [*PAWS[12:], leak])
    ours = write_pairs(
        tmp_path / "ours.jsonl", [PairRecord("He came.", "There he came.", label=1, label_source="rule")]
    )
    (counts,) = json_lines(script("prepare", data, "-o", out, f"--corrected={ours}"))
    assert counts["paws_is"] == "published parts"
    assert (counts["paws_dev"], counts["paws_test"]) == (8, 4)
    assert counts["paws_train"] + counts["paws_shares_with_paws_dev_or_test"] == len(PAWS[12:]) + 1
    assert counts["paws_shares_with_paws_dev_or_test"] >= 1
    assert not sentences(records(out, "paws_train")) & sentences(records(out, "paws_dev") + records(out, "paws_test"))
    assert [pair["label_source"] for pair in records(out, "mrpc_ours_train")] == ["rule"]


def test_every_set_is_trained_with_every_seed(project):
    folder, lines = project
    trained = [line for line in lines if "seconds" in line]
    runs = [(name, seed) for seed in (0, 1) for name in ("mrpc", "mrpc_r1")] + [("paws", 0), ("paws", 1)]
    assert [line["model"] for line in trained] == [f"{name}-{seed}" for name, seed in runs]
    assert {line["model"][:-2]: line["pairs"] for line in trained} == {
        name: len(records(folder / "build" / "corpus", f"{name}_train")) for name in SETS
    }
    configs = {name: load_config(folder / "build" / "models" / name / "config.cfg") for name in ("mrpc-1", "paws-1")}
    for name, size in (("mrpc-1", 32), ("paws-1", 128)):
        config = configs[name].interpolate()
        parts = (config["training"], config["training"]["batcher"], config["corpora"]["train"])
        assert [part["seed"] for part in parts] == [1, 1, 1] and parts[1]["size"] == size
        assert config["corpora"]["dev"]["path"] == ["build/corpus/paws_dev.jsonl"]


def test_the_paper_s_setting_is_the_config():
    config = load_config(PROJECT / "configs" / "cross_encoder.cfg")
    training = config["training"]
    assert config["paths"]["encoder"] == "microsoft/deberta-base"
    assert training["optimizer"]["@optimizers"] == "Adam.v1" and training["optimizer"]["learn_rate"] == 1e-5
    assert (training["eval_frequency"], training["max_steps"], training["batcher"]["size"]) == (50, 0, 32)
    assert training["score_weights"]["cats_macro_f"] == 1.0


def test_the_table_has_the_median_of_the_runs(project):
    folder, lines = project
    found = json.loads((folder / "build" / "results.json").read_text(encoding="utf8"))
    mine = [
        100 * run["macro_f1"]["value"]
        for run in found["results"]
        if run["model"].startswith("mrpc_r1-") and run["test_set"] == "paws_test"
    ]
    text = (folder / "build" / "table.md").read_text(encoding="utf8")
    rows = {
        cells[0]: cells[1:]
        for cells in (
            [cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")
        )
    }
    assert len(mine) == 2
    assert rows["MRPC-R1"][1] == f"{sum(mine) / 2:.2f} [{min(mine):.2f}, {max(mine):.2f}] of 2"
    assert rows["*MRPC-R1, DeBERTa-base, paper*"][:2] == ["52.25", "50.83"]


def test_the_figures_are_those_of_spacy(project):
    """`spacy evaluate` comes to the same, from the answers of the checkpoint that was kept."""
    folder = project[0]
    found = json.loads((folder / "build" / "results.json").read_text(encoding="utf8"))["results"]
    nlp = spacy.load(folder / "build" / "models" / "mrpc-1" / "model-best")
    for part in ("paws_dev", "paws_test"):
        run = next(run for run in found if run["model"] == "mrpc-1" and run["test_set"] == part)
        scores = nlp.evaluate(list(PairCorpus(folder / "build" / "corpus" / f"{part}.jsonl")(nlp)))
        for name, theirs in (("macro_f1", "macro_f"), ("f1", "f1"), ("accuracy", "accuracy"), ("auc_pr", "auc_pr")):
            assert run[name]["value"] == pytest.approx(scores[f"cats_{theirs}"], abs=1e-4), (part, name)


def test_what_is_wrong_is_said(project, script, tmp_path):
    assert "would be empty" in script("prepare", "assets", "-o", tmp_path, "--paws-dev", 0)
    shutil.copytree("assets/mrpc", tmp_path / "mrpc")
    assert "dev.tsv" in script("prepare", tmp_path, "-o", tmp_path / "corpus")
