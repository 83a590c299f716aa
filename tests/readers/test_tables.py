"""Columns as they stand, of tables that nobody knows and of those that everybody knows."""

import csv
import gzip

import pytest

from paws_components.errors import PawsError
from paws_components.readers import open_pairs
from paws_components.readers.columns import Columns, find_columns, named_columns


def test_broken_rows_are_told_and_skipped(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b'\xef\xbb\xbfid\tsentence1\tsentence2\r\n1\ta\tb\r\n2\tonly two\r\n3\tc\t"d\r\n')
    rows = list(open_pairs(path))
    assert [row.number for row in rows] == [2, 3, 4]
    assert rows[0].columns == {"id": "1", "sentence1": "a", "sentence2": "b"}
    assert "2 columns" in rows[1].reason and rows[1].raw == "2\tonly two"
    assert rows[2].columns["sentence2"] == '"d'  # no quoting in a TSV
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"sentence1": "a", "sentence2": "b"}\n\n{"sent\n[]\n', encoding="utf8")
    rows = list(open_pairs(path))
    assert [(row.number, row.reason is None) for row in rows] == [(1, True), (3, False), (4, False)]
    assert [row.raw for row in rows[1:]] == ['{"sent', "[]"]


def test_a_column_too_many_is_not_lost(tmp_path):
    path = tmp_path / "pairs.tsv"
    lines = ["1\ta\tb\t0", "2\ta\tb\tc\t0", "3\ta\tb\t1\tmore"]
    path.write_text("\n".join(["id\tsentence1\tsentence2\tlabel", *lines]) + "\n")
    rows = list(open_pairs(path))
    assert [row.raw for row in rows] == lines and [row.reason is None for row in rows] == [True, False, True]


def test_a_carriage_return_within_a_line_is_white_space(tmp_path):
    """The rows after it were lost where no quotation marks were around it."""
    path = tmp_path / "a.csv"
    path.write_bytes(b'sentence1,sentence2,label\r\n"a\rb",c,0\r\nx\ry,z,1\r\n"q\r\nr",s,0\r\n')
    rows = list(open_pairs(path))
    assert [(row.sentence1, row.label, row.reason) for row in rows] == [
        ("a\rb", 0, None),
        ("x\ry", 1, None),
        ("q\r\nr", 0, None),
    ]
    assert [row.number for row in rows] == [2, 3, 4]


def test_finding_columns():
    assert find_columns(["Text_B", "x", "text_a"]) == Columns("text_a", "Text_B")
    assert find_columns(["ID", "source", "target", "Label"]) == Columns("source", "target", "Label", "ID")
    assert find_columns(["sentence", "candidate"]) == Columns("sentence", "candidate")
    assert find_columns(["a", "b"]) is None


def test_naming_columns():
    assert named_columns(["a", "b", "c"], ["c", "a"], "f") == Columns("c", "a")
    assert named_columns(["a", "b", "c"], ["c", "a", "b"], "f") == Columns("c", "a", "b")
    for wanted in (["a"], ["a", "z"], ["a", "b", "a", "b"]):
        with pytest.raises(PawsError, match="P107.*a, b"):
            named_columns(["a", "b"], wanted, "f")


@pytest.mark.parametrize("name, delimiter", [("x.tsv", "\t"), ("x.csv", ",")])
def test_columns_by_name(tmp_path, name, delimiter):
    path = tmp_path / name
    rows = [["one", "two", "gold", "x"], ["a", "b", "neutral", "7"], ["c", "d", "1.0", "8"], ["e", "f", "maybe", "9"]]
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows))
    with pytest.raises(PawsError, match="P144"):
        open_pairs(path)
    found = list(open_pairs(path, columns=["one", "two", "gold"]))
    assert [row.label for row in found] == ["neutral", 1, None]
    assert [row.written for row in found] == rows_of(rows, 2)
    first = found[0].to_record()
    assert (first.label, first.nli, first.sentence1) == (None, "neutral", "a")
    assert found[0].columns == dict(zip(rows[0], rows[1]))


def rows_of(rows, place):
    return [row[place] for row in rows[1:]]


def test_files_that_can_not_be_read(tmp_path):
    with pytest.raises(PawsError, match="P020"):
        open_pairs(tmp_path / "missing.tsv")
    bad = tmp_path / "bad.tsv.gz"
    text = b"sentence1\tsentence2\n" + b"".join(b"a %d\tb\n" % n for n in range(5000))
    packed = gzip.compress(text)
    for end in (-9, -5000):
        bad.write_bytes(packed[:end])
        rows = list(open_pairs(bad))
        assert rows[-1].broke_off and rows[-1].problem == "read_error" and "P020" in rows[-1].reason
        assert [row.sentence1 for row in rows[:-1]] == [f"a {n}" for n in range(len(rows) - 1)] and len(rows) > 1000
    bad.write_bytes(b"never packed")
    with pytest.raises(PawsError, match="P020"):
        open_pairs(bad)


def test_data_sets(tmp_path):
    datasets = pytest.importorskip("datasets", reason="needs the [datasets] extra")
    table = datasets.Dataset.from_dict({"sentence1": ["a"], "sentence2": ["b"], "label": [1]})
    table.save_to_disk(tmp_path / "one")
    datasets.DatasetDict({"train": table, "test": table}).save_to_disk(tmp_path / "two")
    (row,) = open_pairs(tmp_path / "one")
    assert row.columns == {"sentence1": "a", "sentence2": "b", "label": 1} and row.label == 1
    assert len(list(open_pairs(tmp_path / "two", split="test"))) == 1
    with pytest.raises(PawsError, match="P109.*train, test.*--split"):
        open_pairs(tmp_path / "two")
    with pytest.raises(PawsError, match="P020.*no-such"):
        open_pairs(str(tmp_path / "no-such-data-set"))
    with pytest.raises(PawsError, match="P109.*no-such"):
        open_pairs("no-such-data-set")


def test_corpora_as_they_are_published(data_dir):
    """Quoted where the corpus is, without a header where it has none."""
    path = data_dir / "qqp" / "quora-dev.tsv"
    with path.open(encoding="utf8", newline="") as lines:
        expected = list(csv.DictReader(lines, delimiter="\t"))
    rows = list(open_pairs(path))
    assert [row.columns for row in rows] == expected
    written = {"0.0": 0, "1.0": 1, "": None}
    assert [row.label for row in rows] == [written[row["is_duplicate"]] for row in expected]
    rows = list(open_pairs(data_dir / "twitter_url" / "Twitter_URL_Corpus_test.txt"))
    assert len(rows) == 10_370
    assert sum(row.problem is None for row in rows) == 10_110  # 250 stray lines and 10 with five fields
    assert list(rows[0].columns) == ["s1", "s2", "votes", "url"]
