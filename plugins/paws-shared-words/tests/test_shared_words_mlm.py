"""`paws mlm train`: what it reads, and that it learns."""

import json
import lzma
import sys

import pytest
from click.testing import CliRunner
from tiny_models import PAIRS, TINY, make_tokenizer

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_shared_words.mlm_text import Line, hold_back, pair_lines, read_sources, text_lines
from paws_shared_words.mlm_training import MaskedPlan, train_masked_lm

TOWNS = ["Oslo", "Bonn", "Rome", "Lima", "Cairo", "Quito", "Paris", "Delhi", "Riga", "Cork"]
TEXT = [
    f"The old dog near {town} is young and small. Quiet ships sell cheap letters to the market in {other}. It rains."
    for town, other in zip(TOWNS, TOWNS[1:])
]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "wiki.txt.xz"
    with lzma.open(path, "wt", encoding="utf8") as file:
        file.write("\n".join(TEXT) + "\n")
    return str(path)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A BERT without a head for masked words."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("encoder")
    tokenizer = make_tokenizer(folder)
    torch.manual_seed(3)
    transformers.BertModel(transformers.BertConfig(vocab_size=len(tokenizer), **TINY)).save_pretrained(folder)
    return str(folder)


def mlm_train(*arguments):
    result = CliRunner().invoke(cli, ["mlm", "train", *map(str, arguments)])
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return result, lines


def test_sentences_of_a_fair_length_are_taken(text):
    found = text_lines(text, 100)
    assert len(found) == 18 and Line("It rains.") not in found and all(line.second is None for line in found)
    assert Line("The old dog near Oslo is young and small.") in found
    assert text_lines(text, 5) == found[:5] and text_lines(text, 100, seed=1) != found
    assert sorted(text_lines(text, 100, seed=1)) == sorted(found)
    with pytest.raises(PawsError, match="P046.*'zz'"):
        text_lines(text, lang="zz")


def test_sentences_of_pairs_come_once_and_every_other_pair_as_one(tmp_path):
    rows = [*PAIRS[:4], (PAIRS[0][0].upper(), "How old is the sea?", 0)]
    path = tmp_path / "pairs.tsv"
    lines = [f"{i}\t{one}\t{two}\t{label}" for i, (one, two, label) in enumerate(rows)]
    path.write_text("\n".join(["id\tsentence1\tsentence2\tlabel", *lines]) + "\n", encoding="utf8")
    alone = [Line(text) for i in (0, 2) for text in PAIRS[i][:2]]
    both = [Line(*PAIRS[i][:2]) for i in (1, 3)]
    assert sorted(pair_lines(path), key=str) == sorted([*alone, *both, Line("How old is the sea?")], key=str)


def test_sources_have_names_of_their_own(text, corpus, tmp_path):
    other = tmp_path / "other" / "wiki.txt"
    other.parent.mkdir()
    other.write_text(TEXT[0] + "\n", encoding="utf8")
    assert set(read_sources([text], [str(corpus)], 10, 0)) == {"wiki", "pairs"}
    assert set(read_sources([text, str(other)], [], 10, 0)) == {text, str(other)}


def test_a_fifth_at_most_is_held_back():
    lines = [Line(str(i)) for i in range(20)]
    apart, rest = hold_back(lines, 300, 0)
    assert len(apart) == 4 and sorted(apart + rest) == sorted(lines) and rest != sorted(rest)
    assert len(hold_back(lines, 2, 0)[0]) == 2


def test_it_learns_and_attacks_take_it(text, corpus, encoder, tmp_path):
    from transformers import AutoModelForMaskedLM

    from paws_shared_words.masked import MaskedModel

    output = tmp_path / "mlm"
    settings = ["--encoder", encoder, "--tokens", 256, "--steps", 80, "--rate", 0.003, "--head-rate", 0.01]
    result, (counts, before, *progress, after) = mlm_train(text, "--pairs", corpus, "-o", output, *settings)
    assert result.exit_code == 0, result.output
    assert counts["wiki"] == 18 and set(counts) == {"wiki", "pairs"}
    for name, figures in before["before"].items():
        assert figures["masked"] == after["after"][name]["masked"] > 0
    assert [line["step"] for line in progress] == list(range(8, 81, 8))
    assert progress[-1]["loss"] < 0.8 * progress[0]["loss"] and progress[-1]["accuracy"] > progress[0]["accuracy"]
    model, info = AutoModelForMaskedLM.from_pretrained(output, output_loading_info=True)
    assert not info["missing_keys"]
    # The words of the head are those of the embeddings, which stayed as they were.
    assert model.get_input_embeddings().weight is model.get_output_embeddings().weight
    start = AutoModelForMaskedLM.from_pretrained(encoder)
    assert model.get_input_embeddings().weight.equal(start.get_input_embeddings().weight)
    assert not model.bert.encoder.layer[0].output.dense.weight.equal(start.bert.encoder.layer[0].output.dense.weight)
    MaskedModel(str(output))
    note = json.loads((output / "trained.json").read_text(encoding="utf8"))
    assert note["after"] == after["after"] and note["steps"] == 80
    assert {path.name for path in tmp_path.iterdir()} == {"wiki.txt.xz", "mlm"}


def test_embeddings_are_trained_where_that_is_asked_for(text, encoder, tmp_path):
    from transformers import AutoModelForMaskedLM

    settings = ["--encoder", encoder, "--tokens", 256, "--steps", 2, "--embeddings"]
    assert mlm_train(text, "-o", tmp_path / "mlm", *settings)[0].exit_code == 0
    model, start = (AutoModelForMaskedLM.from_pretrained(folder) for folder in (tmp_path / "mlm", encoder))
    assert not model.get_input_embeddings().weight.equal(start.get_input_embeddings().weight)
    assert model.get_input_embeddings().weight is model.get_output_embeddings().weight


def test_the_same_seed_gives_the_same_model_in_place_of_the_old(text, encoder, tmp_path):
    import torch

    plan = MaskedPlan(encoder, steps=2, tokens=256)
    sources = read_sources([text], [], 18, 0)
    found = []
    for _ in range(2):
        torch.rand(1)  # the state before makes no difference
        train_masked_lm(sources, tmp_path / "mlm", plan)
        found.append((tmp_path / "mlm" / "model.safetensors").read_bytes())
    assert found[0] == found[1]
    other = train_masked_lm(sources, tmp_path / "mlm", MaskedPlan(encoder, steps=2, tokens=256, seed=1))
    assert other["seed"] == 1 and (tmp_path / "mlm" / "model.safetensors").read_bytes() != found[0]


def test_a_head_that_knows_something_is_kept(text, masked_lm, tmp_path):
    """Training goes on from a masked language model: what it knows of the words is not thrown away."""
    import torch
    from transformers import AutoModelForMaskedLM

    model = AutoModelForMaskedLM.from_pretrained(masked_lm)
    with torch.no_grad():
        model.cls.predictions.bias.copy_(torch.arange(model.config.vocab_size) / 100)
    model.save_pretrained(tmp_path / "start")
    make_tokenizer(tmp_path / "start")
    plan = MaskedPlan(str(tmp_path / "start"), steps=1, tokens=256, rate=1e-9, head_rate=1e-9)
    train_masked_lm(read_sources([text], [], 18, 0), tmp_path / "mlm", plan)
    after = AutoModelForMaskedLM.from_pretrained(tmp_path / "mlm")
    assert torch.allclose(after.cls.predictions.bias, model.cls.predictions.bias, atol=1e-4)


def test_what_is_wrong_is_said(text, encoder, tmp_path, monkeypatch):
    transformers = pytest.importorskip("transformers")
    own = tmp_path / "own"
    own.mkdir()
    (own / "letter.txt").write_text("mine", encoding="utf8")
    sources = read_sources([text], [], 18, 0)

    def said(match, plan=None, output="mlm", lines=sources):
        with pytest.raises(PawsError, match=match):
            train_masked_lm(lines, tmp_path / output, plan or MaskedPlan(encoder, steps=1))
        assert not (tmp_path / "mlm").exists()

    said("S003.*share", MaskedPlan(encoder, share=1.5))
    said("S003.*steps", MaskedPlan(encoder, steps=0))
    said("did not write", output="own")
    assert (own / "letter.txt").read_text(encoding="utf8") == "mine"
    said("S014", lines={"wiki": []})
    said("S016.*encoder", MaskedPlan(str(tmp_path / "nothing")))
    with pytest.raises(PawsError, match="S015.*step"):
        train_masked_lm(sources, tmp_path / "mlm", MaskedPlan(encoder, steps=40, tokens=256, rate=1e30, head_rate=1e30))
    config = transformers.DistilBertConfig(vocab_size=200, dim=16, n_layers=1, n_heads=2, hidden_dim=32)
    transformers.DistilBertForMaskedLM(config).save_pretrained(tmp_path / "distil")
    make_tokenizer(tmp_path / "distil")
    said("S013.*distilbert", MaskedPlan(str(tmp_path / "distil")))
    monkeypatch.setitem(sys.modules, "accelerate", None)
    said("S010.*accelerate")


def test_torch_waits_for_the_training():
    import subprocess

    code = (
        "import sys; sys.modules['torch'] = None; import paws_shared_words.mlm_training, "
        "paws_shared_words.won_back, paws_shared_words.commands.mlm, paws_shared_words.commands.won_back"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
