"""The judge that comes with the package, beside the plain slow way to the same figures."""

import math
import pickle
import shutil

import numpy
import pytest

from paws_components.errors import PawsError
from paws_components.generation import embedded
from paws_components.generation.embedded import (
    BUCKETS,
    FACTS,
    REACH,
    Asked,
    EmbeddedJudge,
    asked,
    embedded_judge,
    make_embedded_judge,
    reorder,
)
from paws_components.generation.judging import Judge, Judgement, ask_judge, make_judge
from paws_components.generation.word_swap import WordSwap

TEXTS = [
    "Mary lives in Boston and works in Chicago.",
    "Can a bad person become good?",
    "Rain",
    "The old lighthouse of Gdansk stands behind the new harbour wall of the small town near Malmö.",
    "Alice sued Bob.",
    "The museum in Lisbon lent two old paintings to a large gallery in Madrid.",
]


class Recorder:
    """Keeps what it is asked."""

    def __init__(self):
        self.questions = []

    def __call__(self, questions):
        self.questions += questions
        return [[Judgement(0.0)] * len(question.proposals) for question in questions]


@pytest.fixture(scope="module")
def questions(en_nlp):
    """What a swapper asks about the texts: exchanges, and moves of more spans among them."""
    recorder = Recorder()
    swap = WordSwap(en_nlp, judge=recorder, precise=False, n_best=30, threshold=None)
    swap(list(en_nlp.pipe(TEXTS)))
    found = [question for question in recorder.questions if question.proposals]
    assert len(found) >= 5 and any(proposal.traded is None for q in found for proposal in q.proposals)
    return found


def make_model(path):
    """A small model with random weights, in the form that `projects/judge_en` writes."""
    random = numpy.random.default_rng(0)
    words = ["the", "old", "man", "saw", "a", "young", "dog", ",", "and", "."]
    rows, width, hidden = len(words) + BUCKETS + 1, 6, 5
    arrays = {
        "words": numpy.frombuffer("\n".join(words).encode("utf8"), dtype="uint8"),
        "word": random.integers(-127, 128, (rows, width)).astype("int8"),
        "word_scale": random.uniform(0.001, 0.01, rows).astype("float32"),
        "bias": random.normal(size=rows).astype("float16"),
        "first": random.normal(size=(hidden, 2 * REACH * width)).astype("float16"),
        "first_bias": random.normal(size=hidden).astype("float16"),
        "second": random.normal(size=(width, hidden)).astype("float16"),
        "second_bias": random.normal(size=width).astype("float16"),
        # Two trees: the first asks for the sum and then for the gap, the second for the gap alone.
        "tree_feature": numpy.array([[1, 0, 0, 0, 0], [0, 0, 0, 0, 0]]),
        "tree_threshold": numpy.array([[0.0, 1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0, 0.0]]),
        "tree_left": numpy.array([[1, 3, 2, 3, 4], [1, 1, 2, 3, 4]]),
        "tree_right": numpy.array([[2, 4, 2, 3, 4], [2, 1, 2, 3, 4]]),
        "tree_value": numpy.array([[0.0, 0.0, -1.0, 2.0, 0.5], [0.0, 0.25, -0.25, 0.0, 0.0]]),
        "tree_depth": numpy.array(2),
        "tree_base": numpy.array(0.1),
        "tree_scale": numpy.array([1.5, -0.2]),
        "limits": numpy.array([0.4, 10.0, 20.0]),
    }
    numpy.savez(path, **arrays)
    return EmbeddedJudge(path)


@pytest.fixture(scope="module", params=["real", "by hand"])
def judge(request, tmp_path_factory):
    if request.param == "real":
        return make_embedded_judge("en")
    return make_model(tmp_path_factory.mktemp("model") / "xx.npz")


def log_likely(judge, words, place):
    """How likely the word at a place is between its neighbours: one word, one sum over the network after another."""
    arrays = judge.arrays

    def vector(i):
        row = judge.features.word(words[i]) if 0 <= i < len(words) else judge.features.pad
        return arrays["word"][row].astype("float64") * float(arrays["word_scale"][row])

    read = numpy.concatenate([vector(place + k) for k in range(-REACH, REACH + 1) if k])
    hidden = [max(0.0, float(row @ read) + float(bias)) for row, bias in zip(arrays["first"], arrays["first_bias"])]
    guess = [float(row @ hidden) + float(bias) for row, bias in zip(arrays["second"], arrays["second_bias"])]
    return float(vector(place) @ guess) + float(arrays["bias"][judge.features.word(words[place])])


def swapped(items, a, b):
    items = list(items)
    return items[: a[0]] + items[b[0] : b[1]] + items[a[1] : b[0]] + items[a[0] : a[1]] + items[b[1] :]


def slow_losses(judge, words, a, b):
    """What each word of the source loses: every place of both sentences, whether anything changed there or not."""
    before = [log_likely(judge, words, i) for i in range(len(words))]
    now = swapped(words, a, b)
    at = {token: place for place, token in enumerate(swapped(range(len(words)), a, b))}
    return [before[token] - log_likely(judge, now, at[token]) for token in range(len(words))]


def check_facts(judge, question):
    table = judge.facts(question)
    assert table.shape == (len(question.exchanges), len(FACTS))
    for row, (gap, a, b) in zip(table, question.exchanges):
        facts = dict(zip(FACTS, row))
        losses = slow_losses(judge, question.plain, a, b)
        about = {"rel": 1e-3, "abs": 2e-3}
        assert facts["sum"] == pytest.approx(math.fsum(losses), **about)
        assert facts["losses"] == pytest.approx(math.fsum(max(loss, 0.0) for loss in losses), **about)
        assert facts["moved_a"] == pytest.approx(math.fsum(losses[slice(*a)]), **about)
        assert facts["moved_b"] == pytest.approx(math.fsum(losses[slice(*b)]), **about)
        assert facts["around"] == pytest.approx(facts["sum"] - facts["moved_a"] - facts["moved_b"], **about)
        assert facts["gap"] == gap and facts["distance"] == b[0] - a[1] and facts["size"] == len(losses)


def test_the_facts_equal_the_slow_way(judge, questions):
    for question in questions:
        chosen = [i for i, proposal in enumerate(question.proposals) if proposal.traded is not None][:8]
        check_facts(judge, asked(question, chosen))


@pytest.mark.parametrize("words", ["the old man , and a Younger dog saw Xy-12 .", "a dog saw", "old , young"])
def test_every_exchange_equals_the_slow_way(judge, words):
    """At the edges, side by side, and spans of unlike length."""
    plain = words.split()
    size = len(plain)
    spans = [(i, j) for i in range(size) for j in range(i + 1, min(i + 3, size) + 1)]
    exchanges = [(0.5, a, b) for a in spans for b in spans if a[1] <= b[0]][::3]
    check_facts(judge, Asked(plain, ["NN"] * size, [""] * size, exchanges))


def test_an_exchange_in_places():
    order, changed = reorder(12, (0, 1), (9, 11))
    assert [place - REACH for place in order[REACH:-REACH]] == [9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 0, 11]
    # All but what is farther than a window from both spans, and never what stands for no word.
    assert set(range(REACH, 12 + REACH)) >= set(changed) >= {REACH, REACH + 1, 10 + REACH}
    _, changed = reorder(40, (3, 4), (30, 32))
    assert [place - REACH for place in changed] == [*range(0, 9), *range(27, 36)]


def test_the_trees_by_hand(tmp_path):
    judge = make_model(tmp_path / "xx.npz")
    rows = numpy.zeros((4, len(FACTS)))
    # Gap and sum, and what the leaves of the two trees are worth.
    cases = [(0.5, -1.0, 2.0 + 0.25), (1.5, -1.0, 0.5 + 0.25), (3.0, 0.0, 0.5 - 0.25), (3.0, 1.0, -1.0 - 0.25)]
    rows[:, :2] = [case[:2] for case in cases]
    wanted = [1 / (1 + math.exp(-(1.5 * (0.1 + value) - 0.2))) for _, _, value in cases]
    assert judge.trees(rows).tolist() == pytest.approx(wanted)


def test_a_question_is_answered_alike_whatever_is_asked_with_it(judge, questions):
    assert isinstance(judge, Judge)
    answers = ask_judge(judge, questions)
    assert [judge([question])[0] for question in questions] == answers
    assert judge(questions[::-1]) == answers[::-1]
    assert judge(questions[:2]) + judge(questions[2:]) == answers
    assert judge([]) == [] and judge([questions[0]._replace(proposals=[])]) == [[]]


def test_what_moves_more_than_two_spans_is_not_natural(judge, questions):
    for question, answer in zip(questions, judge(questions)):
        for proposal, judgement in zip(question.proposals, answer):
            if proposal.traded is None:
                assert judgement == Judgement(0.0)
            else:
                assert 0 < judgement.naturalness < 1 and judgement.losses >= max(0.0, judgement.sum)
        # And it changes nothing for the others.
        traded = [i for i, proposal in enumerate(question.proposals) if proposal.traded is not None]
        alone = question._replace(proposals=[question.proposals[i] for i in traded])
        assert judge([alone]) == [[answer[i] for i in traded]]


def test_pickles(judge, questions):
    again = pickle.loads(pickle.dumps(judge))
    assert again(questions) == judge(questions)
    assert (again.keeps, again.max_gap, again.most) == (judge.keeps, judge.max_gap, judge.most)


def test_comes_by_its_language_and_name(questions):
    judge = make_embedded_judge()
    assert judge is embedded_judge("en") and judge.keeps == 0.5
    assert make_judge("embedded")(questions) == judge(questions)
    assert embedded_judge("xx") is None
    with pytest.raises(PawsError, match="P028.*'xx'.*there is one for: en"):
        make_embedded_judge("xx")


def test_a_damaged_model_is_told(monkeypatch, tmp_path):
    for ending in ("npz", "md"):
        shutil.copy(embedded.MODELS / f"en.{ending}", tmp_path / f"en.{ending}")
    monkeypatch.setattr(embedded, "MODELS", tmp_path)
    assert make_embedded_judge("en").features.words
    embedded._load.cache_clear()
    data = bytearray((tmp_path / "en.npz").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "en.npz").write_bytes(data)
    with pytest.raises(PawsError, match="P029.*en.npz.*is damaged"):
        make_embedded_judge("en")
    (tmp_path / "en.npz").write_bytes(b"")
    with pytest.raises(PawsError, match="P029"):
        make_embedded_judge("en")


def test_it_decides_by_default(make_nlp):
    nlp = make_nlp("paws_swapper")
    (swap,) = nlp(TEXTS[0])._.paws_swaps
    assert swap["text"] == "Mary lives in Chicago and works in Boston." and swap["naturalness"] >= 0.5
    flights = "Flights from New York to Florida."
    assert nlp(flights)._.paws_swaps == []
    # Without the bar it is there, and the judge says why it was not.
    (swap,) = make_nlp("paws_swapper", paws_swapper={"naturalness": 0.0})(flights)._.paws_swaps
    assert swap["text"] == "Flights from Florida to New York." and 0 < swap["naturalness"] < 0.5
