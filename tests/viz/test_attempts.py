import numpy
import pytest

from paws_components.records import PairRecord
from paws_components.viz.attempts import BINS, MI, NOT_MI, PASSED, attempt_charts, note_attempt
from paws_components.viz.report import ReportSettings, build_report
from paws_components.viz.sample import read_corpus
from paws_components.writers import RecordWriter

from .conftest import check_markup

# BLEURT, MI, what was paid: a cent is still paid a little above 0.5.
ATTEMPTS = [(-0.9, 1, 0.97), (0.1, 1, 0.14), (0.505, 1, 0.01), (0.7, 1, 0.0), (0.9, 1, 0.0), (-1.2, 0, 0.0)]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attempts")
    head = "token\ttime\tduration\tdataset\tindex\tsentence\tcandidate\tBLEURT\tMI\tdollar"
    rows = [f"t\t1\t2\tppnmt\t{i}\tAnn met Bob.\tBob met {i}.\t{s}\t{mi}\t{p}" for i, (s, mi, p) in enumerate(ATTEMPTS)]
    (folder / "final_checks.tsv").write_text("\n".join([head, *rows]) + "\n", encoding="utf8")
    rows = [f"Ann met Bob.\tBob met {i}.\t{s}\t{mi}" for i, (s, mi, _) in enumerate(ATTEMPTS)]
    (folder / "scored.tsv").write_text("\n".join(rows) + "\n", encoding="utf8")
    with RecordWriter(folder / "built.jsonl") as writer:
        for i, (similarity, mi, _) in enumerate(ATTEMPTS):
            evidence = {"round": 1, "mi": bool(mi), "similarity": similarity, "passed": bool(mi) and similarity <= 0.2}
            writer.write(PairRecord("Ann met Bob.", f"Bob met {i}.", mi, evidence=evidence))
    return folder


@pytest.mark.parametrize(
    "name, passed, mi",
    [
        ("final_checks.tsv", [-0.9, 0.1, 0.505], [0.7, 0.9]),
        ("scored.tsv", [-0.9, 0.1], [0.505, 0.7, 0.9]),
        ("built.jsonl", [-0.9, 0.1], [0.505, 0.7, 0.9]),
    ],
)
def test_files_of_attempts(files, name, passed, mi):
    """Payments tell what passed, or the verdict of the run, or else the paper's threshold; all rows are counted."""
    corpus = read_corpus("c", str(files / name), 2, 0)
    assert len(corpus.records) == 2
    assert corpus.similarities == {PASSED: passed, MI: mi, NOT_MI: [-1.2]}


def test_a_verdict_of_the_run_counts_and_metrics_are_known():
    found = {}
    note_attempt(found, {"similarity": 0.1, "mi": True, "passed": False}, 1)
    note_attempt(found, {"bleurt": 0.7, "mi_verdict": 1.0, "apt": 1.0}, None)
    note_attempt(found, {"bleurt": 0.2, "mi_verdict": 0.0}, 1)
    assert found == {MI: [0.1], PASSED: [0.7], NOT_MI: [0.2]}


@pytest.mark.parametrize(
    "evidence, label",
    [
        ({}, 1),
        ({"similarity": 0.1}, None),
        ({"mi": True}, 1),
        ({"bleurt": 0.3}, 1),
        ({"similarity": "none", "mi": True}, 1),
        ({"similarity": float("nan"), "mi": True}, 1),
    ],
)
def test_pairs_that_are_no_attempts(evidence, label):
    """The label of a pair that somebody measured is not a MI verdict."""
    found = {}
    note_attempt(found, evidence, label)
    assert found == {}


def test_the_page_has_the_distributions(files, en_nlp):
    settings = ReportSettings(metrics=["ld"], examples=1, audit=False)
    page = build_report([f"people={files / 'final_checks.tsv'}"], settings, nlp=en_nlp)
    root = check_markup(page)
    assert [h2.text for h2 in root.iter("h2")] == [
        "Summary",
        "Labels",
        "Distributions",
        "Similarity of attempts",
        "Examples",
    ]
    section = next(one for one in root.iter("section") if one.get("id") == "section-attempts")
    said = "".join(next(section.iter("figcaption")).itertext())
    assert "APT, 3 (50.0%): mean -0.098" in said and "MI, not APT, 2 (33.3%)" in said and "not MI, 1 (16.7%)" in said


def test_lines_are_shares_of_all_attempts():
    random = numpy.random.default_rng(0)
    groups = {PASSED: list(random.random(100) * 0.5), NOT_MI: list(random.random(300))}
    root = check_markup(f"<div>{attempt_charts([('c', groups), ('none', {})])}</div>")
    (figure,) = list(root.iter("figure"))
    areas = {}
    for colour in (0, 2):
        path = next(p for p in figure.iter("path") if p.get("class") == f"paws-outline paws-c{colour}").get("d")
        ys = [float(part.split("H")[0]) for part in path.split("V")[1:-1]]
        assert len(ys) == BINS
        areas[colour] = sum(float(path.split()[1].split("V")[0]) - y for y in ys)
    assert areas[2] / areas[0] == pytest.approx(3.0, rel=0.02)
    assert attempt_charts([("none", {})]) is None


def test_what_the_paper_s_file_shows(data_dir):
    """Table 2's counts of human attempts; those that pass are the least similar of the MI ones."""
    corpus = read_corpus("AP_H", str(data_dir / "apt" / "final_checks.tsv"), 10, 0)
    counts = {group: len(values) for group, values in corpus.similarities.items()}
    assert counts == {PASSED: 2659, MI: 573, NOT_MI: 1775}
    means = {group: numpy.mean(values) for group, values in corpus.similarities.items()}
    assert means[NOT_MI] < means[PASSED] < means[MI]


def test_metrics_in_the_evidence_of_records_are_read(tmp_path):
    """As `paws metrics --metrics bleurt,mi_verdict` writes them."""
    with RecordWriter(tmp_path / "judged.jsonl") as writer:
        writer.write(PairRecord("Ann met Bob.", "Bob met Ann.", 0, evidence={"bleurt": 0.1, "mi_verdict": 1.0}))
    assert read_corpus("c", str(tmp_path / "judged.jsonl"), 10, 0).similarities == {PASSED: [0.1]}
