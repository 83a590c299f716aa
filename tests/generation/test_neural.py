"""A small random model judges as any other does; SmolLM2 where the package that carries it is installed."""

import importlib.util
import math
import pickle
from multiprocessing import get_context

import pytest

from paws_components import models
from paws_components.errors import PawsError
from paws_components.generation.judging import Judge, Judgement, Proposal, Question, ask_judge, make_judge
from paws_components.generation.neural import (
    FLOOR,
    HEAVY,
    MOST_GAIN,
    SCALE,
    make_neural_judge,
    measured,
    word_losses,
)
from paws_components.generation.word_model import make_trie
from paws_components.generation.word_swap import WordSwap
from tests.ml.encoders import make_tiny_causal

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SOURCES = {
    "Can a bad person become good?": ["Can a good person become bad?", "A can bad person become good?"],
    "Flights from New York to Florida.": ["Flights from Florida to New York.", "York from New Flights to Florida."],
    "An old dog saw a young cat.": ["A young dog saw an old cat.", "An old cat saw a young dog."],
    "It is as good as it is.": ["It as good is as it is."],
}


def words(text):
    first, *rest = text.split(" ")
    return [first, *(" " + word for word in rest)]


def question(source, *others, gap=1.0):
    return Question(source, words(source), None, [Proposal(text, words(text), gap, None) for text in others])


QUESTIONS = [question(source, *others) for source, others in SOURCES.items()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_tiny_causal(tmp_path_factory.mktemp("llama"), list(SOURCES))


@pytest.fixture(scope="module")
def judge(folder):
    return make_neural_judge(str(folder), dtype="float32")


def by_hand(judge, text):
    """The plain way: one text, one forward pass, one sum."""
    ids = judge.model.tokenizer.encode(f". {text}", add_special_tokens=False)
    rows = torch.tensor([[judge.model.tokenizer.bos_token_id, *ids]])
    with torch.inference_mode():
        logs = judge.model.model(rows).logits.log_softmax(-1)
    return float(sum(logs[0, i, rows[0, i + 1]] for i in range(1, rows.shape[1] - 1)))


def test_sequences_share_what_they_begin_with():
    trie = make_trie([[5, 6, 7], [5, 6, 8, 7], [5, 9]])
    assert trie.ids == [5, 6, 7, 8, 7, 9] and trie.parents == [-1, 0, 1, 1, 3, 0] and trie.depths == [0, 1, 2, 2, 3, 1]
    assert trie.paths == [[0, 1, 2], [0, 1, 3, 4], [0, 5]]


def test_the_trie_equals_the_plain_way(judge):
    assert isinstance(judge, Judge) and judge.model.as_trie
    answers = ask_judge(judge, QUESTIONS)
    for asked, answer in zip(QUESTIONS, answers):
        for proposal, judgement in zip(asked.proposals, answer):
            wanted = by_hand(judge, asked.text) - by_hand(judge, proposal.text)
            assert judgement.sum == pytest.approx(wanted, abs=1e-3) and judgement.losses >= max(0.0, judgement.sum)
    judge.model.as_trie = False
    plain = judge(QUESTIONS)
    judge.model.as_trie = True
    for answer, other in zip(answers, plain):
        assert [list(one) for one in answer] == [pytest.approx(list(one), abs=1e-3) for one in other]


def test_a_model_that_takes_no_such_mask_is_asked_the_plain_way(folder, monkeypatch):
    taken = transformers.LlamaForCausalLM.forward

    def forward(self, input_ids, attention_mask=None, **options):
        # As models do that make their masks from their positions alone.
        mask = None if attention_mask is not None and attention_mask.dim() == 4 else attention_mask
        return taken(self, input_ids=input_ids, attention_mask=mask, use_cache=options["use_cache"])

    def refuse(self, input_ids, attention_mask=None, *, use_cache):
        return taken(self, input_ids=input_ids, attention_mask=attention_mask, use_cache=use_cache)

    expected = make_neural_judge(str(folder), dtype="float32")(QUESTIONS)
    for other in (forward, refuse):
        monkeypatch.setattr(transformers.LlamaForCausalLM, "forward", other)
        judge = make_neural_judge(str(folder), dtype="float32")
        assert not judge.model.as_trie
        for answer, wanted in zip(judge(QUESTIONS), expected):
            assert [one.sum for one in answer] == pytest.approx([one.sum for one in wanted], abs=1e-3)


def test_a_word_is_compared_with_itself():
    source, logs = ["Ann", " saw", " a", " dog", " and", " a", " cat"], [-3.0, -2.0, -1.0, -5.0, -1.5, -0.5, -4.0]
    # The cat gains 1 and the dog loses 3: a gain does not pay for a loss. "a" goes with "a", the first with the first.
    swapped = ["Ann", " saw", " a", " cat", " and", " a", " dog"]
    losses = word_losses(source, logs, swapped, [-3.0, -2.0, -1.0, -3.0, -1.5, -0.5, -8.0])
    assert losses == [0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 3.0]
    # A capital makes no other word. What has no twin goes with what is left: "an" with the first "a", which is unused.
    odd = ["A", " dog", " saw", " ann", " and", " an", " cat"]
    losses = word_losses(source, logs, odd, [-1.0, -5.0, -2.0, -3.0, -1.5, -2.5, -4.0])
    assert losses == [0.0] * 6 + [2.0]
    assert word_losses(["a", " b"], [-1.0, -2.0], ["b"], [-3.0]) == [1.0, -1.0]


def test_naturalness_follows_the_scale(folder, judge):
    ((said, *_), *_) = judge(QUESTIONS[:1])
    constant, of_sum, of_losses, of_largest, of_words, _ = SCALE
    assert judge.scale == SCALE and of_largest == 0.0
    # Nobody was asked before: log-odds of 0.
    gained = max(said.sum, -MOST_GAIN)
    weighed = constant + of_sum * gained + of_losses * said.losses + of_words * len(QUESTIONS[0].words)
    assert said.naturalness == pytest.approx(1 / (1 + math.exp(-weighed)), abs=1e-3)
    flat = make_neural_judge(str(folder), dtype="float32", scale=[0.0] * 6)
    assert {one.naturalness for answer in flat(QUESTIONS) for one in answer} == {0.5}


@pytest.mark.parametrize("place, weight", enumerate([0.7, -0.1, -0.2, -0.3, -0.04, 0.5]))
def test_each_number_of_the_scale_weighs_what_it_is_said_to(judge, place, weight):
    source, logs = ["a", " b", " c", " d"], [-1.0, -3.0, -1.0, -2.0]
    said = measured(source, logs, ["b", " a", " d", " c"], [-2.5, -2.5, -2.0, -3.0])
    assert said == (3.0, 3.0, 3.5, 2.0, 1.5, 0.0, 0.5, 4.0, 1.75)
    weighed = [1.0, said.capped, said.losses, said.worst, said.words, math.log(0.8 / 0.2)]
    judge.scale = tuple(weight if i == place else 0.0 for i in range(6))
    natural = judge._weigh(said, 0.8)
    judge.scale = SCALE
    assert natural == pytest.approx(1 / (1 + math.exp(-weight * weighed[place])), abs=1e-4)


def test_a_gain_counts_only_so_far():
    said = measured(["a", " b"], [-9.0, -9.0], ["b", " a"], [-1.0, -4.0])
    assert said.sum == -13.0 and said.capped == -MOST_GAIN and said.losses == said.worst == 0.0 and said.gains == 13.0
    said = measured(["a", " b"], [-1.0, -1.0], ["b", " a"], [-1.0, -1.0 - HEAVY - 0.5])
    assert said.heavy == 1 and said.worst == HEAVY + 0.5 and said.second == 0.0


def test_a_question_is_answered_alike_whatever_is_asked_with_it(judge):
    answers = judge(QUESTIONS)
    assert [judge([asked])[0] for asked in QUESTIONS] == answers
    assert judge(QUESTIONS[::-1]) == answers[::-1]
    assert judge([]) == [] and judge([question("Rain.")]) == [[]]


def test_only_the_best_are_asked_about(folder, judge):
    source, others = "Can a bad person become good?", SOURCES["Can a bad person become good?"]
    many = question(source, *others, *others, others[0])
    assert [one.sum is None for one in judge([many])[0]] == [False, False, False, True, True]
    assert judge([question(source, others[0], gap=10.5)]) == [[Judgement(0.0)]]
    patient = make_neural_judge(str(folder), dtype="float32", most=5, max_gap=None)
    assert all(one.sum is not None for one in patient([many])[0])


def prefer_last(questions):
    return [[Judgement(i / 5) for i, _ in enumerate(asked.proposals)] for asked in questions]


def dislike_all(questions):
    return [[Judgement(FLOOR - 0.001)] * len(asked.proposals) for asked in questions]


def test_another_judge_may_choose(folder):
    judge = make_neural_judge(str(folder), dtype="float32", most=2, first=prefer_last)
    source, others = "Can a bad person become good?", SOURCES["Can a bad person become good?"]
    (said,) = judge([question(source, *others, *others)])
    assert [one.sum is None for one in said] == [True, True, False, False]
    assert said[:2] == [Judgement(0.0)] * 2
    # What it says goes into the log-odds: the same proposal, liked more, is more natural.
    trusting = make_neural_judge(str(folder), dtype="float32", first=prefer_last, scale=[0.0] * 5 + [1.0])
    (said,) = trusting([question(source, *others[:1] * 4)])
    assert said[2].sum == said[3].sum and said[2].naturalness < said[3].naturalness == pytest.approx(0.6)
    (said,) = judge([question(source, others[0])])
    assert said == [Judgement(0.0)]
    strict = make_neural_judge(str(folder), dtype="float32", first=dislike_all)
    assert strict(QUESTIONS[:1]) == [[Judgement(0.0)] * 2]
    again = pickle.loads(pickle.dumps(judge))
    assert again.first is prefer_last and again(QUESTIONS) == judge(QUESTIONS)


def test_what_is_too_long_is_not_natural(judge):
    long = " ".join(["Can a bad person become good?"] * 20)
    assert judge([question(long, long[::-1]), QUESTIONS[0]]) == [[Judgement(0.0)], *judge(QUESTIONS[:1])]


def test_odd_texts(folder):
    texts = ["Ä", "", "?", "a\nb 🙂🙂 c", " ", "naïve «café»  x"]
    for context in ("", ".", "It rains."):
        judge = make_neural_judge(str(folder), dtype="float32", context=context)
        for text in texts:
            ((said,),) = judge([question(text, text)])
            wanted = 1 / (1 + math.exp(-(SCALE[0] + SCALE[4] * len(words(text)))))
            assert said.sum == said.losses == 0.0 and said.naturalness == pytest.approx(wanted, abs=1e-4)
            assert all(math.isfinite(one.sum) for one in judge([question(text, *texts[:3])])[0])


def test_pickles_and_comes_by_its_name(folder, judge):
    assert pickle.loads(pickle.dumps(judge))(QUESTIONS) == judge(QUESTIONS)
    named = make_judge("neural", {"name": str(folder), "dtype": "float32"})
    assert named(QUESTIONS) == judge(QUESTIONS) and named.keeps == 0.64


def test_a_forked_worker_answers_the_same(judge):
    """As the workers of `n_process` are started, after the parent ran torch."""
    fork = get_context("fork")
    answers = judge(QUESTIONS)
    receiver, sender = fork.Pipe(False)
    worker = fork.Process(target=lambda: sender.send(judge(QUESTIONS)))
    worker.start()
    assert receiver.poll(60) and receiver.recv() == answers
    worker.join()


def test_bfloat16_is_near(folder, judge):
    half = make_neural_judge(str(folder), dtype="bfloat16")
    assert half.model.model.dtype == torch.bfloat16 and half.model.as_trie
    for answer, other in zip(half(QUESTIONS), judge(QUESTIONS)):
        assert [one.sum for one in answer] == pytest.approx([one.sum for one in other], abs=1.0)


def test_says_what_is_missing(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(models, "_packaged_judge", lambda: None)
    monkeypatch.setattr(models, "_cached_judge", lambda: None)
    with pytest.raises(PawsError, match="P041.*SmolLM2-135M, is not installed. `paws download judge`"):
        make_neural_judge()
    with pytest.raises(PawsError, match="P007.*nobody/has-this"):
        make_neural_judge("nobody/has-this")
    with pytest.raises(PawsError, match="P007"):
        make_neural_judge(str(tmp_path / "no.gguf"))
    with pytest.raises(PawsError, match="P015.*most"):
        make_neural_judge(str(folder), most=0)
    with pytest.raises(PawsError, match="P015.*`scale` must be 6 numbers"):
        make_neural_judge(str(folder), scale=[1.0])
    with pytest.raises(PawsError, match="P015.*dtype"):
        make_neural_judge(str(folder), dtype="float99")


def test_the_recommended_model(en_nlp):
    if models.find_judge_model() is None or not all(map(importlib.util.find_spec, ("gguf", "accelerate"))):
        pytest.skip("the judge's model is not here (`paws download judge`), or gguf and accelerate are not")
    judge = make_neural_judge()
    assert judge.model.as_trie
    source = "Targets in Serbia were bombed while Montenegro was spared."
    good, bad = (
        "Targets in Montenegro were bombed while Serbia was spared.",
        "Targets in Serbia was bombed while Montenegro were spared.",
    )
    one, other = judge([question(source, good, bad)])[0]
    assert one.naturalness > other.naturalness and one.losses + 3 < other.losses
    # With the embedded judge's facts, by the trees that were fitted for the two together.
    (swaps,) = WordSwap(en_nlp, judge=judge)([en_nlp(source)])
    assert [swap["text"] for swap in swaps] == [good] and swaps[0]["naturalness"] >= judge.keeps
    assert swaps[0]["naturalness"] != one.naturalness and swaps[0]["losses"] == pytest.approx(one.losses, abs=0.2)
