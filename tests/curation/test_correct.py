import json

import pytest
import spacy

from paws_components.curation.correct import (
    CONSISTENT,
    CORRECTED,
    PASSED,
    RELABELLED,
    CorrectSettings,
    correct_records,
    resolve_types,
)
from paws_components.curation.mentions import QUANTITIES
from paws_components.curation.summary import KINDS, Summary
from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord

LAID_OFF = PairRecord(
    "American has laid off 6,500 of its flight attendants since Dec. 31.",
    "Since October 2001, American has laid off 6,149 flight attendants.",
    1,
    "human",
    evidence={"from": "Figure 9"},
)
STOCK = PairRecord(
    "The stock rose $2.11, or about 11 percent, to close Friday at $21.51 on the New York Stock Exchange.",
    "PG&E Corp. shares jumped $1.63 or 8 percent to $21.03 on the New York Stock Exchange on Friday.",
    1,
    "human",
)
NAMES = PairRecord(
    "On Tuesday John Smith met the president of France in Berlin.",
    "Peter Jones met the president of France on Tuesday, in Berlin.",
    1,
)
SAME = PairRecord("The U.S. economy grew on Monday.", "The economy of the United States grew Monday.", 1)


def one(record, nlp, **settings):
    (outcome,) = correct_records([record], nlp, CorrectSettings(**settings))
    return outcome


def test_figure_9_is_corrected_both_ways(en_nlp):
    outcome = one(LAID_OFF, en_nlp)
    assert outcome.kind == CORRECTED
    first, second = outcome.records
    assert first.sentence1 == LAID_OFF.sentence1
    assert first.sentence2 == "Since Dec. 31, American has laid off 6,500 flight attendants."
    assert second.sentence1 == "American has laid off 6,149 of its flight attendants since October 2001."
    assert second.sentence2 == LAID_OFF.sentence2
    for row in outcome.records:
        assert (row.label, row.label_source, row.source_id) == (1, "rule", LAID_OFF.source_id)
        assert row.evidence["from"] == "Figure 9"
    assert len({first.id, second.id, LAID_OFF.id}) == 3
    note = first.evidence["correct"]
    assert (note["remark"], note["changed"], note["original"]["id"]) == ("corrected", "sentence2", LAID_OFF.id)
    assert {(r["label"], r["from"], r["to"]) for r in note["replaced"]} == {
        ("DATE", "October 2001", "Dec. 31"),
        ("CARDINAL", "6,149", "6,500"),
    }
    assert LAID_OFF.evidence == {"from": "Figure 9"}


@pytest.mark.parametrize("ways, changed", [("first", "sentence2"), ("second", "sentence1")])
def test_one_way(en_nlp, ways, changed):
    (row,) = one(LAID_OFF, en_nlp, ways=ways).records
    assert row.evidence["correct"]["changed"] == changed


def test_the_papers_example_is_relabelled(en_nlp):
    outcome = one(STOCK, en_nlp)
    assert outcome.kind == RELABELLED
    (row,) = outcome.records
    assert (row.sentence1, row.sentence2, row.id) == (STOCK.sentence1, STOCK.sentence2, STOCK.id)
    assert (row.label, row.label_source) == (0, "rule")
    note = row.evidence["correct"]
    assert note["original"] == {"label": 1, "label_source": "human"}
    assert note["ld"] > 0.1
    assert STOCK.label == 1


def test_names_are_corrected_only_if_asked(en_nlp):
    assert one(NAMES, en_nlp).kind == RELABELLED
    outcome = one(NAMES, en_nlp, types=["all"])
    assert outcome.kind == CORRECTED
    assert outcome.records[0].sentence2 == "John Smith met the president of France on Tuesday, in Berlin."
    assert one(NAMES, en_nlp, types=["quantities", "PERSON"]).kind == CORRECTED
    assert one(NAMES, en_nlp, compare=["quantities"]).kind == CONSISTENT


def test_equivalents_are_no_difference(en_nlp):
    outcome = one(SAME, en_nlp)
    assert (outcome.kind, outcome.records[0].label) == (CONSISTENT, 1)
    assert one(SAME, en_nlp, equivalents=[]).kind == RELABELLED


def test_the_ld_guard_keeps_a_label(en_nlp):
    record = PairRecord(
        "John Smith, who lives in Berlin, met Mary on Tuesday.", "John Smith, who lives in Berlin, met Mary.", 1
    )
    high = one(record, en_nlp, ld_guard=0.5)
    assert (high.kind, high.records[0].label) == (CONSISTENT, 1)
    assert 0 < high.records[0].evidence["correct"]["ld"] <= 0.5
    assert high.records[0].evidence["correct"]["differences"]
    for guard in (0, 0.1):
        assert one(record, en_nlp, ld_guard=guard).kind == RELABELLED
    assert "ld" not in one(record, en_nlp, ld_guard=0).records[0].evidence["correct"]


def test_a_correction_to_the_same_sentence_is_none(en_nlp):
    outcome = one(PairRecord("Sales rose 5 percent.", "Sales rose 6 percent.", 1), en_nlp)
    assert outcome.kind == RELABELLED
    assert "the same" in outcome.records[0].evidence["correct"]["why"]


@pytest.mark.parametrize("label", [0, None])
def test_other_labels_pass_through(en_nlp, label):
    record = PairRecord(STOCK.sentence1, STOCK.sentence2, label, "human")
    outcome = one(record, en_nlp)
    (row,) = outcome.records
    assert (outcome.kind, row.label, row.label_source, row.id) == (PASSED, label, "human", record.id)
    assert row.evidence["correct"]["remark"] == "passed"


@pytest.mark.parametrize("first, second", [("", ""), ("", "He came on Tuesday."), ("Yes", "No"), ("\n", '"')])
def test_short_and_empty_sentences(en_nlp, first, second):
    outcome = one(PairRecord(first, second, 1), en_nlp)
    assert len(outcome.records) == 1 and outcome.kind in KINDS


def test_typographic_marks_are_kept_where_nothing_is_replaced(en_nlp):
    record = PairRecord("“Here’s three,” he said.", "He said: “Here’s four.”", 1)
    rows = one(record, en_nlp).records
    assert [row.sentence2 for row in rows] == ["He said: “Here’s three.”", "He said: “Here’s four.”"]


def test_nothing_is_lost_and_chunks_do_not_matter(en_nlp, monkeypatch):
    records = [LAID_OFF, PairRecord("A.", "B.", 0), STOCK, SAME, PairRecord("A.", "B."), NAMES] * 3
    whole = [outcome.records for outcome in correct_records(records, en_nlp)]
    monkeypatch.setattr("paws_components.curation.correct.CHUNK", 4)
    summary = Summary()
    parts = []
    for record, outcome in zip(records, correct_records(iter(records), en_nlp, batch_size=3)):
        assert outcome.source is record
        summary.add(outcome)
        parts.append(outcome.records)
    assert parts == whole
    rows = {kind: (pairs, out) for kind, pairs, out in summary.rows()}
    assert rows == {
        "corrected": (3, 6),
        "relabelled": (6, 6),
        "consistent": (3, 3),
        "passed": (6, 6),
        "all": (18, 21),
    }
    assert summary.labels == {1: 9, 0: 9, None: 3}
    assert summary.replacements(1) == [("CARDINAL", "6,149", "6,500", 3)]
    json.dumps([record.to_dict() for records in whole for record in records])


def test_no_records(en_nlp):
    assert list(correct_records([], en_nlp)) == []


@pytest.mark.parametrize(
    "settings, name",
    [
        ({"ways": "sideways"}, "ways"),
        ({"ld_variant": "mine"}, "ld_variant"),
        ({"ld_guard": -0.1}, "ld_guard"),
        ({"ld_guard": 1.5}, "ld_guard"),
        ({"types": "quantities"}, "types"),
        ({"compare": []}, "compare"),
    ],
)
def test_bad_settings(settings, name):
    with pytest.raises(PawsError, match=rf"P015.*{name}"):
        CorrectSettings(**settings)


def test_a_pipeline_must_fit(en_nlp):
    with pytest.raises(PawsError, match="P122"):
        correct_records([], spacy.blank("en"))
    with pytest.raises(PawsError, match=r"P123.*MONY.*--types"):
        correct_records([], en_nlp, CorrectSettings(types=["MONY"]))
    ruler = spacy.blank("en")
    ruler.add_pipe("entity_ruler").add_patterns([{"label": "DATE", "pattern": "Tuesday"}])
    with pytest.raises(PawsError, match="P124"):
        correct_records([], ruler, CorrectSettings(types=["DATE"]))
    record = PairRecord("He came Tuesday.", "There he came.", 1)
    assert one(record, ruler, types=["DATE"], ld_guard=0).kind == RELABELLED


def test_resolve_types():
    assert resolve_types(["quantities"]) == set(QUANTITIES)
    assert resolve_types(["quantities", "ORG"]) == {*QUANTITIES, "ORG"}
    assert resolve_types(["ORG", "all"]) is None


def test_mrpc_adds_up(en_nlp, data_dir):
    path = data_dir / "mrpc" / "msr_paraphrase_train.txt"
    if not path.is_file():
        pytest.skip("MRPC is not there")
    records = [record for _, record in zip(range(200), read_pairs(path))]
    summary = Summary()
    for outcome in correct_records(records, en_nlp):
        summary.add(outcome)
        assert len(outcome.records) == (2 if outcome.kind == CORRECTED else 1)
        for row in outcome.records:
            assert row.sentence1 != row.sentence2
    assert summary.pairs[PASSED] == sum(record.label == 0 for record in records)
    assert sum(summary.pairs.values()) == 200
    differing = summary.pairs[CORRECTED] + summary.pairs[RELABELLED]
    assert summary.called == 200 - summary.pairs[PASSED]
    assert summary.inconsistent == differing + summary.guarded
    assert summary.to_dict()["inconsistent"] == {
        "pairs": summary.inconsistent,
        "of": summary.called,
        "guarded": summary.guarded,
    }
    assert min(summary.pairs[kind] for kind in KINDS) > 0
