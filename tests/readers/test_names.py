import pytest

from paws_components.errors import PawsError
from paws_components.readers.names import name_sources, own_name, split_name


def test_names_that_are_given(tmp_path):
    (tmp_path / "a=b.tsv").touch()
    assert split_name("MRPC=x/train.txt") == ("MRPC", "x/train.txt")
    assert split_name("x/train.txt") == ("", "x/train.txt")
    assert split_name("=x") == ("", "=x")
    # There is such a file.
    assert split_name(str(tmp_path / "a=b.tsv")) == ("", str(tmp_path / "a=b.tsv"))
    assert own_name(str(tmp_path / "a=b.tsv")) == "a=b"


@pytest.mark.parametrize(
    "source, name",
    [
        ("qqp/dev.tsv.gz", "dev"),
        ("test.de.jsonl", "test.de"),
        ("-", "-"),
        ("my.module:f", "my.module:f"),
        ("org/model-v1.5", "model-v1.5"),
        ("out/bert/model-best", "bert"),
        ("out/bert/model-last", "bert"),
    ],
)
def test_names_of_sources(source, name):
    assert own_name(source) == name


def test_folders_tell_sources_apart(tmp_path, monkeypatch):
    given = ["MRPC=x/train.txt", "wiki/dev.tsv", "qqp/dev.tsv.gz", "qqp/test.tsv", "a/x/model-best", "b/x/model-best"]
    named = name_sources(given, "corpora")
    assert list(named) == ["MRPC", "wiki/dev", "qqp/dev", "test", "a/x", "b/x"]
    assert named["MRPC"] == "x/train.txt"
    (tmp_path / "here").mkdir()
    (tmp_path / "dev.tsv").touch()
    (tmp_path / "here" / "dev.tsv").touch()
    monkeypatch.chdir(tmp_path / "here")
    assert list(name_sources(["dev.tsv", "../dev.tsv"], "corpora")) == ["here/dev", f"{tmp_path.name}/dev"]


@pytest.mark.parametrize("given", [["A=y", "A=z"], ["q/x.tsv", "q/x.tsv"], ["x=a", "x.tsv"]])
def test_two_of_one_name(given):
    with pytest.raises(PawsError, match="P354.*Two corpora"):
        name_sources(given, "corpora")
