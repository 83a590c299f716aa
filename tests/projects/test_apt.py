"""The project's own scripts on a few dozen pairs in the layouts of the real files, through `spacy project run`."""

import csv
import importlib
import json
import shutil

import numpy
import pytest
from spacy.util import load_config

from paws_components.evaluation.measures import confusion, f1, mcc

from ..ml.encoders import make_tiny_bert, make_tiny_classifier
from .running import copy_project, json_lines, open_scripts, run_workflow, sentences

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("paws_apt")

SETS = ("twitter", "twitter+aph", "twitter+aph+t5m", "twitter+t5m+t5tw")
TOWNS = ["Oslo", "Bonn", "Rome", "Lima", "Cairo", "Quito", "Paris", "Delhi", "Riga", "Cork", "Bern", "Kyiv"]
TWITTER = [
    (f"{town} gets a new {what}", f"{'There is a new' if yes else 'Nobody likes the'} {what} in {town}", 6 * yes)
    for town in TOWNS
    for what in ("bridge", "mayor")
    for yes in (0, 1)
]
# Source, attempt, BLEURT, MI. The last four sources are to test on.
HUMAN = [
    (f'"It rains in {town}," he said.', text, bleurt, mi)
    for town in TOWNS
    for text, bleurt, mi in (
        (f"He said that {town} is wet.", 0.1, 1),
        (f"It is dry in {town}.", -0.4, 0),
        (f'"It rains in {town}", he told me.', 0.8, 1),
    )
]
TEST_TOWNS = TOWNS[8:]
MSRP = [(i % 3 > 0, f"{town} has {i} ships.", f"There are {i} ships at {town}.") for i, town in enumerate(TOWNS)]
T5M = [(f"{town} has {i} ships.", f"{i} ships has {town}.", i % 2) for i, town in enumerate(TOWNS)]
# A source of AP_H, differently written: it must not be trained on by anybody who is asked about AP_H.
LEAK = ("it rains in OSLO he said", "Rain in Oslo he said", 1)
T5TW = [(f"{town} gets a new bridge", f"A new bridge for {town}", 1) for town in TOWNS]


def is_test(source):
    return any(town in source for town in TEST_TOWNS)


def table(path, rows):
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf8")


def write_data(folder):
    for name in ("apt", "twitter_url", "mrpc"):
        (folder / name).mkdir(parents=True)
    votes = [(a, b, f"({n},6)", "https://example.org") for a, b, n in TWITTER]
    table(folder / "twitter_url" / "Twitter_URL_Corpus_test.txt", [*votes, ("a tweet", "another", "(3,6)", "url")])
    head = ("token", "time", "duration", "dataset", "index", "sentence", "candidate", "BLEURT", "MI", "dollar")
    rows = [("t", 1, 2, "msrp", i, a, b, s, mi, 0.1 * mi) for i, (a, b, s, mi) in enumerate(HUMAN)]
    table(folder / "apt" / "final_checks.tsv", [head, *rows])
    # The authors' train.tsv is quoted, and final_checks.tsv is not.
    with (folder / "apt" / "train.tsv").open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["text_a", "text_b", "labels"])
        writer.writerows((a, b, mi) for a, b, _, mi in HUMAN if not is_test(a))
    head = ("sentence", "paraphrase", "mi")
    table(folder / "apt" / "msrp1-apt.tsv", [head, LEAK, *(row for row in T5M[:4] if row[2])])
    table(folder / "apt" / "msrp1-mi0.tsv", [(a, b, 0.7, 1) for a, b, mi in T5M[4:] if mi])
    table(folder / "apt" / "msrp1-nmi0.tsv", [(a, b, -0.1, 0) for a, b, mi in T5M if not mi])
    table(folder / "apt" / "twitterppdb1-apt.tsv", [head, *T5TW[:6]])
    table(folder / "apt" / "twitterppdb1-mi.tsv", [head, *T5TW[6:]])
    head = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")
    table(folder / "mrpc" / "msr_paraphrase_train.txt", [head, *((int(y), 1, 2, a, b) for y, a, b in MSRP)])


def records(folder, name):
    return json_lines((folder / f"{name}.jsonl").read_text(encoding="utf8"))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with little data, after its workflow with four training sets and two steps each."""
    place = tmp_path_factory.mktemp("projects")
    folder = copy_project("apt", place)
    write_data(place / "data")
    texts = [text for a, b, *_ in (*TWITTER, *HUMAN, *T5M) for text in (a, b)]
    encoder = make_tiny_bert(folder / "encoder", texts, positions=128)
    overrides = {"sets": " ".join(SETS), "max_epochs": 1, "max_steps": 1, "learn_rate": 0.01}
    overrides.update(encoder=encoder, dev_share=0.3, samples=1000, seed=1)
    done = run_workflow(folder, data=place / "data", **overrides)
    return folder, json_lines(done.stdout), done.stdout, done.stderr


@pytest.fixture
def script(project, monkeypatch, capsys):
    with open_scripts(project[0], monkeypatch, capsys) as call:
        yield call


def test_the_attempts_that_were_not_trained_on_are_the_test_set(project):
    folder, lines, _, said = project
    counts = lines[0]
    test = [
        (pair["sentence1"], pair["sentence2"], pair["label"]) for pair in records(folder / "build/corpus", "aph_test")
    ]
    assert test == [(a, b, mi) for a, b, _, mi in HUMAN if is_test(a)]
    assert counts["aph_train_not_in_aph"] == 0 and counts["aph_all"] == len(HUMAN)
    assert counts["msrp_train"] == len(MSRP) and "msrp_test" not in counts and "msr_paraphrase_test.txt" in said


def test_nothing_that_is_tested_on_is_trained_on(project):
    folder, lines, _, _ = project
    counts = lines[0]
    corpus = folder / "build" / "corpus"
    parts = {name: records(corpus, f"{name}_train") for name in ("twitter", "aph", "t5m", "t5tw")}
    devs = [pair for name in parts for pair in records(corpus, f"{name}_dev")]
    for name, pairs in parts.items():
        assert not sentences(pairs) & sentences(records(corpus, "aph_test") + devs), name
        if name != "aph":
            assert not sentences(pairs) & sentences(records(corpus, "aph_all")), name
    assert not sentences(parts["twitter"]) & sentences(records(corpus, "msrp_train"))
    assert counts["t5m_shares_with_aph"] == 1 and counts["twitter_shares_with_aph"] == 0
    # AP_T5^Tw is made of Twitter sentences: what hangs together stays on one side.
    assert counts["twitter_dev"] > 0 and counts["t5tw_dev"] > 0
    assert counts["t5tw_train"] + counts["t5tw_dev"] == len(T5TW)


def test_other_rows_in_train_are_said_and_ap_h_is_cut_by_source(project, script, tmp_path):
    shutil.copytree(project[0] / "assets", tmp_path / "data")
    with (tmp_path / "data" / "apt" / "train.tsv").open("a", encoding="utf8") as file:
        file.write("Nobody wrote this.\tThis was written by nobody.\t1\n")
    out = tmp_path / "corpus"
    (counts,) = json_lines(
        script("prepare", tmp_path / "data", "-o", out, "--dev-share", 0.4, "--seed", 1, "--t5-rows", 9)
    )
    assert counts["aph_train_not_in_aph"] == 1
    assert counts["aph_test"] == 9 and counts["aph_train"] + counts["aph_dev"] == 27
    test, train = ({pair["sentence1"] for pair in records(out, name)} for name in ("aph_test", "aph_train"))
    assert len(test) == 3 and not test & train
    assert counts["t5tw_train"] + counts["t5tw_dev"] == 9


def test_every_set_is_trained_and_asked_about_what_is_fair(project):
    folder, lines, _, _ = project
    counts = lines[0]
    trained = {line["model"]: line["pairs"] for line in lines if "seconds" in line}
    assert trained == {name: sum(counts[f"{part}_train"] for part in name.split("+")) for name in SETS}
    config = load_config(folder / "build/models/twitter+aph+t5m/config.cfg")
    assert [path.split("/")[-1] for path in config["paths"]["dev"]] == [
        "twitter_dev.jsonl",
        "aph_dev.jsonl",
        "t5m_dev.jsonl",
    ]
    asked = {
        test: [one["model"] for one in results(folder, test)["results"]]
        for test in ("aph_test", "aph_all", "msrp_train")
    }
    # All of AP_H is for those that were trained on none of it.
    assert asked == {
        "aph_test": sorted(SETS),
        "aph_all": ["twitter", "twitter+t5m+t5tw"],
        "msrp_train": ["twitter"],
    }


def results(folder, test):
    return json.loads((folder / "build" / "results" / f"{test}.json").read_text(encoding="utf8"))


def test_the_tables_have_the_figures_of_the_answers(project):
    folder, lines, printed, _ = project
    answers = records(folder / "build/results", "aph_test")
    truths = [pair["label"] == 1 for pair in answers]
    table6, table5 = results(folder, "aph_test")["beside"]
    cells = {(cell["row"], cell["column"]): cell for cell in table6["cells"]}
    values = {}
    for name in SETS:
        said = [pair["evidence"]["answers"][name]["label"] == "paraphrase" for pair in answers]
        counts = confusion(numpy.array(truths), numpy.array(said))
        values[name] = float(mcc(counts))
        assert cells[name, "AP_H-test MCC"]["ours"] == pytest.approx(values[name])
        assert cells[name, "AP_H-test F1"]["ours"] == pytest.approx(float(f1(counts)))
    assert cells["twitter+aph", "AP_H-test MCC"]["paper"] == 0.44
    # Not asked: all of AP_H for who was trained on it; MSRP's test part, which is not there.
    assert cells["twitter+aph", "AP_H MCC"]["ours"] is None and cells["twitter", "AP_H MCC"]["ours"] is not None
    filled = {cell["column"] for cell in table5["cells"] if cell["ours"] is not None}
    assert filled == {f"{test} {name}" for test in ("MSRP-train", "AP_H", "AP_H-test") for name in ("MCC", "F1")}
    gains = {gain["model"]: gain for gain in results(folder, "gains")}
    assert set(gains) == set(SETS) - {"twitter"}
    gain = gains["twitter+aph"]
    assert gain["value"] == pytest.approx(values["twitter+aph"] - values["twitter"], abs=1e-6)
    assert gain["sources"] == len(TEST_TOWNS) and gain["verdict"] in ("significant at 5 %", "not significant")
    sentence = "twitter+aph against twitter: MCC"
    text = (folder / "build" / "gains.md").read_text(encoding="utf8")
    assert sentence in text and sentence in printed and "over 4 source sentences" in text
    assert "*TwitterPPDB + AP_H-train + AP_T5, 184k pairs, paper* | – | – | 0.525 | 0.816" in (
        folder / "build" / "table.md"
    ).read_text(encoding="utf8")


def test_a_small_t5_goes_on_with_the_reward_divided_loss(project):
    pytest.importorskip("accelerate")
    folder = project[0]
    texts = [text for a, b, *_ in HUMAN for text in (a, b)]
    labels = ("entailment", "neutral", "contradiction")
    mi = make_tiny_classifier(folder / "nli", texts, labels)
    overrides = {"encoder": folder / "encoder", "mi": mi, "bleurt_rows": 16, "bleurt_test": 4}
    overrides.update(t5_vocabulary=120, t5_width=16, base_steps=2, reward_steps=4, reward_batch=4, log_every=1)
    done = run_workflow(folder, "reward", **overrides)
    pairs = records(folder / "build/t5/start", "pairs")
    assert {pair["label"] for pair in pairs} == {1}
    assert not sentences(pairs) & sentences([{"sentence1": a, "sentence2": b} for a, b, *_ in HUMAN])
    taught = json.loads((folder / "build/bleurt/agreement.json").read_text(encoding="utf8"))
    assert taught["learnt_from"] == 16 and taught["tested_on"] <= 4 and taught["error"] >= 0
    points = json.loads((folder / "build/t5/reward/curve.json").read_text(encoding="utf8"))
    assert [point["step"] for point in points] == [1, 2, 3, 4]
    # `paws apt curve` has the last word.
    ends = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line.startswith("reward")}
    assert ends["reward"] == [f"{point['reward']:.4f}" for point in (points[0], points[-1])]
    assert "4 steps" in done.stdout and "The reward" in done.stdout
    # The control goes on from the same model, and what both write is judged alike.
    run_workflow(folder, "control", **overrides)
    assert len(json.loads((folder / "build/t5/control/curve.json").read_text(encoding="utf8"))) == 4
    for name in ("reward", "control"):
        written = records(folder / "build/t5", f"by_{name}_measured")
        assert len(written) == len(records(folder / "build/t5", f"by_{name}"))
        assert all(0 <= pair["evidence"]["apt_reward"] <= 1 for pair in written)


def test_what_is_wrong_is_said(project, script, tmp_path):
    assert "would be empty" in script("prepare", "assets", "-o", tmp_path / "corpus", "--dev-share", 0)


def test_ap_h_test_is_the_paper_s(data_dir, project, script):
    """Table 4, from the files that its authors released: 1,261 attempts, 799 of them MI; no source is on both sides.

    Attempts in which nothing was written are not pairs, and none of them is MI.
    """
    prepare = importlib.import_module("prepare")
    counts = {}
    tests, train = prepare.read_human(data_dir / "apt", 0.25, 0, counts)
    assert counts["aph_train_not_in_aph"] == 0
    labels = [pair.label == "paraphrase" for pair in tests["aph_test"]]
    empty, empty_train = counts["aph_all_rows_left_out_empty"], counts["aph_rows_left_out_empty"]
    assert (empty, empty_train) == (32, 23)
    assert (len(labels) + empty - empty_train, sum(labels), len(train) + empty_train) == (1261, 799, 3746)
    assert not {pair.sentence1 for pair in tests["aph_test"]} & {pair.sentence1 for pair in train}
