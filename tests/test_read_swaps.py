"""The readers' kit in benchmarks/: what it counts is what we claim."""

import importlib
import json
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def kit(monkeypatch):
    if not BENCHMARKS.is_dir():
        pytest.skip("the benchmarks are in a checkout only")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("read_swaps")


@pytest.fixture
def rows(kit):
    return [
        kit.Row(name, f"{name} source {i}", f"swap {i} of {name[0]}", 0.5) for name in ("all", "new") for i in range(50)
    ]


def test_sentences_are_dealt_out_without_overlap(kit):
    sentences = [str(i) for i in range(101)]
    dealt = kit.deal(sentences, ["a", "b", "c"], 1)
    assert sorted(text for part in dealt.values() for text in part) == sorted(sentences)
    assert {len(part) for part in dealt.values()} == {33, 34}
    assert dealt == kit.deal(sentences, ["a", "b", "c"], 1) != kit.deal(sentences, ["a", "b", "c"], 2)


def test_the_sheet_hides_the_setting(kit, rows, tmp_path):
    hidden = kit.hide(rows, 0)
    kit.write_sheet(str(tmp_path / "sheet"), hidden)
    lines = (tmp_path / "sheet.tsv").read_text(encoding="utf8").splitlines()
    assert lines[0] == "id\tsentence" and len(lines) == 101
    assert all(len(line.split("\t")) == 2 and "source" not in line for line in lines[1:])
    order = [row.setting for row in hidden.values()]
    # Neither blocks nor turns: in each half of the sheet there are some of both, and neighbours are often alike.
    assert all(10 < order[half : half + 50].count("all") < 40 for half in (0, 50))
    assert 30 < sum(a == b for a, b in zip(order, order[1:])) < 70
    assert kit.hide(rows, 0) == hidden != kit.hide(rows, 1)
    assert kit.read_key(str(tmp_path / "sheet.key.jsonl")) == hidden


def test_answers_are_counted_with_intervals(kit, rows, tmp_path):
    key = kit.hide(rows, 0)
    answers = tmp_path / "answers.tsv"
    said = {id_: "y" if row.setting == "new" or row.swap.startswith("swap 7 ") else "n" for id_, row in key.items()}
    answers.write_text("id\tnatural\n" + "\n".join(f"{id_}\t{word}\tn" for id_, word in said.items()), encoding="utf8")
    figures = kit.count(key, kit.read_answers(str(answers)))
    assert figures["new"]["natural"] == figures["new"]["read"] == 50
    # Wilson's interval by hand: at 50 of 50 its lower end is n / (n + z²).
    assert figures["new"]["low"] == pytest.approx(50 / (50 + 1.96**2), abs=1e-4) and figures["new"]["high"] == 1.0
    assert figures["all"]["natural"] == 1 and figures["all"]["share"] == 0.02
    assert figures["all"]["natural_and_other_meaning"] == {"read": 50, "count": 0}
    assert json.loads(json.dumps(figures)) == figures


def test_reliability_in_bins(kit):
    said = [(0.1, False), (0.15, True), (0.9, True), (1.0, True), (0.2, False)]
    bins = kit.reliability(said)
    assert [part["read"] for part in bins] == [2, 1, 2]
    assert [part["share"] for part in bins] == [0.5, 0.0, 1.0]
    assert [part["naturalness"] for part in bins] == [0.125, 0.2, 0.95]


@pytest.mark.parametrize("line", ["0001\tmaybe", "0001", "0001\ty\tn\ty", "0001\ty\n0001\tn", "9999\ty"])
def test_wrong_answers_are_told(kit, rows, tmp_path, line):
    answers = tmp_path / "answers.tsv"
    answers.write_text(line + "\n", encoding="utf8")
    with pytest.raises(SystemExit, match="line|ids: 9999"):
        kit.count(kit.hide(rows, 0), kit.read_answers(str(answers)))


def test_a_setting_is_a_name_and_json(kit):
    assert kit.parse_setting('all={"precise": false}') == ("all", {"precise": False})
    for text in ("all", "={}", "all=[]", "all={"):
        with pytest.raises(Exception, match="NAME="):
            kit.parse_setting(text)
