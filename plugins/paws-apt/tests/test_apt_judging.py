import pickle

import pytest
from containment import implication

from paws_apt.judging import Judge, find_threshold
from paws_apt.reward import reward
from paws_components.errors import PawsError
from paws_components.metrics.measure import TextMetric
from paws_components.plugins import host, make_registered

PAIRS = [
    ("the cat sleeps", "sleeps the cat"),
    ("the cat sleeps", "the dog sleeps"),
    ("the cat sleeps", "sleeps the cat"),
    ("a man walks", "a a a a a man walks"),
]


def length_ratio(pairs):
    """How alike in length: a similarity on a scale of its own."""
    return [min(len(one), len(two)) / max(len(one), len(two)) for one, two in pairs]


def test_judgements_follow_from_the_two_and_equal_pairs_are_asked_once():
    asked = []

    def counted(pairs):
        asked.append(list(pairs))
        return implication(pairs)

    judgements = Judge(counted, length_ratio, 0.9)(PAIRS)
    assert asked == [[PAIRS[0], PAIRS[1], PAIRS[3]]]
    assert [found.mi for found in judgements] == [True, False, True, True]
    assert [found.passed for found in judgements] == [False, False, False, True]
    assert judgements[3].reward == reward(True, 11 / 19, 0.9) > 0 and judgements[0].reward == 0
    assert judgements[1].forward == pytest.approx(2 / 3) and judgements[0] == judgements[2]
    assert Judge(counted, length_ratio)([]) == []


def test_the_threshold_belongs_to_the_similarity():
    assert find_threshold("bleurt", {}) == 0.5 == find_threshold("bleurt", {"name": "Elron/bleurt-base-128"})
    assert find_threshold("bleurt", {"name": "lucadiliello/BLEURT-20"}, 0.6) == 0.6
    assert find_threshold("bow_cosine", {}, 0.8) == 0.8
    with pytest.raises(PawsError, match="A001.*'bow_cosine'"):
        find_threshold("bow_cosine", {})
    with pytest.raises(PawsError, match="A001.*'lucadiliello/BLEURT-20'"):
        find_threshold("bleurt", {"name": "lucadiliello/BLEURT-20"})


def test_metrics_by_name(shared_words):
    assert {"apt", "apt_reward"} <= set(host().registered["metrics"])
    settings = {"similarity": "bow_cosine", "threshold": 0.9}
    apt, paid = make_registered("metrics", "apt", settings), make_registered("metrics", "apt_reward", settings)
    assert apt(PAIRS) == [0.0, 0.0, 0.0, 1.0] and apt([]) == []
    cosine = TextMetric("bow_cosine")(PAIRS)
    assert cosine[0] > 0.9 > cosine[3] and paid(PAIRS) == [0.0, 0.0, 0.0, reward(True, cosine[3], 0.9)]
    assert pickle.loads(pickle.dumps(apt))(PAIRS) == apt(PAIRS)


def test_a_metric_without_its_threshold_is_an_error_before_any_model():
    with pytest.raises(PawsError, match="A001"):
        make_registered("metrics", "apt", {"similarity": "bow_cosine"})
    with pytest.raises(PawsError, match="P203.*`treshold`"):
        make_registered("metrics", "apt", {"treshold": 1})
