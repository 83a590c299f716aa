"""Judges in the swapper, with a stand-in whose word is known."""

import pytest

from paws_components.errors import PawsError
from paws_components.generation.judging import Judge, Judgement, Proposal, ask_judge
from paws_components.generation.word_swap import WordSwap

TEXT = "The old lighthouse stands behind the new harbour wall of a small white town."
TEXTS = [
    TEXT,
    "Rain.",
    "",
    "Can a bad person become good?",
    "The early trains are usually empty. It rained. The late buses are always full of young and old men.",
    "Nobody knew whether Clara would forgive Martin.",
]


class Shortest:
    """Likes swaps whose first moved span comes late in the sentence, so that its order is not that of the gaps."""

    def __init__(self, **facts):
        self.questions = []
        vars(self).update(facts)

    def __call__(self, questions):
        self.questions += questions
        return [[self.judge(question, proposal) for proposal in question.proposals] for question in questions]

    def judge(self, question, proposal):
        first = min(slot.start for slot in proposal.traded)
        return Judgement(round(first / len(question.tokens), 6), proposal.gap + 1, abs(proposal.gap))


@pytest.fixture(scope="module")
def docs(en_nlp):
    return list(en_nlp.pipe(TEXTS))


def swaps_of(nlp, docs, judge, **settings):
    return WordSwap(nlp, judge=judge, **{"n_best": 100, **settings})(docs)


def test_a_stand_in_is_a_judge():
    assert isinstance(Shortest(), Judge)


def test_the_most_natural_first_and_what_it_says_is_evidence(en_nlp, docs):
    found = swaps_of(en_nlp, docs, Shortest(), naturalness=0.0)
    assert len(found[0]) > 2 and found[1] == found[2] == []
    for swaps in found:
        values = [swap["naturalness"] for swap in swaps]
        assert values == sorted(values, reverse=True)
        for swap in swaps:
            assert swap["sum"] == pytest.approx(swap["gap"] + 1, abs=1e-4)
            assert swap["losses"] == pytest.approx(abs(swap["gap"]), abs=1e-4)
            assert len(swap["moved"]) == 2 and "rule" not in swap
    gaps = [swap["gap"] for swap in found[0]]
    assert gaps != sorted(gaps), "the judge decides about the order, not the language model"


def test_the_bar(en_nlp, docs):
    everything = swaps_of(en_nlp, docs, Shortest(), naturalness=0.0)[0]
    for bar, facts, settings in (
        (0.5, {}, {}),  # where neither says
        (0.1, {"keeps": 0.1}, {}),
        (0.3, {"keeps": 0.1}, {"naturalness": 0.3}),  # the user has the last word
    ):
        kept = swaps_of(en_nlp, docs, Shortest(**facts), **settings)[0]
        assert kept == [swap for swap in everything if swap["naturalness"] >= bar]
    assert swaps_of(en_nlp, docs, Shortest(), naturalness=1.0)[0] == []


def test_the_threshold_is_not_the_judges_but_its_own_limits_are(en_nlp, docs):
    wide = Shortest()
    assert swaps_of(en_nlp, docs, wide, naturalness=0.0, threshold=-100.0)[0]
    gaps = [proposal.gap for proposal in wide.questions[0].proposals]
    assert gaps == sorted(gaps)
    few, near = Shortest(most=2), Shortest(max_gap=gaps[1])
    for judge in (few, near):
        swaps_of(en_nlp, docs, judge, naturalness=0.0)
        assert [proposal.gap for proposal in judge.questions[0].proposals] == gaps[:2]
    narrow = Shortest(most=50)
    swaps_of(en_nlp, docs, narrow, naturalness=0.0, beam_width=1)
    assert len(narrow.questions[0].proposals) == 1


def test_what_a_question_holds(en_nlp, docs):
    judge = Shortest()
    swaps_of(en_nlp, docs, judge)
    assert all(question.proposals for question in judge.questions), "nobody is asked about nothing"
    question = judge.questions[0]
    assert question.text == TEXT and "".join(question.words) == TEXT
    assert question.plain[:2] == ["the", "old"] and question.tokens.words[:2] == ["The", "old"]
    for proposal in question.proposals:
        assert isinstance(proposal, Proposal) and proposal.text == "".join(proposal.words)
        assert sorted(proposal.words) != question.words
        a, b = sorted(proposal.traded)
        assert a.end <= b.start and not a.fixed and not b.fixed


def test_sentences_of_a_text_are_asked_about_one_by_one(en_nlp, docs):
    judge = Shortest()
    (swaps,) = swaps_of(en_nlp, docs[4:5], judge, naturalness=0.0)
    assert 1 <= len(judge.questions) <= 2 and all(question.text in TEXTS[4] for question in judge.questions)
    for swap in swaps:
        start, end = swap["sentence"]
        assert swap["text"][:start] == TEXTS[4][:start] and swap["text"][end:] == TEXTS[4][end:]
    values = [swap["naturalness"] for swap in swaps]
    assert values == sorted(values, reverse=True)


def test_company_changes_nothing(en_nlp, docs):
    together = swaps_of(en_nlp, docs, Shortest(), naturalness=0.0)
    generator = WordSwap(en_nlp, judge=Shortest(), naturalness=0.0, n_best=100)
    assert [generator([doc])[0] for doc in docs] == together
    assert list(reversed(generator(docs[::-1]))) == together


def test_more_than_two_spans_where_no_rule_stops_them(en_nlp, docs):
    class Any:
        def __call__(self, questions):
            assert any(proposal.traded is None for question in questions for proposal in question.proposals)
            return [[Judgement(1.0)] * len(question.proposals) for question in questions]

    (swaps,) = swaps_of(en_nlp, docs[:1], Any(), constraints=[])
    assert max(len(swap["moved"]) for swap in swaps) > 2
    assert not any("sum" in swap or "losses" in swap for swap in swaps), "what nobody said is not evidence"
    assert any(swap.get("rule") == "two_spans" for swap in swaps)


@pytest.mark.parametrize(
    "answer, said",
    [
        (lambda questions: [], "0 lists for"),
        (lambda questions: [[] for _ in questions], "0 judgements of"),
        (lambda questions: [[Judgement(1.5)] * len(q.proposals) for q in questions], "naturalness of 1.5"),
        (lambda questions: [[Judgement(float("nan"))] * len(q.proposals) for q in questions], "naturalness of nan"),
    ],
)
def test_wrong_answers_are_named(en_nlp, docs, answer, said):
    with pytest.raises(PawsError, match=f"P044.*{said}"):
        swaps_of(en_nlp, docs, answer)


def test_no_question_no_answer():
    assert ask_judge(lambda questions: [], []) == []


def test_precise_without_a_judge_is_the_rules_alone(en_nlp, docs, monkeypatch):
    monkeypatch.setattr("paws_components.generation.word_swap.embedded_judge", lambda lang: None)
    for swaps in WordSwap(en_nlp, n_best=5)(docs):
        assert all("naturalness" not in swap and "rule" not in swap and swap["gap"] <= 3.0 for swap in swaps)


def test_the_embedded_judge_is_the_default(en_nlp, docs, monkeypatch):
    judge = Shortest()
    monkeypatch.setattr("paws_components.generation.word_swap.embedded_judge", {"en": judge}.get)
    assert WordSwap(en_nlp).swapper.judge is judge
    assert WordSwap(en_nlp, precise=False).swapper.judge is None
    assert WordSwap(en_nlp, rescorer=WordSwap(en_nlp).swapper.lm).swapper.judge is None
