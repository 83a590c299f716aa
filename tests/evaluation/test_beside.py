"""Our figures beside a paper's."""

import json

import pytest

from paws_components.errors import PawsError
from paws_components.evaluation.beside import PaperTable, merge_results
from paws_components.evaluation.measures import Measure

TABLE = {
    "title": "Table 7",
    "columns": [
        {"title": "QQP Acc", "run": "{row}-qqp", "on": "qqp", "measure": "accuracy"},
        {"title": "PAWS F1", "run": "{row}-qqp*", "on": "paws", "measure": "f1"},
    ],
    "rows": [
        {"name": "bow", "title": "BOW", "paper": [83.2, None]},
        {"name": "bert", "title": "transformer", "paper_title": "BERT", "paper": [90.5, 33.5]},
        {"name": "ours", "title": "our own"},
    ],
    "notes": ["In per cent."],
}
RESULTS = {
    ("bow-qqp", "qqp"): {"accuracy": Measure(0.7, 0.6, 0.8)},
    ("bow-qqp-0", "paws"): {"f1": Measure(0.3, 0.2, 0.4)},
    ("bow-qqp-1", "paws"): {"f1": Measure(0.5, 0.4, 0.6)},
    ("bow-qqp-2", "paws"): {"f1": Measure(0.2, None, None)},
    ("bert-qqp", "paws"): {"f1": Measure(None, None, None)},
    ("ours-qqp", "qqp"): {"accuracy": Measure(0.25, None, None)},
}


def test_one_run_has_its_interval_and_several_their_median():
    found = {(cell.row, cell.column): cell for cell in PaperTable(TABLE).beside(RESULTS).cells}
    assert found["bow", "QQP Acc"][2:] == pytest.approx((70, 60, 80, 1, 83.2))
    median = found["bow", "PAWS F1"]
    assert median[2:6] == pytest.approx((30, 20, 50, 3)) and median.paper is None
    # Not run, and without a value.
    assert found["bert", "QQP Acc"][2:] == (None, None, None, 0, 90.5)
    assert found["bert", "PAWS F1"][2:] == (None, None, None, 0, 33.5)


def test_runs_that_differ_in_their_seed_are_runs_of_one_model():
    columns = [{"title": "F1", "run": "{row}-qqp", "on": "paws", "measure": "f1"}]
    results = {**RESULTS, ("bow-qqp+paws-0", "paws"): RESULTS["bow-qqp-0", "paws"]}
    (cell, *_) = PaperTable({"columns": columns, "rows": [{"name": "bow"}]}).beside(results).cells
    assert cell[2:6] == pytest.approx((30, 20, 50, 3))


def test_one_training_under_two_names_counts_once():
    # `paws train --seeds 0`, and later with more of them: bow-qqp and bow-qqp-0 are the same.
    columns = [{"title": "F1", "run": "{row}-qqp", "on": "paws", "measure": "f1"}]
    results = {**RESULTS, ("bow-qqp", "paws"): RESULTS["bow-qqp-0", "paws"]}
    (cell,) = PaperTable({"columns": columns, "rows": [{"name": "bow"}]}).beside(results).cells
    assert cell[2:6] == pytest.approx((30, 20, 50, 3))


def test_it_is_shown_in_every_shape():
    beside = PaperTable(TABLE).beside(RESULTS)
    assert beside.table(markdown=True) == [
        ["", "QQP Acc", "PAWS F1"],
        ["BOW", "70.0 [60.0, 80.0]", "30.0 [20.0, 50.0] of 3"],
        ["*BOW, paper*", "83.2", "–"],
        ["transformer", "–", "–"],
        ["*BERT, paper*", "90.5", "33.5"],
        ["our own", "25.0", "–"],
    ]
    text = beside.show("markdown")
    assert text.startswith("**Table 7**") and text.endswith("In per cent.") and "|---|---:|---:|" in text
    assert "BERT, paper" in beside.show("text") and "*" not in beside.show("text")
    head, first, *rest = beside.show("tsv").splitlines()
    assert head.split("\t") == ["row", "column", "ours", "low", "high", "runs", "paper"] and len(rest) == 5
    assert first.split("\t")[0] == "bow" and float(first.split("\t")[2]) == pytest.approx(70)
    assert json.loads(json.dumps(beside.to_dict()))["cells"][0]["paper"] == 83.2


def test_the_paper_s_scale_is_kept():
    table = {**TABLE, "scale": 1, "places": 3}
    assert PaperTable(table).beside(RESULTS).table()[1][1] == "0.700 [0.600, 0.800]"


def test_a_column_of_several_test_sets_is_their_mean():
    column = {"title": "Acc", "run": "{row}*", "on": ["de", "zh"], "measure": "accuracy"}
    rows = [{"name": "bow"}, {"name": "bert"}]
    results = {
        ("bow-0", "de"): {"accuracy": Measure(0.5, 0.4, 0.6)},
        ("bow-0", "zh"): {"accuracy": Measure(0.7, 0.6, 0.8)},
        ("bow-1", "de"): {"accuracy": Measure(0.9, None, None)},  # was not asked in zh
        ("bert", "de"): {"accuracy": Measure(0.9, None, None)},
        ("bert", "zh"): {"accuracy": Measure(None, None, None)},
    }
    bow, bert = PaperTable({"columns": [column], "rows": rows}).beside(results).cells
    assert bow[2:] == pytest.approx((60, None, None, 1, None)) and bert.ours is None


def test_later_results_count():
    later = {("bow-qqp", "qqp"): {"accuracy": Measure(0.9, None, None)}}
    merged = merge_results([RESULTS, later])
    assert merged["bow-qqp", "qqp"]["accuracy"].value == 0.9 and len(merged) == len(RESULTS)


@pytest.mark.parametrize(
    "change, said",
    [
        ({"columns": []}, "`columns` is not a list with entries"),
        ({"rows": {}}, "`rows` is not a list"),
        ({"rows": [{"title": "BOW"}]}, "has no 'name'"),
        ({"columns": [{"title": "Acc", "run": "a", "on": "b"}]}, "has no 'measure'"),
        ({"rows": [{"name": "bow", "paper": [1.0]}]}, "1 figures for 2 columns"),
        ({"rows": [{"name": "bow", "paper": ["83.2", 1.0]}]}, "`paper` of the row 'bow' is not a list of numbers"),
        ({"rows": [{"name": "bow", "paper": None}]}, "`paper` of the row 'bow' is not a list of numbers"),
        ({"rows": [7]}, "has no 'name'"),
    ],
)
def test_what_is_not_a_table_is_said(change, said, tmp_path):
    (tmp_path / "paper.json").write_text(json.dumps({**TABLE, **change}), encoding="utf8")
    with pytest.raises(PawsError, match="P359.*paper.json.*" + said):
        PaperTable.from_disk(tmp_path / "paper.json")


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    (tmp_path / "paper.json").write_text("{", encoding="utf8")
    with pytest.raises(PawsError, match="P359.*paper.json.*is not JSON"):
        PaperTable.from_disk(tmp_path / "paper.json")
    with pytest.raises(PawsError, match=r"P020.*none.json': No such file or directory\."):
        PaperTable.from_disk(tmp_path / "none.json")
