"""`paws won-back`: what training against attacks wins back, for `paws evaluate --beside`."""

import json

import pytest
import srsly
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.records import PairRecord
from paws_shared_words.report import summarise
from paws_shared_words.won_back import attack_results, interval, read_report

SETTINGS = dict(positives=40, negatives=40, steps=5, top_k=10, beam=5, max_queries=1500, mlm="mlm")


@pytest.fixture
def write(tmp_path):
    def write(name, right_after, count=80, **full):
        """Outcomes of 40 positives and then negatives, all of them right before the attack, and their report."""
        records = []
        for i in range(count):
            evidence = {"pair_id": f"p{i}", "right_before": True, "right_after": right_after(i), "changes": []}
            evidence.update(status="failed" if right_after(i) else "succeeded", queries=10, cached=0)
            records.append(PairRecord(f"a {i}", f"b {i}", label=int(i < 40), evidence=evidence))
        srsly.write_jsonl(tmp_path / f"{name}.jsonl", (record.to_dict() for record in records))
        report = summarise(records, SETTINGS, full)
        (tmp_path / f"{name}.json").write_text(report.to_json(), encoding="utf8")
        return tmp_path / f"{name}.jsonl"

    return write


def full(right):
    """The tally of a whole corpus of 100 pairs, half of them positive."""
    halves = {"right": right / 2, "total": 50}
    return {"positive": halves, "negative": halves, "all": {"right": right, "total": 100}}


def test_the_interval_of_what_was_won_back(write):
    """The attack takes 40 positives and 40 negatives; training wins back half of the positives."""
    normal, trained = write("normal", lambda i: False), write("trained", lambda i: i < 20)
    low, high = interval(normal, trained)
    # 20 of 80; the spread of 40 draws with a chance of a half, over 80.
    assert 0.25 - 2.2 * 3.16 / 80 <= low < 0.25 < high <= 0.25 + 2.2 * 3.16 / 80
    assert high - low > 2 * 1.7 * 3.16 / 80
    assert interval(normal, write("same", lambda i: False)) == [0, 0]
    assert interval(write("kept", lambda i: True), normal) is None
    # Positives alone: half of them.
    low, high = interval(write("few", lambda i: False, 40), write("few_trained", lambda i: i < 20, 40))
    assert 0.3 < low < 0.5 < high < 0.7
    with pytest.raises(PawsError, match="S021.*same examples"):
        interval(normal, write("few", lambda i: False, 40))


def test_results_are_what_evaluate_reads(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("diin-qqp", lambda i: i < 8, **full(90))
    write("diin-qqp-adversarial", lambda i: i < 24, **full(88))
    write("other", lambda i: True)
    result = CliRunner().invoke(cli, ["won-back", "*.json", "-o", "results.json"])
    assert result.exit_code == 0, result.output
    head, _, normal, trained, other = result.output.splitlines()[:5]
    assert [line.split()[0] for line in (normal, trained, other)] == ["diin-qqp", "diin-qqp-adversarial", "other"]
    assert "40 positives and 40 negatives, S = 5, K = 10, B = 5" in result.output and "at most 1,500" in result.output
    found = json.loads((tmp_path / "results.json").read_text(encoding="utf8"))
    figures = {(one["model"], one["test_set"]): one for one in found["results"]}
    assert figures["diin-qqp", "modified"]["all"]["value"] == 0.1 and figures["other", "left"]["all"]["value"] == 1
    back = figures["diin-qqp-adversarial", "won_back"]
    # Of 72 that were lost 16 came back, all of them positives: 16 of 32.
    assert back["all"]["value"] == pytest.approx(16 / 72) and back["positive"]["value"] == pytest.approx(0.5)
    assert back["all"]["low"] < 16 / 72 < back["all"]["high"] and back["negative"]["value"] == 0
    assert figures["diin-qqp-adversarial", "change"]["full"]["value"] == pytest.approx(-0.02)
    assert not {("diin-qqp", "won_back"), ("other", "won_back"), ("other", "full")} & set(figures)
    columns = [("modified", "{row}", "modified", "all"), ("won", "{row}-adversarial", "won_back", "all")]
    keys = ("title", "run", "on", "measure")
    table = {
        "columns": [dict(zip(keys, one)) for one in columns],
        "rows": [{"name": "diin-qqp", "paper": [19.6, 45.3]}],
    }
    (tmp_path / "table.json").write_text(json.dumps(table), encoding="utf8")
    shown = CliRunner().invoke(cli, ["evaluate", "--results", "results.json", "--beside", "table.json", "-o", "t.md"])
    assert shown.exit_code == 0, shown.output
    text = (tmp_path / "t.md").read_text(encoding="utf8")
    assert "| 10.0 | 22.2 [" in text and "| 19.6 | 45.3 |" in text


def test_without_outcomes_there_is_no_interval(write, tmp_path):
    write("a", lambda i: False).unlink()
    write("a-after", lambda i: i < 40)
    attacks = [read_report(tmp_path / f"{name}.json") for name in ("a", "a-after")]
    (back,) = (one for one in attack_results(attacks, "-after")["results"] if one["test_set"] == "won_back")
    assert back["all"] == {"value": 0.5, "low": None, "high": None}
    # Nobody is paired with himself.
    assert not [one for one in attack_results(attacks, "")["results"] if one["test_set"] == "won_back"]


def test_what_is_wrong_is_said(tmp_path):
    for text in ("{", "[]", '{"accuracy": {}}', "7"):
        (tmp_path / "report.json").write_text(text, encoding="utf8")
        with pytest.raises(PawsError, match="S020"):
            read_report(tmp_path / "report.json")
    result = CliRunner().invoke(cli, ["won-back", str(tmp_path / "none*.json")])
    assert result.exit_code and isinstance(result.exception, (PawsError, SystemExit))
