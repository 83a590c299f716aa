import bz2
import gzip
import json
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_components.engine.sources import read_lines, total_bytes
from paws_components.errors import PawsError


def texts(path, **options):
    return [(line.number, line.text, line.error) for line in read_lines([str(path)], **options)]


@pytest.mark.parametrize(
    "name, pack",
    [("a.txt", bytes), ("a.txt.gz", gzip.compress), ("a.txt.xz", lzma.compress), ("a.txt.bz2", bz2.compress)],
)
def test_plain_and_packed(tmp_path, name, pack):
    path = tmp_path / name
    path.write_bytes(pack("\ufeffone\r\ntwo\tparts\n\n  שלום  😀\nlast".encode()))
    assert texts(path) == [
        (1, "one", None),
        (2, "two parts", None),
        (3, "", None),
        (4, "שלום 😀", None),
        (5, "last", None),
    ]


def test_invalid_utf8_is_an_error_of_its_line_only(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nb\xffad\ngood again\n")
    found = texts(path)
    assert [text for _, text, error in found if error is None] == ["good", "good again"]
    assert found[1][0] == 2 and "P023" in found[1][2]


def test_only_a_line_feed_ends_a_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("one\u2028still one\x0bstill\x85one\ntwo".encode())
    assert len(texts(path)) == 2


def test_jsonl_fields(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [json.dumps({"q": "A b?"}), json.dumps({"text": "x"}), "{", json.dumps({"q": 3}), "[]", ""]
    path.write_text("\n".join(rows) + "\n", encoding="utf8")
    found = texts(path, field="q")
    assert found[0] == (1, "A b?", None) and found[5] == (6, "", None)
    assert all("P024" in found[i][2] and "'q'" in found[i][2] for i in (1, 2, 3, 4))


def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    from pyarrow import table

    path = tmp_path / "a.parquet"
    parquet.write_table(table({"t": ["one", None, "two\nlines"], "n": [1, 2, 3]}), path)
    assert texts(path, field="t") == [(1, "one", None), (2, "", None), (3, "two lines", None)]
    assert all(error for _, _, error in texts(path, field="n"))
    with pytest.raises(PawsError, match="P012.*'text'.*t, n.*--field"):
        texts(path)


def test_missing_and_truncated_files(tmp_path):
    with pytest.raises(PawsError, match="P020.*nowhere"):
        texts(tmp_path / "nowhere.txt")
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n" * 1000)[:-20])
    with pytest.raises(PawsError, match="P020.*a.gz"):
        texts(path)


def test_progress_adds_up_to_the_size(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n" * 100))
    steps = []
    list(read_lines([str(path)], advance=steps.append))
    assert sum(steps) == total_bytes([str(path)]) == path.stat().st_size
    assert total_bytes(["-"]) is None


@given(data=st.binary(max_size=300))
def test_no_line_of_any_bytes_is_lost(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "a.txt"
    path.write_bytes(data)
    expected = data.count(b"\n") + bool(data and not data.endswith(b"\n"))
    assert [number for number, _, _ in texts(path)] == list(range(1, expected + 1))
