import pytest

from paws_components.curation.corrections import Correction, apply_corrections, read_corrections, write_corrections
from paws_components.errors import PawsError
from paws_components.records import PairRecord

MOVED = [{"text": "apple", "tag": "NN", "source": [2, 7], "target": [9, 14]}]


def pair(name, **fields):
    return PairRecord("An apple hit a pear.", f"A pear hit a apple, {name}.", id=name, **fields)


def test_accept_fix_and_reject():
    records = [
        pair("one"),
        pair("two", source_id="s", evidence={"moved": MOVED, "gap": 1.0}),
        pair("three"),
        pair("four"),
    ]
    decisions = [
        Correction("one", "accept"),
        Correction("two", "fix", "A pear hit an apple, two."),
        Correction("three", "reject"),
        Correction("nobody", "accept"),
    ]
    done = apply_corrections(records, decisions)
    assert done.counts == {"accept": 1, "fix": 1, "reject": 1} and done.unknown == 1
    assert [one.id for one in done.rejected] == ["three"] and [one.id for one in done.waiting] == ["four"]
    accepted, fixed = done.kept
    assert accepted.id == "one" and accepted.evidence == {"correction": {"action": "accept"}}
    # A fixed pair is another pair, of the same source; what moved is told of the old sentence.
    assert fixed.sentence2 == "A pear hit an apple, two." and fixed.source_id == "s"
    assert fixed.id == PairRecord(fixed.sentence1, fixed.sentence2).id != "two"
    told = {"action": "fix", "id": "two", "sentence2": "A pear hit a apple, two.", "moved": MOVED}
    assert fixed.evidence == {"gap": 1.0, "correction": told}
    assert records[1].evidence == {"moved": MOVED, "gap": 1.0}
    assert len(records) == len(done.kept) + len(done.rejected) + len(done.waiting)


def test_a_swap_may_be_fixed_back_to_its_source():
    done = apply_corrections([pair("one")], [Correction("one", "fix", "An apple hit a pear.")])
    assert done.kept[0].sentence1 == done.kept[0].sentence2
    # One that is typed as it is was accepted.
    assert (
        apply_corrections([pair("one")], [Correction("one", "fix", "A pear hit a apple, one.")]).counts["accept"] == 1
    )


@pytest.mark.parametrize("name", ["done.jsonl", "done.tsv", "done.csv.xz"])
def test_decisions_on_disk(tmp_path, name):
    decisions = [Correction("one", "accept", "", "ann"), Correction("two", "fix", "It is, at last.", "ben")]
    assert write_corrections(decisions, tmp_path / name) == 2
    assert read_corrections(tmp_path / name) == decisions


@pytest.mark.parametrize(
    "row, told",
    [
        ("one\tmaybe\t", "P701.*'maybe'"),
        ("one\tfix\t ", "P701.*no text"),
        ("\taccept\t", "P701.*no item_id"),
        ("zero\treject\t", "P705.*'zero' is decided twice, in lines 2 and 3"),
        ("one\taccept\t\t\t", "P701.*5 columns"),
    ],
)
def test_rows_that_are_no_decisions(tmp_path, row, told):
    path = tmp_path / "done.tsv"
    path.write_text(f"item_id\taction\ttext\nzero\taccept\t\n{row}\n", encoding="utf8")
    with pytest.raises(PawsError, match=told):
        read_corrections(path)
