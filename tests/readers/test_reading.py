import pytest

from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

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
