"""Mutual implication and the answers that are kept, with a model that counts what it is asked."""

import pickle

import pytest

from paws_components.errors import Fatal, PawsError
from paws_components.nli.cached import CachedEntailment
from paws_components.nli.labels import find_entailment
from paws_components.nli.mutual import MutualImplication, MutualJudge, mutual_implication
from paws_components.nli.protocol import Entailment

from .models import Counting


def test_both_directions_at_once():
    model = Counting()
    assert isinstance(model, Entailment)
    found = mutual_implication(model, [("a b", "a"), ("c", "c"), ("d", "e")])
    assert model.calls == [[("a b", "a"), ("c", "c"), ("d", "e"), ("a", "a b"), ("c", "c"), ("e", "d")]]
    # One way is not enough, and what counts is the first choice and not a probability above one half.
    assert found == [
        MutualImplication(0.4, 0.3, False),
        MutualImplication(0.4, 0.4, True),
        MutualImplication(0.3, 0.3, False),
    ]
    assert mutual_implication(model, []) == []


def test_the_same_question_is_asked_once():
    counting = Counting()
    model = CachedEntailment(counting, 100)
    pairs = [("a b", "a"), ("a b", "a"), ("a", "a b")]
    first = model(pairs)
    assert counting.calls == [[("a b", "a"), ("a", "a b")]]
    assert first == Counting()(pairs)
    assert model([("a", "a b"), ("c", "d"), ("a b", "a")]) == Counting()([("a", "a b"), ("c", "d"), ("a b", "a")])
    assert counting.calls[1:] == [[("c", "d")]]
    model([("a b", "a")])
    assert len(counting.calls) == 2


def test_no_more_answers_are_kept_than_allowed():
    counting = Counting()
    model = CachedEntailment(counting, 2)
    assert len(model([("a", "a"), ("b", "b"), ("c", "d")])) == 3
    assert list(model.kept.known) == [("b", "b"), ("c", "d")]
    model([("b", "b")])  # now it is the latest
    model([("e", "e")])
    assert list(model.kept.known) == [("b", "b"), ("e", "e")]
    none = CachedEntailment(Counting(), 0)
    assert none([("a", "a")]) == none([("a", "a")])
    assert not none.kept.known and len(none.model.calls) == 2


def test_the_label_is_found_or_asked_for():
    assert find_entailment(["neutral", "ENTAILMENT"], None, "m") == 1
    assert find_entailment(["not_entailment", "entailment"], None, "m") == 1
    assert find_entailment(["LABEL_0", "LABEL_1"], 1, "m") == 1
    assert find_entailment(["LABEL_0", "LABEL_1"], "label_0", "m") == 0
    assert find_entailment(["LABEL_0", "LABEL_1"], None, "m", also=[0]) == 0
    for labels, wanted, also in (
        (["LABEL_0", "LABEL_1"], None, []),
        (["LABEL_0", "LABEL_1"], 2, []),
        (["LABEL_0", "LABEL_1"], "entailment", []),
        (["entailment", "neutral"], None, [1]),
        (["entailment", "Entailment"], None, []),
    ):
        with pytest.raises(PawsError, match="P403.*0: .*`entailment_label = 0`"):
            find_entailment(labels, wanted, "m", also)


def test_a_judge_loads_when_it_is_asked():
    judge = MutualJudge("no-such/model")
    assert judge([]) == []
    with pytest.raises(Fatal, match="P401.*no-such/model"):
        judge([("a", "b")])
    for settings in ({"cache_size": -1}, {"batch_size": 0}, {"max_length": 0}):
        with pytest.raises(PawsError, match="P015"):
            MutualJudge("no-such/model", **settings)
    assert pickle.loads(pickle.dumps(judge)).settings == judge.settings
