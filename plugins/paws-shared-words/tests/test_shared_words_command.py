"""`paws attack`, and the report."""

import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tiny_models import make_pipeline

from paws_components.cli import cli
from paws_components.engine import work
from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord
from paws_shared_words.rendering import to_html, to_markdown
from paws_shared_words.report import summarise

SMALL = "--positives 5 --negatives 6 --steps 2 --top-k 4 --beam 3 --chunk 4".split()


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def attack(*arguments, **options):
    return CliRunner().invoke(cli, ["attack", *map(str, arguments)], **options)


@pytest.mark.parametrize("kind", ["pipeline", "transformer"])
def test_attack_and_report(kind, corpus, masked_lm, classifier, tagger):
    target = classifier
    if kind == "pipeline":
        target = "model"
        make_pipeline(steps=30).to_disk(target)
    reports = ["--report", "report.md", "--report", "report.json", "--report", "report.html"]
    result = attack(target, corpus, "-o", "out.jsonl", "--mlm", masked_lm, *SMALL, *reports)
    assert result.exit_code == 0, result.output
    records = list(read_pairs("out.jsonl"))
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
    for record in read_pairs("out.jsonl"):
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
    monkeypatch.setattr(work, "SHARD_SECONDS", 0)
    (tmp_path / "interrupted.py").write_text(INTERRUPTED, encoding="utf8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "interrupted", raising=False)
    import interrupted

    arguments = ["interrupted:answers", corpus, "--mlm", masked_lm, *SMALL]
    whole = attack(*arguments, "-o", "whole.jsonl")
    assert whole.exit_code == 0, whole.output
    # Nothing is kept of a run that has not begun: other settings can be given.
    interrupted.left = 1
    stopped = attack(*arguments, "-o", "out.jsonl", "--seed", 1, standalone_mode=False)
    assert "nothing was done yet" in str(stopped.exception.__cause__) and not Path("out.jsonl.run").exists()
    # The first call asks about the corpus, those of a chunk are five at most.
    interrupted.left = 8
    Path("out.jsonl").write_text("old", encoding="utf8")
    stopped = attack(*arguments, "-o", "out.jsonl", standalone_mode=False)
    assert re.search("Stopped. [48] examples are done and kept", str(stopped.exception.__cause__))
    assert Path("out.jsonl").read_text(encoding="utf8") == "old"
    last = attack(*arguments, "-o", "out.jsonl")
    assert last.exit_code == 0 and interrupted.left < 0 and "asking about all" not in last.output
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    again = attack(*arguments, "-o", "out.jsonl", "--report", "report.md")
    assert again.stdout == last.stdout == whole.stdout and Path("report.md").exists()
    changed = attack(*arguments, "-o", "out.jsonl", "--seed", 1)
    assert re.search("P030[^$]*seed: 0 then, 1 now[^$]*--fresh", str(changed.exception))
    anew = attack(*arguments, "-o", "out.jsonl", "--seed", 1, "--overwrite")
    assert anew.exit_code == 0 and Path("out.jsonl").read_bytes() != Path("whole.jsonl").read_bytes()
    piped = attack(*arguments, "-o", "-", "--quiet")
    assert piped.stdout_bytes == Path("whole.jsonl").read_bytes() and "original full" in piped.stderr


def test_a_model_that_was_trained_again_is_another_run(corpus, masked_lm, tagger, tmp_path):
    make_pipeline(steps=1).to_disk("model")
    arguments = ["model", corpus, "-o", "out.jsonl", "--mlm", masked_lm, *SMALL]
    first = attack(*arguments)
    assert first.exit_code == 0 and attack(*arguments).stdout == first.stdout
    make_pipeline(steps=30).to_disk("model")
    again = attack(*arguments)
    assert re.search("P030[^$]*target: .* then, .* now[^$]*--fresh", str(again.exception))
    assert attack(*arguments, "--fresh").exit_code == 0 and attack(*arguments).exit_code == 0
    # A run from before this was written down is reported as it is.
    manifest = tmp_path / "out.jsonl.run" / "manifest.json"
    told = json.loads(manifest.read_text(encoding="utf8"))
    assert set(told["notes"].pop("models")) == {"target", "mlm"}
    manifest.write_text(json.dumps(told), encoding="utf8")
    assert attack(*arguments).exit_code == 0


def test_settings_reach_the_search(corpus, masked_lm, tagger, tmp_path, monkeypatch):
    (tmp_path / "sure.py").write_text("def sure(pairs):\n    return [0.9 for _ in pairs]\n", encoding="utf8")
    (tmp_path / "stop.txt").write_text("life\npurpose\nweight\nlose\n", encoding="utf8")
    monkeypatch.delitem(sys.modules, "sure", raising=False)
    arguments = ["sure:sure", corpus, "--mlm", masked_lm, "--positives", 6, "--negatives", 0, "--quiet"]
    few = "--steps 2 --top-k 3 --beam 2 --max-queries 9".split()
    assert attack(*arguments, "-o", "few.jsonl", *few, "--stop-words", "stop.txt").exit_code == 0
    records = list(read_pairs("few.jsonl"))
    assert all(record.evidence["queries"] <= 9 for record in records)
    words = {change["was_first"] for record in records for change in record.evidence["changes"]}
    assert words and not words & {"life", "purpose", "weight", "lose"}
    assert {record.evidence["status"] for record in records} == {"failed", "skipped"}
    steps = json.loads(open("few.jsonl.run/manifest.json", encoding="utf8").read())["settings"]
    assert (steps["steps"], steps["top_k"], steps["beam"], steps["max_queries"]) == (2, 3, 2, 9)
    assert attack(*arguments, "-o", "mrpc.jsonl", "--preset", "mrpc", "--top-k", 2, "--beam", 2).exit_code == 0
    steps = json.loads(open("mrpc.jsonl.run/manifest.json", encoding="utf8").read())["settings"]
    assert (steps["steps"], steps["top_k"], steps["beam"]) == (10, 2, 2)


def test_help_teaches():
    result = attack("--help")
    assert result.exit_code == 0
    for word in ("module:function", "--preset", "paws attack training/model-best", "to resume"):
        assert word in result.output


@pytest.mark.parametrize(
    "arguments,message",
    [
        (["-o", "out.txt"], "P011"),
        (["-o", "no/out.jsonl"], "P021"),
        (["-o", "out.jsonl", "--report", "report.pdf"], "P011.*html"),
        (["-o", "out.jsonl", "--positives", "70"], "S001.*6 positives"),
        (["-o", "out.jsonl", "--positives", "0", "--negatives", "0"], "S004"),
        (["-o", "out.jsonl", "--beam", "0"], "S003.*beam"),
        (["-o", "out.jsonl", "--report", "out.jsonl"], "P011.*md"),
        (["-o", "out.jsonl", "--stop-words", "absent.txt"], "P020.*absent.txt"),
        (["-o", "out.jsonl", "--positives", "1", "--negatives", "1"], "no/such-model"),
    ],
)
def test_what_can_go_wrong(arguments, message, corpus, tagger):
    result = attack("no/such-model", corpus, *arguments)
    assert result.exit_code == 1
    assert isinstance(result.exception, PawsError)
    assert re.search(message, str(result.exception)), result.exception
    # Nothing is left behind.
    assert list(Path().iterdir()) == []


def test_numbers_that_make_no_sense(corpus):
    for option in ("--positives=-1", "--chunk=0", "--batch-size=0", "--limit=0", "--examples=-1"):
        result = attack("no/such-model", corpus, "-o", "out.jsonl", option)
        assert result.exit_code == 2 and "Invalid value" in result.output, option


def test_no_input_is_written_over(tmp_path):
    pairs, words = tmp_path / "pairs.jsonl", tmp_path / "words.md"
    pairs.write_text('{"sentence1": "a", "sentence2": "b", "label": 1}\n', encoding="utf8")
    words.write_text("the\n", encoding="utf8")
    (tmp_path / "link.jsonl").symlink_to(pairs)
    for options in (["-o", pairs], ["-o", "link.jsonl"], ["-o", "out.jsonl", "--report", words]):
        result = attack("no/such", pairs, *options, "--stop-words", words)
        assert "P150" in str(result.exception)
    assert "P034" in str(attack("no/such", pairs, "-o", "x.jsonl", "--report", "x.md", "--report", "x.md").exception)
    assert pairs.read_text(encoding="utf8").startswith('{"sentence1"') and words.read_text() == "the\n"


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
