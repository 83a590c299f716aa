"""The project with tiny settings, through `spacy project run`."""

import pytest
import srsly

from .running import copy_project, json_lines, run_workflow

for name in ("accelerate", "paws_back_translation", "sacrebleu", "sentencepiece", "torch", "transformers"):
    pytest.importorskip(name)

DIRECTIONS = ("en-de", "de-en")
SUBJECTS = [("A man", "Ein Mann"), ("A woman", "Eine Frau"), ("The old dog", "Der alte Hund"), ("A boy", "Ein Junge")]
VERBS = [("sleeps", "schläft"), ("runs", "rennt"), ("sings", "singt"), ("waits", "wartet")]
PLACES = [("on the street.", "auf der Straße."), ("in the water.", "im Wasser."), ("near a tree.", "bei einem Baum.")]
PAIRS = [tuple(map(" ".join, zip(s, v, p))) for s in SUBJECTS for v in VERBS for p in PLACES]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with a few dozen pairs for data, after its whole workflow."""
    place = tmp_path_factory.mktemp("projects")
    folder = copy_project("back_translation", place)
    data = place / "data" / "multi30k"
    data.mkdir(parents=True)
    for part, pairs in (("train", PAIRS), ("val", PAIRS[::5])):
        for language, side in zip(("en", "de"), zip(*pairs)):
            (data / f"{part}.{language}").write_text("\n".join(side) + "\n", encoding="utf8")
    overrides = {"vocab_size": 60, "epochs": 2, "batch_tokens": 200, "warmup": 3, "lr": 0.01}
    overrides.update(width=16, ffn=32, encoder_layers=1, decoder_layers=1)
    done = run_workflow(folder, data=place / "data", **overrides)
    return folder, json_lines(done.stdout)


def test_the_workflow_trains_and_measures_both_directions(project):
    folder, lines = project
    epochs = [(line["direction"], line["epoch"]) for line in lines if "val_loss" in line]
    assert sorted(epochs) == [(direction, n) for direction in sorted(DIRECTIONS) for n in (1, 2)]
    measured = [line for line in lines if "bleu" in line]
    assert [line["direction"] for line in measured] == list(DIRECTIONS)
    assert all(line["sentences"] == len(PAIRS[::5]) for line in measured)
    assert all(line["translator"]["num_beams"] == 5 for line in measured)
    assert all(0 <= line["bleu"] <= 100 and "tok:13a" in line["signature"] for line in measured)
    assert json_lines((folder / "build" / "bleu.jsonl").read_text(encoding="utf8")) == measured


def test_the_workflow_makes_pairs_and_counts_them(project):
    folder, lines = project
    for direction in DIRECTIONS:
        assert (folder / "build" / "models" / direction / "model.safetensors").is_file()
    (counted,) = [line for line in lines if "candidates" in line]
    assert srsly.read_json(folder / "build" / "funnel.json") == counted
    assert counted["sentences"] == len(PAIRS[::5]) and counted["candidates"] >= counted["distinct"] > 0
    pairs = list(srsly.read_jsonl(folder / "build" / "pairs.jsonl"))
    assert len(pairs) == counted["sampled"]
