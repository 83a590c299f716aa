import pytest

from paws_components.curation.mrpc import is_mrpc, read_mrpc, read_pairs
from paws_components.errors import PawsError
from paws_components.records import PairRecord, RecordWriter

HEADER = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"


def write(path, *lines: str, bom: bool = True, end: str = "\r\n"):
    path.write_bytes(("\ufeff" * bom + end.join((HEADER, *lines, ""))).encode("utf8"))
    return path


@pytest.mark.parametrize("bom", [True, False])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_read_mrpc(tmp_path, bom, end):
    path = write(tmp_path / "mrpc.txt", '1\t7\t8\tHe said "yes.\tShe "said" so.', "0\t9\t10\tA.\tB.", bom=bom, end=end)
    assert is_mrpc(path)
    first, second = read_pairs(path)
    assert (first.sentence1, first.sentence2, first.label) == ('He said "yes.', 'She "said" so.', 1)
    assert (first.label_source, first.evidence) == ("human", {"mrpc": ["7", "8"]})
    assert second.label == 0


@pytest.mark.parametrize("line, reason", [("1\t7\t8\tA.", "4 columns"), ("yes\t7\t8\tA.\tB.", "label")])
def test_a_bad_line_is_named(tmp_path, line, reason):
    path = write(tmp_path / "mrpc.txt", "1\t7\t8\tA.\tB.", line)
    with pytest.raises(PawsError, match=rf"Line 3 .*{reason}"):
        list(read_mrpc(path))


def test_not_utf8(tmp_path):
    path = tmp_path / "mrpc.txt"
    path.write_bytes(HEADER.encode() + b"\r\n1\t7\t8\tA\xff.\tB.\r\n")
    with pytest.raises(PawsError, match="P020"):
        list(read_mrpc(path))


def test_other_files_are_pair_records(tmp_path):
    path = tmp_path / "pairs.jsonl"
    with RecordWriter(path) as writer:
        writer.write(PairRecord("A.", "B.", 1))
    assert not is_mrpc(path)
    assert [record.sentence1 for record in read_pairs(path)] == ["A."]
    with pytest.raises(PawsError, match="P020"):
        list(read_pairs(tmp_path / "none.jsonl"))
    other = tmp_path / "pairs.doc"
    other.write_text("A. B.", encoding="utf8")
    with pytest.raises(PawsError, match="P011"):
        list(read_pairs(other))


def test_all_of_mrpc(data_dir):
    path = data_dir / "mrpc" / "msr_paraphrase_train.txt"
    if not path.is_file():
        pytest.skip("MRPC is not there")
    labels = [record.label for record in read_pairs(path)]
    assert (len(labels), sum(labels)) == (4076, 2753)
