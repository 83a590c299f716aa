"""The name of a corpus's card is a source like any other: for every reader and every command."""

import json
import lzma
import os

import pytest
import spacy
from click.testing import CliRunner
from spacy.util import registry

import paws_components as paws
from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.training.readers import PairCorpus

ROWS = "id\tsentence1\tsentence2\tlabel\n" + "".join(
    f"{i}\tThe cat number {i} saw a dog.\tA dog saw the cat number {i}.\t{i % 2}\n" for i in range(8)
)


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A data folder with some rows as PAWS-Wiki's dev, and some text as Wikipedia's."""
    folder = tmp_path / "data"
    (folder / "paws_wiki").mkdir(parents=True)
    (folder / "wiki").mkdir()
    (folder / "paws_wiki" / "dev.tsv").write_text(ROWS, encoding="utf8")
    (folder / "wiki" / "wiki.txt.xz").write_bytes(lzma.compress(b"One line.\nAnother one.\n"))
    monkeypatch.setenv("PAWS_DATA", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def command(*arguments):
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def probabilities(pairs):
    """A model that knows nothing."""
    return [0.7 for _ in pairs]


def test_readers(data):
    opened = paws.open_pairs("paws_wiki:dev")
    assert (opened.source, opened.layout.name, opened.path) == (
        "paws_wiki:dev",
        "paws_wiki",
        data / "paws_wiki/dev.tsv",
    )
    rows = list(opened)
    assert len(rows) == 8 and rows[0].path == "paws_wiki:dev" and rows[0].id == "0"
    assert len(list(paws.open_pairs("paws_wiki", split="dev"))) == 8
    assert [record.label for record in paws.read_pairs("paws_wiki:dev")] == [0, 1] * 4
    # A layout or columns that are asked for go before the card's.
    assert next(iter(paws.open_pairs("paws_wiki:dev", columns=["sentence2", "sentence1"]))).sentence1.startswith(
        "A dog"
    )
    assert [text.text for text in paws.open_texts(["wikipedia:paragraphs"])] == ["One line.", "Another one."]
    assert [text.text for text in paws.open_texts("paws_wiki:dev", "sentence1")][0] == "The cat number 0 saw a dog."


def test_training_data(data):
    reader = registry.readers.get("paws.PairCorpus.v1")(path="paws_wiki:dev", limit=3)
    assert [example.reference.cats["paraphrase"] for example in reader(spacy.blank("en"))] == [0.0, 1.0, 0.0]
    assert len(list(PairCorpus(["paws_wiki:dev", "paws_wiki:dev"]).read(1))) == 16


def test_calls_of_a_notebook(data):
    assert {found.split for found in paws.audit("paws_wiki")} == {"paws_wiki:dev"}
    assert paws.audit("paws_wiki:dev")
    assert len(paws.measure("paws_wiki:dev", ["bow_cosine"])) == 8
    assert paws.write_pairs("paws_wiki:dev", "out.jsonl") == 8


def test_commands(data, tmp_path):
    for name in ("paws_wiki:dev", "paws_wiki", "it=paws_wiki:dev"):
        found = json.loads(command("audit", name, "--json").stdout)["splits"]
        assert list(found) == [name.split("=")[0] if "=" in name else "paws_wiki:dev"]
        assert [split["rows"] for split in found.values()] == [8]
    assert (
        "= 8 kept" in command("metrics", "paws_wiki:dev", "-o", "m.jsonl", "--metrics", "bow_cosine", "--quiet").output
    )
    assert command("convert", "paws_wiki:dev", "-o", "c.spacy", "--quiet").exit_code == 0
    assert len(list(paws.read_pairs("c.spacy"))) == 8
    assert "8 rows in" in command("repair", "paws_wiki:dev", "-o", "r.jsonl").output
    assert command("correct", "paws_wiki:dev", "-o", "x.jsonl", "--quiet", "--ld-guard", "1").exit_code == 0
    assert command("report", "paws_wiki:dev", "-o", "page.html", "--metrics", "bow_cosine", "--quiet").exit_code == 0
    model = "it=tests.readers.test_card_names:probabilities"
    said = command("evaluate", model, "--on", "paws_wiki:dev", "--samples", "0", "--quiet").output
    assert "paws_wiki:dev" in said and "50.0" in said
    said = command("generate", "wikipedia:paragraphs", "-o", "g.jsonl", "--quiet").output
    assert "2 lines" in said or "2 texts" in said


def test_no_command_writes_over_it(data):
    before = (data / "paws_wiki" / "dev.tsv").read_bytes()
    for arguments in (("repair", "paws_wiki:dev"), ("metrics", "paws_wiki:dev", "--metrics", "bow_cosine")):
        with pytest.raises(PawsError, match="P150"):
            command(*arguments, "-o", data / "paws_wiki" / "dev.tsv")
    assert (data / "paws_wiki" / "dev.tsv").read_bytes() == before


def test_a_file_of_that_name_wins(data, tmp_path):
    (tmp_path / "paws_wiki:dev").write_text("id\tsentence1\tsentence2\tlabel\n1\tmine\tmine too\t1\n", encoding="utf8")
    assert [row.sentence1 for row in paws.open_pairs("paws_wiki:dev")] == ["mine"]


def test_what_is_not_there_is_one_clear_error(data):
    for read in (paws.open_pairs, lambda name: paws.open_texts([name]), lambda name: list(PairCorpus(name).read(1))):
        with pytest.raises(PawsError, match=r"P505.*`paws corpora fetch paws_wiki:test`"):
            read("paws_wiki:test")
    with pytest.raises(PawsError, match="P505"):
        command("audit", "paws_wiki:test")
    with pytest.raises(PawsError, match="P505"):
        command("audit", "sick")
    with pytest.raises(PawsError, match="P503.*unlabeled_dev"):
        paws.open_pairs("paws_wiki:tset")
    with pytest.raises(PawsError, match="P504"):
        paws.open_pairs("paws_wiki")
    with pytest.raises(PawsError, match="no such file"):
        paws.open_pairs("no_such_corpus:dev")


@pytest.fixture
def hub(tmp_path):
    """A copy of a data set as the hub has it: Parquet files, and a README that says which is which."""
    datasets = pytest.importorskip("datasets")
    folder = tmp_path / "hub" / "google-research-datasets" / "paws"
    (folder / "labeled_final").mkdir(parents=True)
    label = datasets.ClassLabel(names=["0", "1"])
    features = datasets.Features(
        {"id": datasets.Value("int32"), "sentence1": datasets.Value("string"), "sentence2": datasets.Value("string")}
        | {"label": label}
    )
    rows = [{"id": 5, "sentence1": "a b", "sentence2": "b a", "label": 1}]
    made = datasets.Dataset.from_list(rows, features=features)
    made.to_parquet(str(folder / "labeled_final" / "validation-00000-of-00001.parquet"))
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: labeled_final\n  data_files:\n  - split: validation\n"
        "    path: labeled_final/validation-*\n---\n",
        encoding="utf8",
    )
    return folder.parents[1]


def test_from_the_hub(hub, tmp_path, monkeypatch):
    data = tmp_path / "empty"
    monkeypatch.setenv("PAWS_DATA", str(data))
    result = command("corpora", "fetch", "paws_wiki:dev", "--hub", "--mirror", hub)
    assert result.exit_code == 0 and "saved from the hub" in result.output
    (row,) = paws.open_pairs("paws_wiki:dev")
    assert (row.sentence1, row.sentence2, row.label) == ("a b", "b a", 1)
    assert [
        split["rows"] for split in json.loads(command("audit", "paws_wiki", "--json").stdout)["splits"].values()
    ] == [1]
    assert "from the hub" in command("corpora", "show", "paws_wiki:dev").output
    # A second time it is there.
    place = data / "paws_wiki" / "dev.tsv.hub"
    (place / "mine").touch()
    assert paws.fetch("paws_wiki:dev", hub=True) == {"dev": place} and (place / "mine").exists()
    assert paws.fetch("paws_wiki:dev", hub=True, mirror=str(hub), fresh=True) == {"dev": place}
    assert not (place / "mine").exists() and [row.label for row in paws.open_pairs("paws_wiki:dev")] == [1]
    assert [path.name for path in place.parent.iterdir()] == ["dev.tsv.hub"]
    # What is there stays where the new one can't take its place, and comes back where somebody was killed meanwhile.
    (place / "mine").touch()
    with monkeypatch.context() as patch, pytest.raises(PawsError, match="P507.*No space"):
        patch.setattr(os, "replace", full)
        paws.fetch("paws_wiki:dev", hub=True, mirror=str(hub), fresh=True)
    assert (place / "mine").exists() and [path.name for path in place.parent.iterdir()] == ["dev.tsv.hub"]
    shop = place.with_name(".dev.tsv.hub.new")
    shop.mkdir()
    place.rename(shop / "replaced")
    assert paws.fetch("paws_wiki:dev", hub=True) == {"dev": place} and (place / "mine").exists()


def full(*_):
    raise OSError(28, "No space left on device")


def test_not_on_the_hub(data):
    with pytest.raises(PawsError, match="P519"):
        command("corpora", "fetch", "sick:all", "--hub")
    with pytest.raises(PawsError, match="P109"):
        command("corpora", "fetch", "paws_wiki:test", "--hub")
