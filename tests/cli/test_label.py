import json

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord

from ..building.projects import lines, put, write
from ..nli.models import make_transformer

PAIRS = [PairRecord(f"It is so {i}.", f"It is so {i}{'!' if i % 2 else ' again'}") for i in range(6)]


def paws(*args):
    result = CliRunner().invoke(cli, list(map(str, args)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def pairs(tmp_path):
    write(tmp_path / "pairs.jsonl", PAIRS)
    return tmp_path / "pairs.jsonl"


def test_one_label_for_all(pairs, tmp_path):
    out = tmp_path / "out.jsonl"
    result = paws("label", pairs, "-o", out, "--label", 0, "--quiet")
    assert result.stderr == f"6 pairs in = 6 with a label + 0 left out + 0 errors; they are in {out}\n"
    assert [(one.label, one.label_source, one.id) for one in read_pairs(out)] == [
        (0, "silver", one.id) for one in PAIRS
    ]
    # A label that is there stays, unless it is said.
    again = tmp_path / "again.tsv"
    told = paws("label", out, pairs, "-o", again, "--label", 1, "--source", "rule", "--quiet").stderr
    assert "6 had a label before and keep it" in told
    assert [one.label for one in read_pairs(again)] == [0] * 6 + [1] * 6
    paws("label", out, "-o", again, "--label", 1, "--relabel", "--quiet")
    assert {one.label for one in read_pairs(again)} == {1}
    # What had no label can be converted now, and the error says how it gets one.
    with pytest.raises(PawsError, match="P308.*paws label.*paws build"):
        paws("convert", pairs, "-o", tmp_path / "x.spacy", "--quiet")
    paws("convert", out, "-o", tmp_path / "x.spacy", "--quiet")


def test_a_classifier_says_it(pairs, tmp_path):
    out = tmp_path / "out.jsonl"
    paws("label", pairs, "-o", out, "--by", "tests.building.answers:probabilities", "--quiet")
    found = list(read_pairs(out))
    assert [one.label for one in found] == [0, 1] * 3
    assert found[1].evidence == {"labelled_by": {"model": "tests.building.answers:probabilities", "score": 0.9}}


def test_mutual_implication_says_it(pairs, tmp_path):
    pytest.importorskip("transformers")
    model = make_transformer(tmp_path / "nli")
    out = tmp_path / "out.jsonl"
    paws("label", pairs, "-o", out, "--by", "mi", "--set", f"model={model}", "--quiet")
    from paws_components import make_entailment, mutual_implication

    told = mutual_implication(make_entailment(model), [(one.sentence1, one.sentence2) for one in PAIRS])
    found = list(read_pairs(out))
    assert [one.label for one in found] == [int(one.verdict) for one in told]
    assert found[0].evidence["labelled_by"]["by"] == "mi"
    assert found[0].evidence["labelled_by"]["forward"] == pytest.approx(told[0].forward, abs=1e-6)


def test_people_say_it(pairs, tmp_path):
    cast = [(0, 5), (1, 4), (2, 3), (3, 0)]
    votes = [{"item_id": PAIRS[i].id, "rater": f"r{k}", "answer": int(k < yes)} for i, yes in cast for k in range(5)]
    votes += [{"item_id": PAIRS[0].id, "rater": "mi", "answer": 0, "is_model": True}]
    votes += [{"item_id": "nobody", "rater": "r0", "answer": 1}]
    put(tmp_path / "votes.jsonl", votes)
    out = tmp_path / "out.jsonl.gz"
    result = paws("label", pairs, "-o", out, "--votes", tmp_path / "votes.jsonl")
    told = result.stderr
    rest = tmp_path / "out.rest.jsonl.gz"
    assert f"6 pairs in = 3 kept in {out} + 3 in {rest} (2 with too few votes, 1 on which too few agree)" in told
    # 5 + 4 + 3 + 5 of 20 labels are with their majority; of what is kept 14 of 15.
    assert "All pairs with enough votes: human agreement 85.0 %" in told
    assert "Those that are kept: human agreement 93.3 %" in told and "Fleiss' kappa" in told
    assert "1 votes are for items" in told
    # Each rater by itself, those who are least often with the majority first, the model after the people.
    table = [line.split() for line in result.stdout.splitlines()[2:]]
    assert table == [
        ["r4", "4", "2", "50.0", "%"],
        ["r3", "4", "3", "75.0", "%"],
        ["r0", "4", "4", "100.0", "%"],
        ["r1", "4", "4", "100.0", "%"],
        ["r2", "4", "4", "100.0", "%"],
        ["mi", "model,", "not", "counted", "1", "0", "0.0", "%"],
    ]
    assert [(one.label, one.label_source) for one in read_pairs(out)] == [(1, "human"), (1, "human"), (0, "human")]
    assert [one.evidence["votes"]["why"] for one in read_pairs(rest)] == ["low_agreement"] + ["too_few_votes"] * 2
    paws("label", pairs, "-o", out, "--votes", tmp_path / "votes.jsonl", "--agreeing", 3, "--rest", tmp_path / "r.tsv")
    assert len(list(read_pairs(out))) == 4
    put(tmp_path / "others.jsonl", votes[-1:])
    with pytest.raises(PawsError, match="P708"):
        paws("label", pairs, "-o", out, "--votes", tmp_path / "others.jsonl")
    assert len(list(read_pairs(out))) == 4


@pytest.mark.parametrize(
    "options, told",
    [
        ([], "P707"),
        (["--label", "1", "--by", "mi"], "P707"),
        (["--label", "1", "--raters", "3"], "P211.*--raters"),
        (["--label", "1", "--set", "model=x"], "P211.*--set"),
        (["--votes", "v.jsonl", "--source", "silver"], "P211.*--votes"),
        (["--by", "nobody/knows me"], "P356"),
        (["--by", "mi", "--set", "modell=x"], "P203.*model"),
    ],
)
def test_options_that_do_not_go_together(pairs, tmp_path, options, told):
    with pytest.raises(PawsError, match=told):
        paws("label", pairs, "-o", tmp_path / "out.jsonl", *options)
    assert not (tmp_path / "out.jsonl").exists()


def test_rows_that_are_no_pairs_are_counted(tmp_path):
    rows = [{"sentence1": "a", "sentence2": "b"}, {"sentence1": "", "sentence2": "b"}, {"sentence1": "a"}]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n{\n", encoding="utf8")
    told = paws("label", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl", "--label", 1, "--quiet").stderr
    assert "4 pairs in = 1 with a label + 1 left out + 2 errors" in told
    assert [one["line"] for one in lines(tmp_path / "out.jsonl.errors.jsonl")] == [3, 4]
