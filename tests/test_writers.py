import csv
import gzip
import json

import pytest

from paws_components.errors import PawsError
from paws_components.tables import Columns, TableWriter, find_columns, read_table, to_record

ROWS = [
    {"id": "a", "sentence1": 'He said "no".', "sentence2": "No, he said.", "label": "1"},
    {"id": "b", "sentence1": "Comma, here", "sentence2": "Here, comma", "label": "0"},
]
COLUMNS = Columns("sentence1", "sentence2", "label")


def write(path, rows=ROWS):
    with TableWriter(path, COLUMNS, list(ROWS[0]), ["wpd"]) as writer:
        for i, row in enumerate(rows):
            writer.write(row, {"wpd": i / 4})


@pytest.mark.parametrize("ending", [".tsv", ".csv", ".parquet", ".tsv.gz", ".csv.xz"])
def test_columns_come_back_with_the_scores_beside_them(tmp_path, ending):
    path = tmp_path / f"pairs{ending}"
    write(path)
    rows = list(read_table(path))
    assert [row.error for row in rows] == [None, None]
    assert [{**row.data, "wpd": float(row.data["wpd"])} for row in rows] == [
        {**ROWS[0], "wpd": 0.0},
        {**ROWS[1], "wpd": 0.25},
    ]
    assert list(rows[0].data) == ["id", "sentence1", "sentence2", "label", "wpd"]


def test_jsonl_holds_records(tmp_path):
    path = tmp_path / "pairs.jsonl"
    write(path)
    first = json.loads(path.read_text(encoding="utf8").splitlines()[0])
    assert first["label"] == 1 and first["evidence"] == {"wpd": 0.0}


@pytest.mark.parametrize("ending", [".tsv", ".csv", ".parquet"])
def test_no_rows_still_have_columns(tmp_path, ending):
    path = tmp_path / f"none{ending}"
    write(path, [])
    assert list(read_table(path)) == []
    if ending == ".tsv":
        assert path.read_text(encoding="utf8") == "id\tsentence1\tsentence2\tlabel\twpd\n"
    if ending == ".parquet":
        import pyarrow.parquet

        assert pyarrow.parquet.read_schema(path).names == ["id", "sentence1", "sentence2", "label", "wpd"]


def test_a_score_replaces_the_column_of_its_name(tmp_path):
    path = tmp_path / "pairs.tsv"
    with TableWriter(path, COLUMNS, [*ROWS[0], "wpd"], ["wpd"]) as writer:
        writer.write({**ROWS[0], "wpd": "0.9"}, {"wpd": 0.5})
    (row,) = read_table(path)
    assert row.data["wpd"] == "0.5"


def test_broken_rows_are_told_and_skipped(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b'\xef\xbb\xbfid\tsentence1\tsentence2\r\n1\ta\tb\r\n2\tonly two\r\n3\tc\t"d\r\n')
    rows = list(read_table(path))
    assert [row.number for row in rows] == [2, 3, 4]
    assert rows[0].data == {"id": "1", "sentence1": "a", "sentence2": "b"}
    assert "2 columns" in rows[1].error
    assert rows[2].data["sentence2"] == '"d'  # no quoting in a TSV
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"sentence1": "a"}\n\n{"sent\n[]\n', encoding="utf8")
    assert [(row.number, row.error is None) for row in read_table(path)] == [(1, True), (3, False), (4, False)]


def test_real_layouts(data_dir):
    expected = {
        "paws_wiki/dev.tsv": (8000, "sentence1", "label"),
        "mrpc/msr_paraphrase_train.txt": (4076, "#1 String", "Quality"),
        "mrpc/mrpc_train_scores.csv": (4409, "og_s1", "og_label"),
        "snli/validation.tsv": (9842, "premise", "label"),
        "sick/SICK.txt": (9927, "sentence_A", None),
        "apt/train.tsv": (3746, "text_a", "labels"),
    }
    for name, (count, first, label) in expected.items():
        rows = list(read_table(data_dir / name))
        columns = find_columns(list(rows[0].data), name)
        assert (len(rows), columns.sentence1, columns.label) == (count, first, label), name
        assert all(row.error is None for row in rows), name


def test_finding_columns():
    assert find_columns(["Text_B", "x", "text_a"], "f") == Columns("text_a", "Text_B")
    assert find_columns(["a", "b", "c"], "f", ["c", "a"]) == Columns("c", "a")
    for names, wanted in ((["a", "b"], []), (["a", "b"], ["a"]), (["a", "b"], ["a", "z"])):
        with pytest.raises(PawsError, match="P107.*a, b"):
            find_columns(names, "f", wanted)


def test_labels_that_are_not_ours_are_kept():
    columns = Columns("premise", "hypothesis", "gold")
    record = to_record({"premise": "a", "hypothesis": "b", "gold": "neutral", "x": 1}, columns)
    assert record.label is None and record.evidence == {"x": 1, "label": "neutral"}
    assert to_record({"premise": "a", "hypothesis": "b", "gold": "1.0"}, columns).label == 1


def test_files_that_can_not_be_read(tmp_path):
    with pytest.raises(PawsError, match="P020"):
        list(read_table(tmp_path / "missing.tsv"))
    bad = tmp_path / "bad.tsv.gz"
    bad.write_bytes(gzip.compress(b"sentence1\tsentence2\na\tb\n")[:-9])
    with pytest.raises(PawsError, match="P020"):
        list(read_table(bad))


def test_data_sets(tmp_path):
    datasets = pytest.importorskip("datasets", reason="needs the [datasets] extra")
    table = datasets.Dataset.from_dict({"sentence1": ["a"], "sentence2": ["b"], "label": [1]})
    table.save_to_disk(tmp_path / "one")
    datasets.DatasetDict({"train": table, "test": table}).save_to_disk(tmp_path / "two")
    (row,) = read_table(tmp_path / "one")
    assert row.data == {"sentence1": "a", "sentence2": "b", "label": 1}
    assert len(list(read_table(tmp_path / "two", split="test"))) == 1
    with pytest.raises(PawsError, match="P109.*train, test.*--split"):
        list(read_table(tmp_path / "two"))
    with pytest.raises(PawsError, match="P109.*no-such"):
        list(read_table(str(tmp_path / "no-such-data-set")))


def test_corpora_as_they_are_published(data_dir):
    """Quoted where the corpus is, without a header where it has none."""
    path = data_dir / "qqp" / "quora-dev.tsv"
    with path.open(encoding="utf8", newline="") as lines:
        expected = list(csv.DictReader(lines, delimiter="\t"))
    assert [row.data["sentence1"] for row in read_table(path)] == [row["sentence1"] for row in expected]
    rows = list(read_table(data_dir / "twitter_url" / "Twitter_URL_Corpus_test.txt"))
    assert len(rows) == 10_370
    assert sum(row.error is None for row in rows) == 10_110  # 250 stray lines and 10 with five fields
    assert list(rows[0].data) == ["s1", "s2", "votes", "url"]
