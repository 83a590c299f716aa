import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_components.errors import PawsError
from paws_components.records import PairRecord, RecordWriter, normalise, read_records

RECORDS = [
    PairRecord("A b c.", "C b a.", generator="word_swap", evidence={"gap": 1.5, "moved": [{"text": "A"}]}),
    PairRecord('He said "no".', "שלום 😀", label=1, label_source="human", generator="human", source_id="s1"),
    PairRecord("x", "y", label=0),
]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".jsonl.xz", ".parquet"])
def test_round_trip_keeps_every_field(tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"pairs{ending}"
    with RecordWriter(path) as writer:
        for record in RECORDS:
            writer.write(record)
    assert list(read_records(path)) == RECORDS


def test_paws_tsv_keeps_its_four_columns(tmp_path):
    path = tmp_path / "pairs.tsv"
    with RecordWriter(path) as writer:
        for record in RECORDS:
            writer.write(record)
    assert path.read_text(encoding="utf8").splitlines()[0] == "id\tsentence1\tsentence2\tlabel"
    read = list(read_records(path))
    assert [(r.id, r.sentence1, r.sentence2, r.label) for r in read] == [
        (r.id, r.sentence1, r.sentence2, r.label) for r in RECORDS
    ]


def test_ids_depend_on_sentences_and_generator():
    one = PairRecord("a", "b", generator="x")
    assert one.id == PairRecord("a", "b", generator="x", label=1).id
    assert one.id != PairRecord("a", "b", generator="y").id
    assert one.id != PairRecord("ab", "", generator="x").id
    assert one.source_id == PairRecord("a", "c").source_id


@pytest.mark.parametrize(
    "line, reason",
    [
        ("{broken", "Expecting property name"),
        ('{"sentence1": "a"}', "sentence2"),
        ('{"sentence1": "a", "sentence2": "b", "label": 7}', "0, 1 or empty"),
        ("[1, 2]", "sentence1"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, reason):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"sentence1": "a", "sentence2": "b"}\n' + line + "\n", encoding="utf8")
    with pytest.raises(PawsError, match=r"P009.*Line 2") as error:
        list(read_records(path))
    assert reason in str(error.value)


def test_a_row_with_too_many_columns_is_named(tmp_path):
    path = tmp_path / "bad.tsv"
    path.write_text("id\tsentence1\tsentence2\tlabel\n1\ta\tb\t0\n2\ta\tb\tc\t0\n", encoding="utf8")
    with pytest.raises(PawsError, match="Line 3.*5 columns"):
        list(read_records(path))


def test_unknown_ending_missing_file_and_full_disk(tmp_path):
    with pytest.raises(PawsError, match=r"P011.*\.jsonl"):
        RecordWriter(tmp_path / "pairs.doc")
    with pytest.raises(PawsError, match="P020"):
        list(read_records(tmp_path / "nowhere.jsonl"))
    with pytest.raises(PawsError, match="P021.*nothing"):
        RecordWriter(tmp_path / "no" / "folder.jsonl")


def test_a_full_disk_says_what_was_written():
    writer = RecordWriter.__new__(RecordWriter)
    writer.path, writer.count, writer.format = "/dev/full", 0, ".jsonl"
    writer._file, writer._parquet, writer._rows = open("/dev/full", "w", buffering=1), None, []
    with pytest.raises(PawsError, match="P021.*No space left"):
        writer.write(RECORDS[0])


def test_fields_that_a_record_does_not_have_become_evidence():
    record = PairRecord.from_dict({"sentence1": "a", "sentence2": "b", "votes": [1, 0], "id": 7})
    assert record.id == "7" and record.evidence == {"votes": [1, 0]}


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


def test_real_paws_files(data_dir):
    records = list(read_records(data_dir / "paws_wiki" / "dev.tsv"))
    assert len(records) == 8000
    assert sum(record.label or 0 for record in records) == 3539
    assert not any(record.sentence2.endswith("\r") for record in records)
