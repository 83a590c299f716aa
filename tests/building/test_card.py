import pytest
import srsly

from paws_components.building.project import build
from paws_components.curation.card import write_data_set
from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord

from .projects import make_project

ABOUT = {"name": "x", "lang": "en", "license": "mit", "seed": 0, "labels": "silver", "generators": {}, "version": "1"}
COUNTS = {"name": "x", "splits": {"train": {"pairs": 2, "paraphrases": 1, "tokens": 8}}}


@pytest.mark.parametrize("formats", [["jsonl"], ["tsv", "parquet"]])
def test_datasets_loads_the_folder(tmp_path, formats):
    datasets = pytest.importorskip("datasets")
    folder = make_project(tmp_path / "trains", count=12, with_back=8, splits={"dev": 6}, formats=formats)
    build(folder, lambda _: None, quiet=True)
    data, cache = str(folder / "dataset"), str(tmp_path / "cache")
    loaded = datasets.load_dataset(data, cache_dir=cache)
    assert {name: len(part) for name, part in loaded.items()} == {"train": 42, "validation": 6}
    # Swaps and back translations keep other things as evidence, of other types; one schema holds both.
    aside = datasets.load_dataset(data, "auxiliary", cache_dir=cache)
    assert loaded["train"].features == loaded["validation"].features == aside["train"].features
    assert {column: feature.dtype for column, feature in loaded["train"].features.items()} == {
        name: "int8" if name == "label" else "string"
        for name in "id sentence1 sentence2 label nli label_source generator source_id evidence".split()
    }
    assert set(loaded["train"]["generator"]) == {"word_swap", "back_translation", "recombined"}
    # Our own readers read what `datasets` gives, and find the evidence.
    found = {pair.id: pair for pair in read_pairs(loaded["train"])}
    assert all(isinstance(pair.evidence, dict) and pair.evidence for pair in found.values())
    if "jsonl" in formats:
        bare = datasets.load_dataset(
            "json", data_files=[f"{data}/jsonl/{n}.jsonl" for n in ("train", "dev")], cache_dir=cache
        )
        assert len(bare["train"]) == 48
        assert found == {pair.id: pair for pair in read_pairs(folder / "dataset" / "jsonl" / "train.jsonl")}


def test_the_card(tmp_path):
    folder = make_project(tmp_path / "trains", count=12, with_back=8, splits={"dev": 6}, license="cc-by-sa-4.0")
    build(folder, lambda _: None, quiet=True)
    text = (folder / "dataset" / "README.md").read_text(encoding="utf8")
    empty, front, body = text.split("---\n", 2)
    data = srsly.yaml_loads(front)
    assert empty == "" and (data["license"], data["language"], data["pretty_name"]) == (
        "cc-by-sa-4.0",
        ["en"],
        "trains",
    )
    assert [one["config_name"] for one in data["configs"]] == ["default", "auxiliary"]
    for one in data["configs"]:
        assert all((folder / "dataset" / file["path"]).is_file() for file in one["data_files"])
    for told in ("sentences about trains", "cc-by-sa-4.0", "s.jsonl", "b.jsonl", "**Seed**: 7", "silver", "33.3 %"):
        assert told in body
    assert str(tmp_path) not in text


def test_a_format_that_is_not_written(tmp_path):
    parts = {"default": {"train": [PairRecord("a", "b", label=1)]}}
    with pytest.raises(PawsError, match="P015.*formats"):
        write_data_set(parts, tmp_path / "out", ABOUT, COUNTS, ["xml"])
    write_data_set(parts, tmp_path / "out", ABOUT, COUNTS, ["csv"])
    # What `datasets` could not read by the card is not promised there.
    assert "configs" not in (tmp_path / "out" / "README.md").read_text(encoding="utf8")
    assert [pair.sentence1 for pair in read_pairs(tmp_path / "out" / "csv" / "train.csv")] == ["a"]
