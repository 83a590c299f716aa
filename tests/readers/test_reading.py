import pytest

from paws_components.errors import PawsError
from paws_components.readers import open_pairs, read_pairs
from paws_components.records import PairRecord
from paws_components.writers import FolderWriter, RecordWriter

HEADER = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"


def write(path, *lines: str, bom: bool = True, end: str = "\r\n"):
    path.write_bytes(("\ufeff" * bom + end.join((HEADER, *lines, ""))).encode("utf8"))
    return path


@pytest.mark.parametrize("bom", [True, False])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_mrpc_as_published(tmp_path, bom, end):
    path = write(tmp_path / "mrpc.txt", '1\t7\t8\tHe said "yes.\tShe "said" so.', "0\t9\t10\tA.\tB.", bom=bom, end=end)
    first, second = read_pairs(path)
    assert (first.sentence1, first.sentence2, first.label) == ('He said "yes.', 'She "said" so.', 1)
    assert first.label_source == "human" and second.label == 0


@pytest.mark.parametrize("line, reason", [("1\t7\t8\tA.", "columns"), ("yes\t7\t8\tA.\tB.", "label.*'yes'")])
def test_a_bad_line_is_named(tmp_path, line, reason):
    path = write(tmp_path / "mrpc.txt", "1\t7\t8\tA.\tB.", line)
    with pytest.raises(PawsError, match=rf"P009.*Line 3 .*{reason}"):
        list(read_pairs(path, "mrpc"))


def test_not_utf8(tmp_path):
    path = tmp_path / "mrpc.txt"
    path.write_bytes(HEADER.encode() + b"\r\n1\t7\t8\tA\xff.\tB.\r\n")
    with pytest.raises(PawsError, match="P009.*UTF-8"):
        list(read_pairs(path))


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet"])
def test_pair_records_come_back_as_they_are(tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    records = [
        PairRecord("A b.", "B a.", 1, "rule", "word_swap", "s1", {"gap": 1.5}),
        PairRecord("C.", "D.", generator="human"),
    ]
    path = tmp_path / f"pairs{ending}"
    with RecordWriter(path) as writer:
        for record in records:
            writer.write(record)
    assert list(read_pairs(path)) == records


@pytest.mark.parametrize(
    "line, reason",
    [
        ("{broken", "Expecting property name"),
        ('{"sentence1": "a"}', "sentence2"),
        ('{"sentence1": "a", "sentence2": "b", "label": 7}', "label.*'7'"),
        ('{"sentence1": "a", "sentence2": "b", "evidence": "not json"}', "evidence"),
        ('{"sentence1": "a", "sentence2": "b", "label": ' + "1" * 5000 + "}", "digits"),
        ("[" * 100_000, "recursion"),
        ("[1, 2]", "it is not a JSON object"),
    ],
)
def test_a_bad_object_is_named(tmp_path, line, reason):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"sentence1": "a", "sentence2": "b"}\n' + line + "\n", encoding="utf8")
    with pytest.raises(PawsError, match=rf"P009.*Line 2 .*{reason}"):
        list(read_pairs(path))


def test_a_row_with_too_many_columns_is_named(tmp_path):
    path = tmp_path / "bad.tsv"
    path.write_text("id\tsentence1\tsentence2\tlabel\n1\ta\tb\t0\n2\ta\tb\tc\t0\n", encoding="utf8")
    with pytest.raises(PawsError, match="Line 3.*5 columns"):
        list(read_pairs(path))


def test_an_object_may_lack_what_others_have(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"sentence1": "a", "sentence2": "b"}\n{"id": 7, "sentence1": "c", "sentence2": "d", "label": 1}\n')
    assert [record.label for record in read_pairs(path)] == [None, 1]
    assert [row.id for row in open_pairs(path)] == ["", "7"]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".tsv", ".csv", ".parquet"])
def test_no_pairs_are_no_error(tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"pairs{ending}"
    with RecordWriter(path):
        pass
    assert list(read_pairs(path)) == []


def test_a_folder_without_pairs(tmp_path):
    with FolderWriter(tmp_path / "out"):
        pass
    assert list(read_pairs(tmp_path / "out")) == []


def test_a_row_of_a_folder_says_which_file_it_stands_in(tmp_path):
    for number in range(2):
        (tmp_path / f"shard-{number}.jsonl").write_text('{"sentence1": "a", "sentence2": "b"}\nnone\n')
    rows = [row for row in open_pairs(tmp_path) if not row.readable]
    assert [(row.path, row.number) for row in rows] == [(str(tmp_path / f"shard-{i}.jsonl"), 2) for i in range(2)]


def test_missing_and_unknown_files(tmp_path):
    with pytest.raises(PawsError, match="P020"):
        list(read_pairs(tmp_path / "none.jsonl"))
    other = tmp_path / "pairs.doc"
    other.write_text("A. B.", encoding="utf8")
    with pytest.raises(PawsError, match="P144"):
        list(read_pairs(other))


def test_all_of_mrpc(data_dir):
    labels = [record.label for record in read_pairs(data_dir / "mrpc" / "msr_paraphrase_train.txt")]
    assert (len(labels), sum(labels)) == (4076, 2753)


def test_all_of_paws(data_dir):
    records = list(read_pairs(data_dir / "paws_wiki" / "dev.tsv"))
    assert len(records) == 8000
    assert sum(record.label or 0 for record in records) == 3539
    assert not any(record.sentence2.endswith("\r") for record in records)


@pytest.mark.parametrize("line", ['{"sentence1": "a", "sentence2": " "}', '{"sentence1": "NS", "sentence2": "b"}'])
def test_a_row_without_a_sentence_is_left_out_and_told(tmp_path, line):
    path = tmp_path / "some.jsonl"
    path.write_text(f'{line}\n{{"sentence1": "a", "sentence2": "b"}}\n', encoding="utf8")
    with pytest.warns(UserWarning, match="W027.* 1 rows of .*left out"):
        assert [record.sentence1 for record in read_pairs(path)] == ["a"]
