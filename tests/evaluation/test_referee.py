"""Our measures beside those of scikit-learn, which is here for nothing else."""

import warnings

import numpy
import pytest
from sklearn.metrics import average_precision_score, f1_score, matthews_corrcoef

from paws_components.evaluation.measures import average_precision, confusion, f1, macro_f1, mcc, measure_answers


@pytest.mark.parametrize("seed", range(40))
def test_measures_equal_those_of_scikit_learn(seed):
    random = numpy.random.default_rng(seed)
    size = int(random.integers(2, 200))
    truths = random.random(size) < random.choice([0.05, 0.3, 0.5, 0.95])
    scores = random.random(size) if seed % 2 else random.integers(0, 6, size) / 5  # also many ties
    answers = scores > 0.5
    counts = confusion(truths, answers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = f1_score(truths, answers, zero_division=0.0)
        both = f1_score(truths, answers, average="macro", zero_division=0.0, labels=[False, True])
        correlation = matthews_corrcoef(truths, answers)
    assert float(f1(counts)) == pytest.approx(expected, abs=1e-12)
    assert float(macro_f1(counts)) == pytest.approx(both, abs=1e-12)
    assert float(mcc(counts)) == pytest.approx(correlation, abs=1e-12)
    if truths.any():
        assert average_precision(truths, scores) == pytest.approx(average_precision_score(truths, scores), abs=1e-12)
    else:
        assert average_precision(truths, scores) is None


def test_the_value_of_a_measure_is_that_of_all_answers():
    random = numpy.random.default_rng(0)
    truths, scores = random.random(300) < 0.4, random.random(300)
    found = measure_answers(truths, scores, scores > 0.5, samples=50)
    assert found["auc_pr"].value == pytest.approx(average_precision_score(truths, scores))
    assert found["f1"].value == pytest.approx(f1_score(truths, scores > 0.5))
    assert found["mcc"].value == pytest.approx(matthews_corrcoef(truths, scores > 0.5))
