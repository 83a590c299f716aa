import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_components.errors import PawsError
from paws_components.records import FIELDS, NLI, PairRecord, normalise


def test_ids_depend_on_sentences_and_generator():
    one = PairRecord("a", "b", generator="x")
    assert one.id == PairRecord("a", "b", generator="x", label=1).id
    assert one.id != PairRecord("a", "b", generator="y").id
    assert one.id != PairRecord("ab", "", generator="x").id
    assert one.source_id == PairRecord("a", "c").source_id


def test_fields_that_a_record_does_not_have_become_evidence():
    record = PairRecord.from_dict({"sentence1": "a", "sentence2": "b", "votes": [1, 0], "id": 7})
    assert record.id == "7" and record.evidence == {"votes": [1, 0]}


def test_the_order_of_the_fields():
    data = PairRecord("a", "b", nli="neutral").to_dict()
    assert tuple(data) == FIELDS and list(data)[:5] == ["id", "sentence1", "sentence2", "label", "nli"]


def test_an_nli_judgement_has_a_field_of_its_own():
    for judgement in NLI:
        record = PairRecord("a", "b", nli=judgement)
        assert PairRecord.from_dict(record.to_dict()) == record and record.label is None
    # Where it stood before.
    old = PairRecord.from_dict({"sentence1": "a", "sentence2": "b", "evidence": {"nli": "neutral", "gap": 1.5}})
    assert (old.nli, old.evidence) == ("neutral", {"gap": 1.5})


@pytest.mark.parametrize(
    "data, reason",
    [
        ({"sentence1": "a"}, "P016.*sentence2"),
        ({"sentence1": 3, "sentence2": "b"}, "P016.*sentence1"),
        ({"sentence1": "a", "sentence2": "b", "label": 7}, "P015.*label.*0, 1 or empty.*7"),
        ({"sentence1": "a", "sentence2": "b", "nli": "maybe"}, "P015.*nli.*entailment, neutral, contradiction.*maybe"),
        ({"sentence1": "a", "sentence2": "b", "evidence": "none"}, "P016.*evidence"),
    ],
)
def test_what_is_no_record(data, reason):
    with pytest.raises(PawsError, match=reason):
        PairRecord.from_dict(data)


@given(st.text())
def test_normalised_text_fits_a_tsv_cell(text):
    cell = normalise(text)
    assert not set("\t\r\n") & set(cell) and cell == cell.strip()
    assert "".join(cell.split()) == "".join(text.split())


@given(st.text(), st.text())
def test_any_text_survives_jsonl(first, second):
    record = PairRecord(first, second)
    again = PairRecord.from_dict(json.loads(json.dumps(record.to_dict(), ensure_ascii=False)))
    assert again == record
