import numpy
import pytest

from paws_components.evaluation.measures import confusion, mcc
from paws_components.evaluation.significance import Difference, mcc_difference


def made_up(groups, size, right_before, right_after, seed=1):
    """Answers to groups of pairs: each model is right so often."""
    random = numpy.random.default_rng(seed)
    truths = random.random(groups * size) < 0.6
    answers = [
        numpy.where(random.random(len(truths)) < share, truths, ~truths) for share in (right_before, right_after)
    ]
    return truths, *answers, numpy.repeat(numpy.arange(groups), size)


def test_the_value_is_the_difference_of_both_mccs():
    truths, before, after, groups = made_up(40, 3, 0.6, 0.8)
    found = mcc_difference(truths, before, after, groups)
    assert found.value == pytest.approx(mcc(confusion(truths, after)) - mcc(confusion(truths, before)))
    assert found.groups == 40 and found.low < found.value < found.high
    back = mcc_difference(truths, after, before, groups)
    assert back.value == pytest.approx(-found.value) and back.low == pytest.approx(-found.high)
    assert back.p == pytest.approx(found.p)


def test_a_large_gain_is_significant_and_a_small_one_is_not():
    large = mcc_difference(*made_up(200, 3, 0.6, 0.8))
    assert large.low > 0 and large.p < 0.01 and large.words == "significant at 5 %"
    small = mcc_difference(*made_up(20, 3, 0.7, 0.72))
    assert small.low < 0 < small.high and small.p > 0.05 and small.words == "not significant"


def test_the_same_answers_differ_by_nothing():
    truths, before, _, groups = made_up(30, 2, 0.7, 0.7)
    assert mcc_difference(truths, before, before, groups) == Difference(0.0, 0.0, 0.0, 1.0, 30)


def test_groups_are_drawn_whole():
    """Ten copies of each pair say no more than one, if they are one group; and ten times as much if they are not."""
    truths, before, after, _ = made_up(60, 1, 0.62, 0.72)
    copies = [numpy.repeat(each, 10) for each in (truths, before, after)]
    together = mcc_difference(*copies, numpy.repeat(numpy.arange(60), 10))
    alone = mcc_difference(*copies, numpy.arange(600))
    once = mcc_difference(truths, before, after, numpy.arange(60))
    assert together == pytest.approx(once)
    assert alone.value == pytest.approx(once.value)
    assert alone.high - alone.low < 0.5 * (once.high - once.low)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """Of 100 experiments with two models that are equally good, about 95 find no difference."""
    found = [mcc_difference(*made_up(60, 3, 0.7, 0.7, seed), samples=400) for seed in range(100)]
    assert 88 <= sum(each.low <= 0 <= each.high for each in found) <= 99
    assert 1 <= sum(each.words == "significant at 5 %" for each in found) <= 12


def test_the_seed_decides_and_blocks_do_not_matter(monkeypatch):
    data = made_up(50, 2, 0.6, 0.7)
    one = mcc_difference(*data, samples=1000, seed=3)
    assert one == mcc_difference(*data, samples=1000, seed=3) != mcc_difference(*data, samples=1000, seed=4)
    monkeypatch.setattr("paws_components.evaluation.significance.BLOCK", 700)
    assert one == mcc_difference(*data, samples=1000, seed=3)
