"""One loader, one guard and one way to batch, for all models of transformers."""

import logging
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_components.errors import Fatal
from paws_components.ml.hub import (
    ForkGuard,
    Messages,
    batches_of_like_length,
    clear_errors,
    find_source,
    load_pretrained,
    require_torch,
)

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from .encoders import make_tiny_bert  # noqa: E402

TEXTS = ["anna saw ben", "ben saw anna"]
SAID = Messages(needs="{what} wants {package}", failed="{what} {name} {reason}", unfit="{name}: not a {what}: {reason}")


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_tiny_bert(tmp_path_factory.mktemp("hub") / "bert", TEXTS)


@given(st.lists(st.integers(1, 99)), st.integers(1, 9))
def test_batches_hold_everything_once_and_like_lengths_together(lengths, size):
    cut = batches_of_like_length(lengths, size)
    assert sorted(place for batch in cut for place in batch) == list(range(len(lengths)))
    assert all(len(batch) == size for batch in cut[:-1])
    assert [lengths[place] for batch in cut for place in batch] == sorted(lengths, reverse=True)


def test_a_model_comes_in_single_precision_and_leaves_the_random_state_alone(bert):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    # The head is made up, from the random state: nobody asked for a trained one.
    settings = {"num_labels": 1}
    loaded = load_pretrained("AutoModelForSequenceClassification", bert, "classifier", settings=settings)
    assert torch.equal(torch.get_rng_state(), before)
    assert loaded.model.dtype == torch.float32 and loaded.model.config.num_labels == 1
    assert len(loaded.tokenizer) == loaded.model.config.vocab_size


def test_what_does_not_fit_is_said_in_the_words_of_the_caller(bert, tmp_path):
    with pytest.raises(Fatal, match="not a judge: it was not trained for this.*classifier"):
        load_pretrained("AutoModelForSequenceClassification", bert, "judge", SAID, trained=True)
    with pytest.raises(Fatal, match="not a writer: it is a 'bert' model"):
        load_pretrained("AutoModelForSeq2SeqLM", bert, "writer", SAID)
    with pytest.raises(Fatal, match="not a reader: its tokenizer has no bos token"):
        load_pretrained("AutoModel", bert, "reader", SAID, tokens=("pad", "bos"))
    with pytest.raises(Fatal, match=r"^reader nobody/has-this .*HF_HUB_OFFLINE is set"):
        load_pretrained("AutoModel", "nobody/has-this", "reader", SAID)
    with pytest.raises(Fatal, match="P401.*the reader"):
        load_pretrained("AutoModel", str(tmp_path), "reader")


def test_a_missing_package_is_named(monkeypatch):
    with pytest.raises(Fatal, match="^it wants sentencepiece$"), clear_errors("x", "it", SAID):
        raise ImportError("\nT5Tokenizer requires the SentencePiece library but it was not found.")
    with pytest.raises(Fatal, match="^it x no such thing$"), clear_errors("x", "it", SAID):
        raise ImportError("no such thing")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(Fatal, match=r"P342.*The thing needs 'transformers'.*paws-components\[train\]"):
        require_torch("thing", "transformers")


def test_the_tries_to_reach_the_hub_are_not_told_one_by_one(caplog):
    tries = logging.getLogger("huggingface_hub.utils._http")
    level = tries.level
    with pytest.raises(Fatal, match="^it x no such host"), clear_errors("x", "it", SAID):
        tries.warning("Retrying in 1s [Retry 1/5].")
        raise OSError("no such host")
    assert not caplog.records and tries.level == level


def test_a_folder_of_the_home_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "model").mkdir()
    assert find_source("~/model") == str(tmp_path / "model")
    assert find_source("~/other") == "~/other"


def test_a_forked_worker_has_one_thread():
    guard, threads = ForkGuard(), torch.get_num_threads()
    guard()
    assert torch.get_num_threads() == threads
    guard.process = -1  # as a fork would find it
    try:
        guard()
        assert torch.get_num_threads() == 1 and guard.process == os.getpid()
    finally:
        torch.set_num_threads(threads)
