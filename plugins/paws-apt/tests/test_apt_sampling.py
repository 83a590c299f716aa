import pickle
from collections import Counter
from random import Random

import pytest
from tiny_t5 import SENTENCES

from paws_apt.schedule import Round
from paws_apt.seq2seq import Paraphraser, encode, load
from paws_components.errors import Fatal, PawsError

torch = pytest.importorskip("torch")
from paws_apt.drawing import Draw  # noqa: E402


def draws(scores, top_k, top_p, count=4000):
    """How often each token comes up, of many rows with the same scores."""
    rows = torch.tensor([scores]).repeat(count, 1)
    found = Draw(top_k, top_p, [Random(i) for i in range(count)])(None, rows)
    assert torch.isfinite(found).sum(-1).eq(1).all()
    return Counter(found.argmax(-1).tolist())


def test_draws_are_spread_as_the_probabilities_are():
    scores = torch.tensor([0.1, 0.4, 0.2, 0.3]).log().tolist()
    counts = draws(scores, 4, 1.0)
    assert all(abs(counts[token] / 4000 - share) < 0.03 for token, share in enumerate([0.1, 0.4, 0.2, 0.3]))


def test_top_k_and_top_p_leave_out_what_transformers_leaves_out():
    from transformers import TopKLogitsWarper, TopPLogitsWarper

    generator = torch.Generator().manual_seed(3)
    for top_k, top_p in ((3, 1.0), (50, 0.5), (5, 0.8), (50, 1e-6), (1, 0.9)):
        scores = torch.randn(1, 12, generator=generator)
        kept = TopPLogitsWarper(top_p)(None, TopKLogitsWarper(top_k)(None, scores.clone())).softmax(-1)[0]
        counts = draws(scores[0].tolist(), top_k, top_p)
        assert set(counts) == set(kept.nonzero()[:, 0].tolist()), (top_k, top_p)
        assert all(abs(counts[token] / 4000 - kept[token].item()) < 0.04 for token in counts)


def test_samples_do_not_depend_on_the_batch(tiny):
    step = Round(1, 4, 120, 0.95)
    together = Paraphraser(tiny, batch_size=16, max_length=24)(SENTENCES, step)
    assert Paraphraser(tiny, batch_size=2, max_length=24)(SENTENCES, step) == together
    alone = Paraphraser(tiny, batch_size=1, max_length=24)
    assert [alone([sentence], step)[0] for sentence in reversed(SENTENCES)] == together[::-1]
    assert [len(found) for found in together] == [4] * len(SENTENCES)
    assert len({text for found in together for text in found}) > 15


def test_samples_depend_on_seed_round_and_number(tiny):
    first = Paraphraser(tiny, max_length=24)
    found = first(SENTENCES[:1], Round(1, 4, 120, 0.95))[0]
    assert first(SENTENCES[:1], Round(2, 4, 120, 0.95))[0] != found
    assert first(SENTENCES[:1], Round(1, 2, 120, 0.95))[0] == found[:2] and len(set(found)) > 1
    assert Paraphraser(tiny, max_length=24, seed=1)(SENTENCES[:1], Round(1, 4, 120, 0.95))[0] != found
    assert pickle.loads(pickle.dumps(first))(SENTENCES[:1], Round(1, 4, 120, 0.95))[0] == found


def test_one_end_whether_the_prompt_has_it_or_not(tiny):
    tokenizer = load(tiny).tokenizer
    ids = encode(tokenizer, "paraphrase: the cat sees the dog")
    assert ids == encode(tokenizer, "paraphrase: the cat sees the dog </s>") and ids.count(tokenizer.eos_token_id) == 1
    assert Paraphraser(tiny).encode("the cat sees the dog") == ids and ids[-1] == tokenizer.eos_token_id


def test_errors(tiny, tmp_path):
    with pytest.raises(PawsError, match="A012"):
        Paraphraser(tiny, prompt="paraphrase")
    with pytest.raises(PawsError, match="A013.*9 tokens.*8"):
        Paraphraser(tiny, max_length=8).encode("the old dog sleeps near river")
    with pytest.raises(Fatal, match="A011.*no-such-folder"):
        Paraphraser(str(tmp_path / "no-such-folder")).encode("x")
    (tmp_path / "config.json").write_text('{"model_type": "bert"}', encoding="utf8")
    with pytest.raises(Fatal, match="A011.*'bert' model"):
        load(str(tmp_path))
