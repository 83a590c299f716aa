"""`paws attack`, and the report."""

import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tiny_models import make_pipeline

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.records import PairRecord, read_records
from paws_shared_words.rendering import to_html, to_markdown
from paws_shared_words.report import summarise

SMALL = "--positives 5 --negatives 6 --steps 2 --top-k 4 --beam 3 --chunk 4".split()


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def attack(*arguments):
    return CliRunner().invoke(cli, ["attack", *map(str, arguments)])


@pytest.mark.parametrize("kind", ["pipeline", "transformer"])
def test_attack_and_report(kind, corpus, masked_lm, classifier, tagger):
    target = classifier
    if kind == "pipeline":
        target = "model"
        make_pipeline(steps=30).to_disk(target)
    reports = ["--report", "report.md", "--report", "report.json", "--report", "report.html"]
    result = attack(target, corpus, "-o", "out.jsonl", "--mlm", masked_lm, *SMALL, *reports)
    assert result.exit_code == 0, result.output
    records = list(read_records("out.jsonl"))
    assert len(records) == 11 and sum(record.label for record in records) == 5
    data = json.loads(open("report.json", encoding="utf8").read())
    # Against the outcomes themselves, those already wrong included.
    for name, field in (("sampled", "right_before"), ("modified", "right_after")):
        right = [record.evidence[field] for record in records if record.label == 1]
        assert data["accuracy"][name]["positive"] == {"right": sum(right), "total": 5, "accuracy": sum(right) / 5}
        everything = sum(record.evidence[field] for record in records) / 11
        assert data["accuracy"][name]["all"]["accuracy"] == pytest.approx(everything)
    assert data["accuracy"]["full"]["all"]["total"] == 10
    assert data["queries"]["asked"] == sum(record.evidence["queries"] for record in records)
    assert sum(data["outcomes"]["all"].values()) == 11
    assert any(record.evidence["changes"] for record in records)
    markdown = open("report.md", encoding="utf8").read()
    assert "original full: positive" in markdown and "modified: all" in markdown
    assert f"{100 * data['accuracy']['modified']['all']['accuracy']:.1f}" in markdown
    assert "original full" in result.output and "queries" in result.output
    assert "<mark>" in open("report.html", encoding="utf8").read()


def test_the_modified_pairs_are_what_the_target_was_asked(corpus, masked_lm, tagger):
    """Read again as texts, the modifications get the answers that the report counts."""
    from paws_components.pairs import make_pair

    nlp = make_pipeline(steps=30)
    nlp.to_disk("model")
    assert attack("model", corpus, "-o", "out.jsonl", "--mlm", masked_lm, *SMALL, "--no-full").exit_code == 0
    for record in read_records("out.jsonl"):
        score = make_pair(nlp, record.sentence1, record.sentence2).cats["paraphrase"]
        assert record.evidence["score_after"] == pytest.approx(score if record.label else 1 - score, abs=1e-5)
        assert record.evidence["right_after"] == ((score > 0.5) == bool(record.label))


INTERRUPTED = """
from referee import number
left = 0
def answers(pairs):
    global left
    left -= 1
    if left == 0:
        raise KeyboardInterrupt
    return [number(one, two) for one, two in pairs]
"""


def test_a_run_goes_on(corpus, masked_lm, tagger, tmp_path, monkeypatch):
    (tmp_path / "interrupted.py").write_text(INTERRUPTED, encoding="utf8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "interrupted", raising=False)
    import interrupted

    arguments = ["interrupted:answers", corpus, "--mlm", masked_lm, *SMALL]
    whole = attack(*arguments, "-o", "whole.jsonl")
    assert whole.exit_code == 0, whole.output
    # The first call asks about the corpus, those of a chunk are five at most.
    interrupted.left = 8
    stopped = attack(*arguments, "-o", "out.jsonl")
    assert stopped.exit_code == 130
    [done] = re.findall("Stopped after ([48]) examples; the same command goes on", stopped.output)
    last = attack(*arguments, "-o", "out.jsonl")
    assert last.exit_code == 0 and f"Going on after {done} examples" in last.output
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    changed = attack(*arguments, "-o", "out.jsonl", "--seed", 1)
    assert re.search("S031.*seed.*--overwrite", str(changed.exception))
    anew = attack(*arguments, "-o", "out.jsonl", "--seed", 1, "--overwrite")
    assert anew.exit_code == 0 and "Going on" not in anew.output
    assert Path("out.jsonl").read_bytes() != Path("whole.jsonl").read_bytes()


def test_settings_reach_the_search(corpus, masked_lm, tagger, tmp_path, monkeypatch):
    (tmp_path / "sure.py").write_text("def sure(pairs):\n    return [0.9 for _ in pairs]\n", encoding="utf8")
    (tmp_path / "stop.txt").write_text("life\npurpose\nweight\nlose\n", encoding="utf8")
    monkeypatch.delitem(sys.modules, "sure", raising=False)
    arguments = ["sure:sure", corpus, "--mlm", masked_lm, "--positives", 6, "--negatives", 0, "--quiet"]
    few = "--steps 2 --top-k 3 --beam 2 --max-queries 9".split()
    assert attack(*arguments, "-o", "few.jsonl", *few, "--stop-words", "stop.txt").exit_code == 0
    records = list(read_records("few.jsonl"))
    assert all(record.evidence["queries"] <= 9 for record in records)
    words = {change["was_first"] for record in records for change in record.evidence["changes"]}
    assert words and not words & {"life", "purpose", "weight", "lose"}
    assert {record.evidence["status"] for record in records} == {"failed", "skipped"}
    steps = json.loads(open("few.jsonl.progress.json", encoding="utf8").read())["settings"]
    assert (steps["steps"], steps["top_k"], steps["beam"], steps["max_queries"]) == (2, 3, 2, 9)
    assert attack(*arguments, "-o", "mrpc.jsonl", "--preset", "mrpc", "--top-k", 2, "--beam", 2).exit_code == 0
    steps = json.loads(open("mrpc.jsonl.progress.json", encoding="utf8").read())["settings"]
    assert (steps["steps"], steps["top_k"], steps["beam"]) == (10, 2, 2)


def test_help_teaches():
    result = attack("--help")
    assert result.exit_code == 0
    for word in ("module:function", "--preset", "paws attack training/model-best", "goes on where it was"):
        assert word in result.output


@pytest.mark.parametrize(
    "arguments,message",
    [
        (["-o", "out.txt"], "P011"),
        (["-o", "no/out.jsonl"], "P021"),
        (["-o", "out.jsonl", "--report", "report.pdf"], "P011.*html"),
        (["-o", "out.jsonl", "--positives", "70"], "S001.*6 positives"),
        (["-o", "out.jsonl", "--positives", "-1"], "S003.*--positives"),
        (["-o", "out.jsonl", "--positives", "0", "--negatives", "0"], "S004"),
        (["-o", "out.jsonl", "--beam", "0"], "S003.*beam"),
        (["-o", "out.jsonl", "--chunk", "0"], "S003.*--chunk"),
        (["-o", "out.jsonl", "--stop-words", "absent.txt"], "P020.*absent.txt"),
        (["-o", "out.jsonl", "--positives", "1", "--negatives", "1"], "no/such-model"),
    ],
)
def test_what_can_go_wrong(arguments, message, corpus, tagger):
    result = attack("no/such-model", corpus, *arguments)
    assert result.exit_code == 1
    assert isinstance(result.exception, PawsError)
    assert re.search(message, str(result.exception)), result.exception
    assert not Path("out.jsonl").exists() or not Path("out.jsonl").read_bytes()


def test_the_corpus_is_not_overwritten(corpus, tmp_path):
    copy = tmp_path / "pairs.jsonl"
    copy.write_text('{"sentence1": "a", "sentence2": "b", "label": 1}\n', encoding="utf8")
    assert "P150" in str(attack("no/such", copy, "-o", copy).exception)
    assert copy.read_text(encoding="utf8").startswith('{"sentence1"')


def outcome(label, status, before, after, changes=(), **more):
    evidence = {
        "status": status,
        "right_before": before,
        "right_after": after,
        "changes": [dict(zip(("i", "j", "was_first", "was_second", "word"), change)) for change in changes],
        "original_words": [["the", "<b>", "dog"], ["dogs", "|"]],
        "words": [["the", "<b>", "cat"], ["cat", "|"]],
        "spaces": [[1, 1, 0], [1, 0]],
        "score_before": 0.9,
        "score_after": 0.4,
        "queries": 10,
        "cached": 2,
        **more,
    }
    return PairRecord("the <b> cat", "cat |", label=label, evidence=evidence)


def test_the_report_counts_as_table_1_does():
    change = (2, 0, "dog", "dogs", "cat")
    report = summarise(
        [
            outcome(1, "succeeded", True, False, [change]),
            outcome(1, "skipped", False, False, reason="already wrong"),
            outcome(1, "failed", True, True, [change]),
            outcome(0, "skipped", True, True, reason="no replaceable position"),
        ],
        {"max_queries": 12},
        {},
    )
    assert [report.tallies["sampled"].accuracy(group) for group in ("positive", "negative", "all")] == [
        2 / 3,
        1.0,
        0.75,
    ]
    assert [report.tallies["modified"].accuracy(group) for group in ("positive", "negative", "all")] == [1 / 3, 1, 0.5]
    assert report.changed == {"positive": 1.0, "all": 1.0}
    assert report.queries == {"asked": 40, "cached": 8, "an_example": 10.0}
    markdown = to_markdown(report, "it")
    assert "the <b> **dog** | the <b> **cat**" in markdown and "**dogs** \\|" in markdown
    assert "at most 12 an example" in markdown and "1 already wrong; 1 no replaceable position" in markdown
    page = to_html(report, "<it>")
    assert "the &lt;b&gt; <mark>cat</mark>" in page and "&lt;it&gt;" in page and "<it>" not in page
