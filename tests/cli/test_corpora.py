import json

import pytest
import srsly
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.corpora import all_cards
from paws_components.errors import PawsError


def command(*arguments):
    result = CliRunner().invoke(cli, ["corpora", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


@pytest.fixture
def data(tmp_path, monkeypatch):
    (tmp_path / "sick").mkdir()
    (tmp_path / "sick" / "SICK.txt").write_text("x")
    monkeypatch.setenv("PAWS_DATA", str(tmp_path))
    return tmp_path


def test_list(data):
    said = command()
    for name, card in all_cards().items():
        assert name in said and card.title in said
    line = next(line for line in said.splitlines() if line.startswith("sick"))
    assert "1 of 2" in line and "CC BY-NC-SA 3.0" in line and str(data) in said
    found = json.loads(command("--json"))
    assert found["folder"] == str(data)
    assert {one["name"]: one["here"] for one in found["corpora"]}["sick"] == ["semeval"]


def test_another_folder(data, tmp_path):
    assert "1 of 2" not in command("-o", str(tmp_path / "none"))


@pytest.mark.parametrize("name", all_cards())
def test_show(data, name):
    card = all_cards()[name]
    said = command("show", name)
    for text in (card.title, card.home, card.cite.splitlines()[0], *(split for split in card.splits)):
        assert text in said
    assert max(map(len, said.splitlines())) < 200
    assert json.loads(command("show", name, "--json"))["title"] == card.title


def test_show_one_split(data):
    said = command("show", "sick:semeval")
    assert "By hand:" in said and "sick/SICK.txt" in said and "SICK_zenodo" not in said and "yes" in said


def test_assets_of_a_project(data, tmp_path):
    """What spaCy itself makes of the entries: one with an address, one that has to be put there by hand."""
    from weasel.schemas import ProjectConfigSchema, validate

    text = command("show", "mrpc_r1:train", "--asset")
    (entry,) = srsly.yaml_loads(text)["assets"]
    assert entry["url"].startswith("https://raw.githubusercontent.com/tlkh/")
    assert entry["checksum"] == all_cards()["mrpc_r1"].split("train").files[0].sum.md5
    assert entry["dest"] == "assets/mrpc/mrpc_train_corrected.csv"
    (private,) = srsly.yaml_loads(command("show", "mrpc:train", "--asset"))["assets"]
    assert "url" not in private and len(private["checksum"]) == 32
    two = srsly.yaml_loads(command("show", "multi30k:train", "--asset"))["assets"]
    assert [one["dest"] for one in two] == ["assets/multi30k/train.en", "assets/multi30k/train.de"]
    assert validate(ProjectConfigSchema, {"assets": [entry, private, *two]}) == []


def test_mistakes(data):
    with pytest.raises(PawsError, match="P502"):
        command("show", "nothing")
    with pytest.raises(PawsError, match="P502"):
        command("fetch", "nothing")
    with pytest.raises(PawsError, match="P503"):
        command("fetch", "sick:nothing")
    with pytest.raises(PawsError, match="P015"):
        command("fetch", "sick", "qqp", "--sha256", "0" * 64)
