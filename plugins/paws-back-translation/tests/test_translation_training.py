import json
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from paws_components.errors import Fatal, PawsError

pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytest.importorskip("sentencepiece")
pytest.importorskip("transformers")

from parallel import SENTENCES, SIZES, write_corpus

from paws_back_translation.commands import translation
from paws_back_translation.training.model import make_tokenizer
from paws_back_translation.training.parallel import Pair, batches, encode, read_split, tensors
from paws_back_translation.training.plan import Plan
from paws_back_translation.training.run import train, train_all
from paws_back_translation.training.vocabulary import train_vocabulary

OPTIONS = [text for name, value in SIZES.items() for text in (f"--{name.replace('_', '-')}", str(value))]


def weights(folder):
    return (Path(folder) / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus") / "data")


@pytest.fixture(scope="module")
def vocabulary(data):
    train_vocabulary([data / "train.en", data / "train.de"], data / "vocabulary", 60)
    return data / "vocabulary"


@pytest.fixture(scope="module")
def trained(data, vocabulary, tmp_path_factory):
    """The folder of one direction, trained for an epoch by the command, and what was printed."""
    folder = tmp_path_factory.mktemp("trained")
    where = ["--vocabulary", str(vocabulary), "-o", str(folder), "--epochs", "1"]
    done = CliRunner().invoke(translation, ["train", str(data), "en-de", *where, *OPTIONS], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return folder, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def test_a_vocabulary_is_in_the_order_of_opus_mt(data, tmp_path):
    files = [str(data / f"train.{language}") for language in ("en", "de")]
    done = CliRunner().invoke(translation, ["vocabulary", *files, "-o", str(tmp_path / "v"), "--size", "60"])
    assert json.loads(done.stdout) == {"vocabulary": str(tmp_path / "v"), "size": 61}
    assert {path.name for path in (tmp_path / "v").iterdir()} == {"source.spm", "target.spm", "vocab.json"}
    vocab = json.loads((tmp_path / "v" / "vocab.json").read_text(encoding="utf8"))
    assert sorted(vocab.values()) == list(range(61))
    assert (vocab["</s>"], vocab["<unk>"], vocab["<pad>"]) == (0, 1, 60)


def test_batches_hold_every_pair_once_and_are_not_too_large():
    rng = random.Random(1)
    pairs = [Pair([i] * rng.randint(1, 9), [i] * rng.randint(1, 9)) for i in range(100)] + [Pair([7] * 50, [7])]
    made = batches(pairs, 30, random.Random(2))
    assert sorted(pair for batch in made for pair in batch) == sorted(pairs)
    assert all(len(batch) * max(max(map(len, pair)) for pair in batch) <= 30 for batch in made if len(batch) > 1)
    assert batches(pairs, 30, random.Random(2)) == made != batches(pairs, 30, random.Random(3))


def test_the_decoder_reads_what_it_should_have_written_before():
    found = tensors([Pair([5, 6, 0], [7, 0]), Pair([5, 0], [8, 9, 0])], 3)
    assert found["input_ids"].tolist() == [[5, 6, 0], [5, 0, 3]]
    assert found["attention_mask"].tolist() == [[1, 1, 1], [1, 1, 0]]
    assert found["labels"].tolist() == [[7, 0, 3], [8, 9, 0]]
    assert found["decoder_input_ids"].tolist() == [[3, 7, 0], [3, 8, 9]]


def test_a_saved_folder_is_used_as_those_of_opus_mt(trained):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    folder = trained[0] / "en-de"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*sacremoses.*")
        model, tokenizer = AutoModelForSeq2SeqLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    assert {type(model).__name__, type(tokenizer).__name__} == {"MarianMTModel", "MarianTokenizer"}
    names = {"config.json", "generation_config.json", "model.safetensors", "source.spm", "target.spm", "vocab.json"}
    assert names <= {path.name for path in folder.iterdir()}
    assert {path.name for path in trained[0].iterdir()} == {"en-de", "en-de.run"}
    pad = tokenizer.pad_token_id
    assert pad == model.config.pad_token_id == model.config.decoder_start_token_id == len(tokenizer) - 1
    assert tokenizer.eos_token_id == model.config.eos_token_id == 0
    assert model.get_input_embeddings().weight is model.get_output_embeddings().weight
    texts = [english for english, _ in SENTENCES]
    inputs = tokenizer(texts, padding=True, return_tensors="pt")
    assert tokenizer.batch_decode(inputs["input_ids"], skip_special_tokens=True) == texts
    found = model.generate(**inputs, num_beams=5, num_return_sequences=5, max_length=12)
    assert found.shape[0] == 5 * len(texts) and (found[:, 0] == pad).all()
    for row in found[:, 1:].tolist():
        # Nothing but padding after </s>, and no padding before it.
        assert set(row[row.index(0) + 1 :]) <= {pad} and pad not in row[: row.index(0)]


def test_a_resumed_run_ends_as_one_that_was_never_stopped(data, vocabulary, tmp_path):
    def run(name, epochs=3, **options):
        lines = []
        plan = Plan(epochs=epochs, **SIZES)
        train(data, "en-de", vocabulary, tmp_path / name, plan, tell=lines.append, **options)
        return lines

    import torch

    threads = torch.get_num_threads()
    straight = run("a")
    assert torch.get_num_threads() == threads
    assert [line["epoch"] for line in straight] == [1, 2, 3]
    assert straight[-1]["val_loss"] < straight[0]["val_loss"]
    run("b", stop_after=1)
    # What is left of a run that was killed while it wrote a checkpoint.
    (tmp_path / "b" / "en-de.run" / "checkpoint-99").mkdir()
    before = weights(tmp_path / "b" / "en-de")
    with pytest.raises(PawsError, match=r"B045(.|\n)*epochs: 3 then, 4 now(.|\n)*--fresh"):
        run("b", epochs=4)
    assert weights(tmp_path / "b" / "en-de") == before
    resumed = run("b")
    assert resumed[0] == {"direction": "en-de", "resumed_after_epoch": 1}
    for line in straight + resumed:
        line.pop("seconds", None)
    assert resumed[1:] == straight[1:]
    assert weights(tmp_path / "b" / "en-de") == weights(tmp_path / "a" / "en-de") != before
    assert run("b") == [{"direction": "en-de", "resumed_after_epoch": 3}]
    assert [line["epoch"] for line in run("b", epochs=1, fresh=True)] == [1]


def test_other_pairs_are_another_run(data, vocabulary, tmp_path):
    plan = Plan(epochs=1, **SIZES)
    train(data, "en-de", vocabulary, tmp_path, plan, tell=lambda line: None)
    with pytest.raises(PawsError, match=r"pairs: "):
        train(data, "en-de", vocabulary, tmp_path, plan, train_split="val", tell=lambda line: None)


def test_directions_side_by_side_are_as_one_after_the_other(data, vocabulary, trained, tmp_path, capfd):
    train_all(data, ["en-de", "de-en"], vocabulary, tmp_path, Plan(epochs=1, **SIZES))
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines() if line.startswith("{")]
    assert sorted(line["direction"] for line in lines) == ["de-en", "en-de"]
    assert weights(tmp_path / "en-de") == weights(trained[0] / "en-de") != weights(tmp_path / "de-en")
    # What goes wrong in a process of its own comes back as our error.
    with pytest.raises(PawsError, match="B044"):
        train_all(data, ["en-de", "de-en"], tmp_path / "none", tmp_path, Plan(epochs=1, **SIZES))


def test_no_process_outlives_a_parent_that_was_killed_and_the_run_goes_on(data, vocabulary, tmp_path):
    command = [sys.executable, "-m", "paws_components", "translation", "train", str(data), "en-de", "de-en"]
    command += ["--vocabulary", str(vocabulary), "-o", str(tmp_path), *OPTIONS, "--epochs", "2000"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        # A line comes before its checkpoint: when there is a second, the first epoch is saved.
        second = set()
        while second != {"en-de", "de-en"}:
            line = json.loads(running.stdout.readline())
            second |= {line["direction"]} if line["epoch"] == 2 else set()
        running.kill()
        running.wait()
        # The pipe ends when the last process that holds it has ended.
        deadline = time.monotonic() + 60
        rest = running.stdout.read()
        assert time.monotonic() < deadline and '"epoch": 2000' not in rest
    finally:
        try:
            os.killpg(running.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    lines = []
    train(data, "en-de", vocabulary, tmp_path, Plan(epochs=2000, **SIZES), stop_after=1, tell=lines.append)
    assert lines[0]["resumed_after_epoch"] >= 1 and (tmp_path / "en-de" / "model.safetensors").exists()


def test_what_is_wrong_with_the_text_is_said(data, vocabulary, tmp_path):
    with pytest.raises(PawsError, match=r"B043.*5,000.*<= \d+"):
        train_vocabulary([data / "train.en"], tmp_path / "vocabulary", 5000)
    assert list((tmp_path / "vocabulary").iterdir()) == []
    with pytest.raises(PawsError, match="P020.*none.en"):
        train_vocabulary([tmp_path / "none.en"], tmp_path)
    for wrong in ("en", "en-", "-de", "en-de-fr"):
        with pytest.raises(PawsError, match="direction.*en-de"):
            read_split(data, "val", wrong)
    with pytest.raises(PawsError, match="P020.*val.fr"):
        read_split(data, "val", "en-fr")
    (tmp_path / "val.en").write_text("One.\nTwo.\u2028Three.\n", encoding="utf8")
    (tmp_path / "val.de").write_text("Eins.\n", encoding="utf8")
    with pytest.raises(PawsError, match="B041.*val.en has 2 and .*val.de has 1 lines"):
        read_split(tmp_path, "val", "en-de")
    (tmp_path / "val.de").write_bytes(b"Eins.\nGr\xfcn.\n")
    with pytest.raises(PawsError, match="P020.*val.de"):
        read_split(tmp_path, "val", "en-de")
    with pytest.raises(PawsError, match="B042.*48 pairs.*2 pieces"):
        encode(make_tokenizer(vocabulary, "en-de"), *read_split(data, "train", "en-de"), 2)
    with pytest.raises(PawsError, match="B044.*source.spm"):
        make_tokenizer(tmp_path, "en-de")


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"dropout": 1.0}, {"warmup": -1}, {"lr": 0.0}, {"width": 30}])
def test_what_is_wrong_with_the_settings_is_said(wrong, tmp_path):
    with pytest.raises(PawsError, match=f"B007.*{next(iter(wrong))}"):
        train_all(tmp_path, ["en-de", "de-en"], tmp_path, tmp_path / "out", Plan(**wrong))
    assert not (tmp_path / "out").exists()


def test_a_missing_package_is_named(data, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(Fatal, match=r"B040.*'sentencepiece'.*paws-back-translation\[train\]"):
        train_vocabulary([data / "train.en"], tmp_path)


def test_the_commands_import_nothing_heavy():
    code = "import sys, paws_back_translation.commands, paws_back_translation.training.run; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"accelerate", "sacrebleu", "sentencepiece", "transformers"} & set(done.stdout.split())
