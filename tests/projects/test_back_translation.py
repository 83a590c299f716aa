"""The project's own scripts with tiny settings, first through `spacy project run`."""

import importlib
import sys
import warnings

import pytest

from .running import copy_project, json_lines, run_workflow

torch = pytest.importorskip("torch")
for name in ("sacrebleu", "sentencepiece", "transformers"):
    pytest.importorskip(name)

DIRECTIONS = ("en-de", "de-en")
SUBJECTS = [("A man", "Ein Mann"), ("A woman", "Eine Frau"), ("The old dog", "Der alte Hund"), ("A boy", "Ein Junge")]
VERBS = [("sleeps", "schläft"), ("runs", "rennt"), ("sings", "singt"), ("waits", "wartet")]
PLACES = [("on the street.", "auf der Straße."), ("in the water.", "im Wasser."), ("near a tree.", "bei einem Baum.")]
PAIRS = [tuple(map(" ".join, zip(s, v, p))) for s in SUBJECTS for v in VERBS for p in PLACES]
SETTINGS = ["--width", "16", "--ffn", "32", "--encoder-layers", "1", "--decoder-layers", "1", "--heads", "2"]
SETTINGS += ["--batch-tokens", "200", "--warmup", "3", "--lr", "0.01"]


def load(folder):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*sacremoses.*")
        return AutoModelForSeq2SeqLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


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


@pytest.fixture
def script(project, monkeypatch, capsys):
    """A function that runs a script of the project in its folder, without a new Python: it gives what was printed, or
    what was said when it gave up."""
    folder = project[0]
    names = [path.stem for path in (folder / "scripts").glob("*.py")]
    monkeypatch.syspath_prepend(str(folder / "scripts"))
    monkeypatch.chdir(folder)

    def call(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        try:
            importlib.import_module(name).main()
        except SystemExit as stop:
            return str(stop)
        return capsys.readouterr().out

    threads = torch.get_num_threads()
    yield call
    torch.set_num_threads(threads)
    torch.set_flush_denormal(False)
    for name in names:
        sys.modules.pop(name, None)


def test_the_workflow_trains_and_measures_both_directions(project):
    folder, lines = project
    epochs = [(line["direction"], line["epoch"]) for line in lines if "val_loss" in line]
    assert sorted(epochs) == [(direction, n) for direction in sorted(DIRECTIONS) for n in (1, 2)]
    measured = [line for line in lines if "bleu" in line]
    assert [line["direction"] for line in measured] == list(DIRECTIONS)
    assert all(line["sentences"] == len(PAIRS[::5]) and line["num_beams"] == 5 for line in measured)
    assert all(0 <= line["bleu"] <= 100 and "tok:13a" in line["signature"] for line in measured)
    assert json_lines((folder / "build" / "bleu.jsonl").read_text(encoding="utf8")) == measured


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_saved_folder_is_used_as_those_of_opus_mt(project, direction):
    folder = project[0] / "build" / "models" / direction
    model, tokenizer = load(folder)
    assert {type(model).__name__, type(tokenizer).__name__} == {"MarianMTModel", "MarianTokenizer"}
    names = {"config.json", "generation_config.json", "model.safetensors", "source.spm", "target.spm", "vocab.json"}
    assert names <= {path.name for path in folder.iterdir()}
    pad = tokenizer.pad_token_id
    assert pad == model.config.pad_token_id == model.config.decoder_start_token_id == len(tokenizer) - 1
    assert tokenizer.eos_token_id == model.config.eos_token_id == 0
    assert model.get_input_embeddings().weight is model.get_output_embeddings().weight
    side = DIRECTIONS.index(direction)
    texts = [pair[side] for pair in PAIRS]
    inputs = tokenizer(texts, padding=True, return_tensors="pt")
    assert tokenizer.batch_decode(inputs["input_ids"], skip_special_tokens=True) == texts
    found = model.generate(**inputs, num_beams=5, num_return_sequences=5, max_length=12)
    assert found.shape[0] == 5 * len(texts) and (found[:, 0] == pad).all()
    for row in found[:, 1:].tolist():
        # Nothing but padding after </s>, and no padding before it.
        assert set(row[row.index(0) + 1 :]) <= {pad} and pad not in row[: row.index(0)]


def test_a_resumed_run_ends_as_one_that_was_never_stopped(script, tmp_path):
    def train(name, *arguments):
        folders = ["--vocabulary", "build/vocabulary", "-o", tmp_path / name, "--checkpoints", tmp_path / f"{name}-c"]
        return script("train", "assets/multi30k", "en-de", *folders, *SETTINGS, *arguments)

    straight = json_lines(train("a", "--epochs", 3))
    assert straight[-1]["val_loss"] < straight[0]["val_loss"]
    train("b", "--epochs", 3, "--stop-after", 1)
    before = weights(tmp_path / "b" / "en-de")
    assert "epochs was 3" in train("b", "--epochs", 4, "--resume")
    resumed = json_lines(train("b", "--epochs", 3, "--resume"))
    assert resumed[0]["resumed_after_epoch"] == 1
    for line in straight + resumed:
        line.pop("seconds", None)
    assert resumed[1:] == straight[1:]
    assert weights(tmp_path / "b" / "en-de") == weights(tmp_path / "a" / "en-de") != before
    assert json_lines(train("b", "--epochs", 3, "--resume")) == [{"direction": "en-de", "resumed_after_epoch": 3}]


def test_what_is_wrong_is_said(script, tmp_path):
    vocabulary = ["vocabulary", "assets/multi30k/train.en", "-o", tmp_path / "vocabulary"]
    assert "<= " in script(*vocabulary, "--size", 5000)
    assert "not a direction" in script("evaluate", "assets/multi30k", "build/models", "en")
    assert "val.fr" in script("evaluate", "assets/multi30k", "build/models", "en-fr")
    assert "train en-de first" in script("evaluate", "assets/multi30k", tmp_path, "en-de")
    for language, text in (("en", "One.\nTwo.\n"), ("de", "Eins.\n")):
        (tmp_path / f"val.{language}").write_text(text, encoding="utf8")
    said = script("evaluate", tmp_path, "build/models", "en-de")
    assert "2 lines" in said and "1 lines" in said
