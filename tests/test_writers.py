import gzip
import json
import os
import sys

import pytest

from paws_components import writers
from paws_components.errors import PawsError
from paws_components.readers import open_pairs, read_pairs
from paws_components.records import FIELDS, PairRecord
from paws_components.writers import FolderWriter, RecordWriter, TableWriter, check_outputs, file_format, write_text

ROWS = [
    {"id": "a", "sentence1": 'He said "no".', "sentence2": "No, he said.", "label": "1"},
    {"id": "b", "sentence1": "Comma, here", "sentence2": "Here, comma", "label": "0"},
]
HEADER = [*ROWS[0], "wpd"]
RECORDS = [
    PairRecord("A b c.", "C b a.", generator="word_swap", evidence={"gap": 1.5, "moved": [{"text": "A"}]}),
    PairRecord('He said "no".', "שלום 😀", label=1, label_source="human", generator="human", source_id="s1"),
    PairRecord("x", "y", label=0),
    PairRecord("p", "h", nli="neutral"),
]


def write(path, rows=ROWS):
    with TableWriter(path, HEADER, ["wpd"]) as writer:
        for i, row in enumerate(rows):
            writer.write({**row, "wpd": i / 4})


def write_records(path, records=RECORDS):
    with RecordWriter(path) as writer:
        for record in records:
            writer.write(record)


@pytest.mark.parametrize("ending", [".tsv", ".csv", ".parquet", ".tsv.gz", ".csv.xz", ".tsv.bz2"])
def test_columns_come_back_with_the_scores_beside_them(tmp_path, ending):
    if "parquet" in ending:
        pytest.importorskip("pyarrow")
    path = tmp_path / f"pairs{ending}"
    write(path)
    rows = list(open_pairs(path))
    assert [row.reason for row in rows] == [None, None]
    assert [{**row.columns, "wpd": float(row.columns["wpd"])} for row in rows] == [
        {**ROWS[0], "wpd": 0.0},
        {**ROWS[1], "wpd": 0.25},
    ]
    assert list(rows[0].columns) == HEADER


@pytest.mark.parametrize("ending", [".tsv", ".csv", ".parquet"])
def test_no_rows_still_have_columns(tmp_path, ending):
    path = tmp_path / f"none{ending}"
    if ending == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        write(path, [])
        assert parquet.read_schema(path).names == HEADER
    else:
        write(path, [])
        assert path.read_text(encoding="utf8") == (("\t" if ending == ".tsv" else ",").join(HEADER)) + "\n"
        assert list(open_pairs(path)) == []


def test_nested_values_are_json_and_nothing_is_an_empty_cell(tmp_path):
    path = tmp_path / "pairs.tsv"
    with TableWriter(path, ["s1", "s2", "votes", "x"]) as writer:
        writer.write({"s1": "a\tb", "s2": "c\nd", "votes": [1, 0], "x": None})
    assert path.read_text(encoding="utf8").splitlines()[1] == "a b\tc d\t[1, 0]\t"


def test_cells_that_a_spreadsheet_takes_for_formulas_are_told(tmp_path):
    path = tmp_path / "pairs.csv"
    with TableWriter(path, ["s1", "s2", "n"], ["n"]) as writer:
        writer.write({"s1": "=1+1", "s2": "-5", "n": -0.5})
        writer.write({"s1": "plain", "s2": "@home", "n": 1.0})
    assert len(writer.remarks) == 1 and "W025" in writer.remarks[0] and " 2 " in writer.remarks[0]
    # What is written is what there is.
    assert path.read_text(encoding="utf8").splitlines()[1] == "=1+1,-5,-0.5"


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".jsonl.xz", ".jsonl.bz2", ".csv", ".parquet"])
def test_records_keep_every_field(tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"pairs{ending}"
    write_records(path)
    assert list(read_pairs(path)) == RECORDS


def test_paws_tsv_keeps_its_four_columns(tmp_path):
    path = tmp_path / "pairs.tsv"
    write_records(path)
    assert path.read_text(encoding="utf8").splitlines()[0] == "id\tsentence1\tsentence2\tlabel"
    assert [(r.id, r.sentence1, r.sentence2, r.label) for r in read_pairs(path)] == [
        (r.id, r.sentence1, r.sentence2, r.label) for r in RECORDS
    ]


def test_one_schema_whatever_is_empty(tmp_path):
    """`datasets` can't load two files together of which one has a column of nulls."""
    parquet = pytest.importorskip("pyarrow.parquet")
    write_records(tmp_path / "a.parquet")
    write_records(tmp_path / "b.parquet", [PairRecord("a", "b")])
    write_records(tmp_path / "c.parquet", [])
    schemas = [parquet.read_schema(tmp_path / f"{name}.parquet") for name in "abc"]
    assert schemas[0] == schemas[1] == schemas[2] and schemas[0].names == list(FIELDS)


def test_packed_files_have_the_same_bytes_every_time(tmp_path, monkeypatch):
    write_records(tmp_path / "a.jsonl.gz")
    monkeypatch.setattr("time.time", lambda: 0.0)
    write_records(tmp_path / "b.jsonl.gz")
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert gzip.open(tmp_path / "a.jsonl.gz").read().count(b"\n") == len(RECORDS)


def test_a_folder_of_files(tmp_path, monkeypatch):
    monkeypatch.setattr("paws_components.writers.ROW_GROUP", 3)
    with FolderWriter(tmp_path / "out", "tsv") as writer:
        for record in RECORDS:
            writer.write(record)
    assert sorted(os.listdir(tmp_path / "out")) == ["shard-00000.tsv", "shard-00001.tsv"]
    assert [record.sentence1 for record in read_pairs(tmp_path / "out")] == [record.sentence1 for record in RECORDS]


def write_columns(path, *groups):
    """A Parquet file of one column; each group is as many rows as a row group takes, and the last one is one row."""
    with TableWriter(path, ["a"]) as writer:
        for value in groups[:-1]:
            for _ in range(writers.ROW_GROUP):
                writer.write({"a": value})
        writer.write({"a": groups[-1]})


@pytest.mark.parametrize(
    "groups, last",
    [((1, 2.0), 2), ((None, 3), "3"), (("x", 3), "3"), ((1.5, 2), 2.0), ((True, False), False), ((None, 1, "x"), "x")],
)
def test_later_rows_of_parquet_are_as_the_first(tmp_path, monkeypatch, groups, last):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(writers, "ROW_GROUP", 3)
    write_columns(tmp_path / "a.parquet", *groups)
    assert parquet.read_table(tmp_path / "a.parquet")["a"].to_pylist()[-1] == last


@pytest.mark.parametrize("groups", [(1, 1.5), (1, "x"), (1, 2**70), ("x", "\ud800"), (1.5, "x")])
def test_what_a_column_of_parquet_can_not_hold_is_told(tmp_path, monkeypatch, groups, capfd):
    """1.5 became 1 where the rows before had whole numbers."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(writers, "ROW_GROUP", 3)
    (tmp_path / "a.parquet").write_text("old")
    with pytest.raises(PawsError, match="P021.*a.parquet.*column 'a'"):
        write_columns(tmp_path / "a.parquet", *groups)
    assert os.listdir(tmp_path) == ["a.parquet"] and (tmp_path / "a.parquet").read_text() == "old"
    assert capfd.readouterr().err == ""


def test_half_a_character_comes_back(tmp_path):
    """JSON may escape one half of an emoji alone; what was written of it was no UTF-8, and the row was refused."""
    (tmp_path / "in.jsonl").write_text(r'{"sentence1": "a \ud83d 家", "sentence2": "b", "label": 0}' + "\n", "utf8")
    (record,) = read_pairs(tmp_path / "in.jsonl")
    write_records(tmp_path / "out.jsonl", [record, *RECORDS])
    assert list(read_pairs(tmp_path / "out.jsonl")) == [record, *RECORDS]
    assert "שלום 😀".encode() in (tmp_path / "out.jsonl").read_bytes()


def test_numbers_and_words_in_one_column_are_words(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    with TableWriter(tmp_path / "a.parquet", ["a", "b"]) as writer:
        for a, b in ((1, 2**70), ("x", 1), (2.5, None)):
            writer.write({"a": a, "b": b})
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table["a"].to_pylist() == ["1", "x", "2.5"] and table["b"].to_pylist() == [str(2**70), "1", None]


def test_two_who_write_the_same_file_do_not_mix(tmp_path):
    path = tmp_path / "pairs.jsonl"
    one, other = RecordWriter(path), RecordWriter(path)
    for number in range(2000):
        one.write(PairRecord(f"one {number}", "x"))
        other.write(PairRecord(f"other {number}", "x"))
    one.close()
    done = path.read_bytes()
    other.write(PairRecord("other", "x"))
    assert path.read_bytes() == done
    other.close()
    assert {record.sentence1.split()[0] for record in read_pairs(path)} == {"other"}
    assert os.listdir(tmp_path) == ["pairs.jsonl"]


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text("the old one")
    with RecordWriter(path) as writer:
        writer.write(RECORDS[0])
        assert path.read_text() == "the old one"
    assert len(list(read_pairs(path))) == 1
    with pytest.raises(ZeroDivisionError), RecordWriter(path) as writer:
        writer.write(RECORDS[1])
        raise ZeroDivisionError
    assert list(read_pairs(path)) == RECORDS[:1] and os.listdir(tmp_path) == ["pairs.jsonl"]
    write_text(path, "new")
    assert path.read_text() == "new" and os.listdir(tmp_path) == ["pairs.jsonl"]


def test_a_link_stays_one(tmp_path):
    (tmp_path / "real.jsonl").write_text("old")
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    write_records(tmp_path / "link.jsonl")
    assert (tmp_path / "link.jsonl").is_symlink()
    assert list(read_pairs(tmp_path / "real.jsonl")) == RECORDS


def test_standard_output(capfdbinary):
    with RecordWriter("-", "tsv") as writer:
        writer.write(RECORDS[2])
    with RecordWriter("-") as writer:
        writer.write(RECORDS[2])
    sys.stdout.flush()
    table, header, record = b"x\ty\t0", b"id\tsentence1\tsentence2\tlabel", json.dumps(RECORDS[2].to_dict()).encode()
    found = capfdbinary.readouterr().out.splitlines()
    assert found[0] == header and found[1].endswith(table) and found[2:] == [record]


def test_formats():
    assert file_format("a.JSONL.gz") == ".jsonl" and file_format("-") == ".jsonl" and file_format("-", "csv") == ".csv"
    # What the name tells, counts.
    assert file_format("a.tsv", "csv") == ".tsv"
    for name in ("pairs.doc", "pairs", "pairs.gz"):
        with pytest.raises(PawsError, match=r"P011.*\.jsonl, \.tsv, \.csv, \.parquet"):
            file_format(name)


def test_no_folder_and_full_disk(tmp_path):
    with pytest.raises(PawsError, match=r"P011.*\.jsonl"):
        RecordWriter(tmp_path / "pairs.doc")
    with pytest.raises(PawsError, match="P021.*No such file"):
        RecordWriter(tmp_path / "no" / "folder.jsonl")
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    with pytest.raises(PawsError, match="P021.*No space left"), RecordWriter("/dev/full", "jsonl") as writer:
        writer.write(RECORDS[0])


def test_an_output_is_no_input_by_any_name(tmp_path):
    source = tmp_path / "a.jsonl"
    source.write_text("{}")
    (tmp_path / "link.jsonl").symlink_to(source)
    os.link(source, tmp_path / "hard.jsonl")
    for name in ("a.jsonl", "./a.jsonl", "link.jsonl", "hard.jsonl"):
        with pytest.raises(PawsError, match="P150"):
            check_outputs([source], [f"{tmp_path}/{name}"])
    with pytest.raises(PawsError, match="P034"):
        check_outputs([source], [tmp_path / "b.jsonl", f"{tmp_path}/./b.jsonl"])
    with pytest.raises(PawsError, match="P021.*no such folder"):
        check_outputs([source], [tmp_path / "no" / "b.jsonl"])
    check_outputs([source, "-", "a/data-set"], ["-", tmp_path / "b.jsonl"])


def test_a_folder_stays_where_the_new_one_can_not_take_its_place(tmp_path, monkeypatch):
    place, beside = tmp_path / "pairs", tmp_path / "shop" / "pairs"
    for folder, text in ((place, "earlier"), (beside, "new")):
        folder.mkdir(parents=True)
        (folder / "shard-000.jsonl").write_text(text)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space"):
        patch.setattr(os, "replace", full)
        writers.move_into_place(beside, place)
    assert (place / "shard-000.jsonl").read_text() == "earlier"
    writers.move_into_place(beside, place)
    assert (place / "shard-000.jsonl").read_text() == "new"
