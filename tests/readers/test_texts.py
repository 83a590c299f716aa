import bz2
import errno
import gzip
import json
import lzma
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_components.errors import PawsError
from paws_components.readers import files, open_pairs, open_texts
from paws_components.readers.files import WIDE_MARKS, BrokenOff, broken_off
from paws_components.storage import StoreError


def texts(path, **options):
    return [(text.number, text.text, text.reason) for text in open_texts([path], **options)]


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
    assert [text.number for text in open_texts([path]) if text.notes == ["white_space"]] == [2, 4]


def test_invalid_utf8_is_an_error_of_its_line_only(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nb\xffad\ngood again\n")
    found = texts(path)
    assert [text for _, text, error in found if error is None] == ["good", "good again"]
    assert found[1][0] == 2 and "P023" in found[1][2]
    raw = [text.raw for text in open_texts([path])]
    assert raw[1].encode("utf8", "surrogateescape") == b"b\xffad"


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
    assert [text.raw for text in open_texts([path], "q")][1:5] == rows[1:5]


def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    from pyarrow import table

    path = tmp_path / "a.parquet"
    parquet.write_table(table({"t": ["one", None, "two\nlines"], "n": [1, 2, 3]}), path)
    assert texts(path, field="t") == [(1, "one", None), (2, "", None), (3, "two lines", None)]
    assert all(error for _, _, error in texts(path, field="n"))
    with pytest.raises(PawsError, match="P012.*'text'.*t, n.*--field"):
        texts(path)


def test_a_column_of_a_table(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('id\tq\n1\tone\n2\n3\t"three\n', encoding="utf8")
    found = texts(path, field="q")
    assert [(number, text) for number, text, _ in found] == [(2, "one"), (3, ""), (4, '"three')]
    assert "columns" in found[1][2] and found[0][2] is found[2][2] is None
    path = tmp_path / "a.csv"
    path.write_text('id,q\n1,"one, two"\n', encoding="utf8")
    assert texts(path, field="q") == [(2, "one, two", None)]
    # Without such a column every line is a text, the first as well.
    assert len(texts(path)) == 2


@pytest.mark.parametrize("line", ['"{}, b', 'x, "{} b', "{}, b", "{}"])
def test_a_long_first_line_is_no_header(tmp_path, line):
    path = tmp_path / "a.txt"
    path.write_text(line.format("a" * 200_000) + "\nsecond\n", encoding="utf8")
    assert [text.text for text in open_texts([path])] == [line.format("a" * 200_000), "second"]
    with pytest.raises(PawsError, match="P144"):
        open_pairs(path)


def test_docs_and_data_sets(tmp_path):
    import spacy
    from spacy.tokens import DocBin

    nlp = spacy.blank("en")
    DocBin(docs=[nlp("One two."), nlp("Three.")]).to_disk(tmp_path / "a.spacy")
    assert texts(tmp_path / "a.spacy") == [(1, "One two.", None), (2, "Three.", None)]
    datasets = pytest.importorskip("datasets", reason="needs the [datasets] extra")
    datasets.Dataset.from_dict({"q": ["one", None], "n": [1, 2]}).save_to_disk(tmp_path / "saved")
    assert texts(tmp_path / "saved", field="q") == [(1, "one", None), (2, "", None)]
    with pytest.raises(PawsError, match="P012.*'text'.*q, n.*--field"):
        texts(tmp_path / "saved")


def test_missing_and_truncated_files(tmp_path):
    with pytest.raises(PawsError, match="P020.*nowhere"):
        texts(tmp_path / "nowhere.txt")
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n" * 1000)[:-20])
    found = list(open_texts([path]))
    assert [text.text for text in found[:2]] == ["one", "two"] and not any(text.reason for text in found[:-1])
    assert found[-1].broke_off and "P020" in found[-1].reason and "a.gz" in found[-1].reason
    path.write_bytes(b"this was never packed")
    with pytest.raises(PawsError, match="P020.*a.gz"):
        texts(path)


def test_progress_adds_up_to_the_size(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n" * 100))
    opened = open_texts([path])
    assert len(list(opened)) == 200
    assert opened.meter.done == opened.meter.total == path.stat().st_size
    assert open_texts(["-"]).meter.total is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_a_file_that_begins_with_another_mark(tmp_path, encoding):
    path = tmp_path / "a.txt"
    path.write_bytes((("\ufeff" if encoding.endswith("be") else "") + "one\nזwei 😀\r\n").encode(encoding))
    assert texts(path) == [(1, "one", None), (2, "זwei 😀", None)]


@given(data=st.binary(max_size=300).filter(lambda data: not data.startswith(tuple(WIDE_MARKS))))
def test_no_line_of_any_bytes_is_lost(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "a.txt"
    path.write_bytes(data)
    expected = data.count(b"\n") + bool(data and not data.endswith(b"\n"))
    assert [number for number, _, _ in texts(path)] == list(range(1, expected + 1))


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "wide.txt"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_lines_at_the_limit(tmp_path, monkeypatch, name, end):
    monkeypatch.setattr(files, "LONGEST_LINE", 10)
    path, lengths = tmp_path / name, [9, 10, 11, 0, 12, 22, 3, 33, 10]
    data = ("\n".join("x" * length for length in lengths) + end).encode("utf-16" if name == "wide.txt" else "utf8")
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    found = list(open_texts([path]))
    assert [len(text.text) if text.reason is None else -1 for text in found] == [9, 10, -1, 0, -1, -1, 3, -1, 10]
    assert [text.raw.partition("(")[2].split()[0] for text in found if text.reason] == ["11", "12", "22", "33"]


@pytest.mark.parametrize(
    "before, after, found, told",
    [
        ("one\ntwo\n", "three\n", ["one", "two"], True),
        ("one\ntw", "o and more\nthree\n", ["one", "two and more"], True),
        ("one\ntw", "o", ["one", "two"], True),
        ("one\ntwo", "", ["one", "two"], False),
    ],
)
def test_a_file_that_grows_is_read_to_the_end_of_its_line(tmp_path, before, after, found, told):
    path = tmp_path / "a.txt"
    path.write_text(before)
    opened = open_texts([path])
    with open(path, "a") as file:
        file.write(after)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [text.text for text in opened] == found
    assert ["W033" in str(warning.message) for warning in caught] == [True] * told


def test_a_wide_file_that_grows_is_read_as_far_as_it_went(tmp_path):
    """A character of two bytes was cut."""
    path = tmp_path / "in.txt"
    path.write_bytes("one\ntwo\n".encode("utf-16"))
    opened = open_texts([path])
    with open(path, "ab") as file:
        file.write("three\nfour\n".encode("utf-16")[2:])
    with pytest.warns(UserWarning, match="W033"):
        assert [text.text for text in opened] == ["one", "two"]


def test_what_may_be_read_another_time_stops_a_run():
    """A file system of the network that lost the file, a store that does not answer; what is damaged stays so."""
    for error, ends in [
        (OSError(errno.ESTALE, "Stale file handle"), False),
        (StoreError("gone"), False),
        (OSError(errno.EIO, "Input/output error"), True),
        (EOFError("cut short"), True),
    ]:
        assert isinstance(broken_off("a.txt", error), BrokenOff) == ends


def test_a_folder_of_plain_files_is_refused_at_once(tmp_path):
    (tmp_path / "a.txt").write_text("Rain\n", encoding="utf8")
    with pytest.raises(PawsError, match="P020.*it is a folder; name the files in it"):
        open_texts([str(tmp_path)])
