"""Words from a masked language model: the product of two distributions, held against the model's plain output."""

import numpy
import pytest
from tiny_models import WORDS, make_tokenizer

from paws_components.errors import PawsError
from paws_shared_words import masked
from paws_shared_words.masked import Masked, MaskedModel
from paws_shared_words.positions import DEFAULT_STOP_WORDS
from paws_shared_words.sentences import Sentence
from paws_shared_words.substitutes import MaskedSubstitutes, Question, one_token
from paws_shared_words.vocabulary import whole_words


def sentence(text):
    words = text.split()
    return Sentence(tuple(words), tuple(i + 1 < len(words) for i in range(len(words))))


ONE = sentence("what is the purpose of life ?")
# "rivering" has two pieces, and nobody knows "zzz" or "Ω".
TWO = sentence("the rivering of Ω zzz is my account")
QUESTIONS = [Question(ONE, 3, TWO, 1), Question(ONE, 5, TWO, 7), Question(ONE, 3, TWO, 3), Question(TWO, 4, ONE, 5)]


def plain_logs(folder, *texts):
    """The log-probabilities in the mask of each text, as transformers alone gives them, over the whole vocabulary."""
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder).eval()
    encoded = tokenizer(*texts, return_tensors="pt")
    with torch.inference_mode():
        logs = torch.log_softmax(model(**encoded).logits[0], dim=-1)
    return logs[encoded["input_ids"][0] == tokenizer.mask_token_id].numpy()


@pytest.mark.parametrize("context", ["sentence", "pair"])
@pytest.mark.parametrize("heads", [True, False])
def test_the_joint_distribution_is_the_product_of_both(masked_lm, context, heads, monkeypatch):
    if not heads:
        monkeypatch.setattr(masked, "HEADS", {})
    substitutes = MaskedSubstitutes(masked_lm, context=context)
    for question, found in zip(QUESTIONS, substitutes(QUESTIONS, 8)):
        texts = [
            question.first.with_word(question.i, "[MASK]").text,
            question.second.with_word(question.j, "[MASK]").text,
        ]
        if context == "pair":
            logs = plain_logs(masked_lm, *texts).sum(axis=0)
        else:
            # P(w | p without i) P(w | q without j): each position sees its own sentence.
            logs = plain_logs(masked_lm, texts[0])[0] + plain_logs(masked_lm, texts[1])[0]
        others = {word for place, word in enumerate(question.first.words) if place != question.i}
        others |= {word for place, word in enumerate(question.second.words) if place != question.j}
        words = whole_words(substitutes.model.tokenizer, DEFAULT_STOP_WORDS)
        allowed = [(logs[number], word) for number, word in words.items() if word not in others]
        assert found == [word for _, word in sorted(allowed, reverse=True)[:8]]


def test_no_word_is_put_where_it_stands_already(masked_lm):
    substitutes = MaskedSubstitutes(masked_lm)
    most = len(substitutes.words)
    # "life" in both positions would change nothing; elsewhere in a sentence it would stand twice.
    [same] = substitutes([Question(ONE, 5, sentence("LIFE and river"), 0)], most)
    assert "life" not in same and "river" not in same and "purpose" not in same and "dog" in same
    # One of two different words may stay: then it becomes the shared one.
    [other] = substitutes([Question(ONE, 5, sentence("work and river"), 0)], most)
    assert {"life", "work"} <= set(other) and "river" not in other


def test_whole_words_only(tmp_path):
    tokenizer = make_tokenizer(tmp_path)
    words = list(whole_words(tokenizer, {"the"}).values())
    assert set(WORDS) <= set(words) and {"what", "a", "i"} <= set(words)
    assert all(word.isalpha() for word in words)
    assert not {"[MASK]", "##ing", "ing", "b", "2016", "?", "the"} & set(words)
    assert "dog" not in whole_words(tokenizer, (), lambda word: word != "dog").values()


@pytest.mark.parametrize("mark", ["Ġ", "▁"])
def test_other_vocabularies_mark_beginnings(mark):
    class Tokenizer:
        all_special_ids = [0]

        def get_vocab(self):
            return {"<s>": 0, f"{mark}dog": 1, "dog": 2, f"{mark}": 3, f"{mark}Dog": 4, f"{mark}.": 5, "ing": 6}

    assert whole_words(Tokenizer()) == {1: "dog", 4: "Dog"}


def test_words_that_a_tokenizer_would_cut(tagger):
    keep = one_token(tagger)
    assert keep("dog") and keep("Gmail") and not keep("cannot") and not keep("gonna")


def test_batches_and_caches_change_nothing(masked_lm):
    model = MaskedModel(masked_lm)
    asked = []
    original = model._logits
    model._logits = lambda batch, rows, columns: asked.append(len(rows)) or original(batch, rows, columns)
    substitutes = MaskedSubstitutes(model)
    found = substitutes(QUESTIONS, 5)
    # Every masked sentence once: ONE with two masks, TWO with four.
    assert sum(asked) == 6
    assert substitutes(QUESTIONS[::-1], 5) == found[::-1] and sum(asked) == 6
    # Another K needs no other distribution.
    assert [words[:3] for words in found] == substitutes(QUESTIONS, 3) and sum(asked) == 6
    substitutes.forget()
    assert substitutes(QUESTIONS, 5) == found and sum(asked) == 12
    assert [MaskedSubstitutes(masked_lm, batch_size=1, cache_size=0)([each], 5)[0] for each in QUESTIONS] == found


def test_one_mask_for_a_word_of_many_pieces(masked_lm):
    model = MaskedModel(masked_lm)
    tokens = model.encode([Masked(TWO, 1)])["input_ids"]
    assert tokens.count(model.tokenizer.mask_token_id) == 1
    assert len(model.encode([Masked(TWO, 0)])["input_ids"]) == len(tokens) + 1


def test_long_sentences_are_cut_around_the_mask(masked_lm):
    model = MaskedModel(masked_lm)
    long = sentence(" ".join(["river"] * 50 + ["life"] + ["dog"] * 100))
    tokens = model.encode([Masked(long, 50)])["input_ids"]
    assert len(tokens) <= model.limit == 64 and tokens.count(model.tokenizer.mask_token_id) == 1
    assert model.tokenizer.convert_tokens_to_ids("river") in tokens
    both = model.encode([Masked(long, 50), Masked(long, 149)])["input_ids"]
    assert len(both) <= 64 and both.count(model.tokenizer.mask_token_id) == 2
    # A sentence that speaks of masks has one all the same.
    odd = model.encode([Masked(sentence("what is [MASK] in the dog"), 5)])["input_ids"]
    assert odd.count(model.tokenizer.mask_token_id) == 1


def test_numbers_are_log_probabilities(masked_lm):
    model = MaskedModel(masked_lm)
    everything = numpy.arange(len(model.tokenizer))
    [logs] = model([(Masked(ONE, 3),)], everything)
    assert numpy.isclose(numpy.exp(logs).sum(), 1.0, atol=1e-5)
    assert numpy.allclose(logs, plain_logs(masked_lm, ONE.with_word(3, "[MASK]").text)[0], atol=1e-5)


def test_models_that_can_not_be_used(masked_lm, classifier, tmp_path):
    with pytest.raises(PawsError, match="S011.*--mlm"):
        MaskedSubstitutes("no/such-model")
    # A classifier has no weights for the words: transformers would make them up.
    with pytest.raises(PawsError, match="S011.*not trained for this.*--mlm"):
        MaskedSubstitutes(classifier)
    with pytest.raises(PawsError, match="S012.*--top-k"):
        MaskedSubstitutes(masked_lm)(QUESTIONS, 10_000)
