"""The measures beside other ways of computing them, and the scorer where spaCy uses it."""

import json
from itertools import product

import numpy
import pytest
import spacy
from spacy.training import Example

from paws_components.errors import PawsError
from paws_components.evaluation.measures import average_precision, confusion, f1, macro_f1, mcc, measure_answers, wilson
from paws_components.pairs import pair_text
from paws_components.training.scorers import make_paraphrase_scorer


def slow_average_precision(truths, scores):
    """By definition: for every distinct score as the threshold, precision times the recall that it adds."""
    area, before = 0.0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        taken = [truth for truth, score in zip(truths, scores) if score >= threshold]
        recall = sum(taken) / sum(truths)
        area += sum(taken) / len(taken) * (recall - before)
        before = recall
    return area


def test_average_precision_by_hand():
    # The example of scikit-learn's documentation: 1/2 of recall at precision 1, 1/2 at 2/3.
    assert average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]) == pytest.approx(0.5 + 0.5 * 2 / 3)
    assert average_precision([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1]) == 1.0
    # Nothing but ties: precision is the share of positives, whatever the order.
    assert average_precision([1, 0, 0, 0], [0.5] * 4) == average_precision([0, 0, 0, 1], [0.5] * 4) == 0.25
    assert average_precision([0, 0], [0.1, 0.2]) is None
    assert average_precision([], []) is None


@pytest.mark.parametrize("seed", range(20))
def test_average_precision_equals_the_definition(seed):
    random = numpy.random.default_rng(seed)
    truths = random.random(60) < 0.3
    truths[0] = True
    scores = random.integers(0, 12, 60) / 12  # many ties
    assert average_precision(truths, scores) == pytest.approx(slow_average_precision(truths, scores), abs=1e-12)


def test_f1_and_mcc_equal_their_definitions():
    for bits in product([0, 1], repeat=8):
        truths, answers = numpy.array(bits[:4], dtype=bool), numpy.array(bits[4:], dtype=bool)
        counts = confusion(truths, answers)
        assert counts.sum() == 4
        tp, fp, fn, _ = counts
        precision, recall = (tp / (tp + fp) if tp + fp else 0, tp / (tp + fn) if tp + fn else 0)
        expected = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        assert float(f1(counts)) == pytest.approx(expected)
        assert float(macro_f1(counts)) == pytest.approx((expected + float(f1(confusion(~truths, ~answers)))) / 2)
        if truths.any() and not truths.all() and answers.any() and not answers.all():
            assert float(mcc(counts)) == pytest.approx(numpy.corrcoef(truths, answers)[0, 1])
        else:
            assert float(mcc(counts)) == 0.0


def test_wilson_interval():
    # Newcombe (1998), table I: 81 of 263 has 0.2553 to 0.3662, 0 of 20 has 0 to 0.1611.
    assert wilson(81, 263)[1:] == (pytest.approx(0.2553, abs=5e-5), pytest.approx(0.3662, abs=5e-5))
    assert wilson(0, 20)[1:] == (0.0, pytest.approx(0.1611, abs=5e-5))
    assert wilson(20, 20).high == 1.0
    assert wilson(0, 0) == (None, None, None)


def test_intervals_hold_the_value_are_seeded_and_shrink_with_data():
    random = numpy.random.default_rng(1)

    def made(size):
        truths = random.random(size) < 0.4
        scores = numpy.clip(random.normal(0.35 + 0.3 * truths, 0.25), 0, 1)
        return truths, scores, scores > 0.5

    small, large = made(100), made(3000)
    found = {size: measure_answers(*data) for size, data in (("small", small), ("large", large))}
    assert found["large"] == measure_answers(*large)
    assert found["large"]["auc_pr"] != measure_answers(*large, seed=1)["auc_pr"]
    for name in ("accuracy", "auc_pr", "f1", "mcc"):
        one, other = found["small"][name], found["large"][name]
        assert one.low < one.value < one.high
        # Thirty times the data, an interval about a fifth as wide.
        assert (other.high - other.low) < 0.4 * (one.high - one.low)


def test_the_interval_of_auc_pr_covers_the_truth():
    """Of many samples from one population, about 95 in 100 intervals hold the population's value."""
    random = numpy.random.default_rng(0)
    truths = random.random(200_000) < 0.3
    scores = random.normal(1.0 * truths)
    true_value = average_precision(truths, scores)
    held = 0
    for turn in range(100):
        some = random.integers(0, len(truths), 300)
        interval = measure_answers(truths[some], scores[some], scores[some] > 0.5, samples=300, seed=turn)["auc_pr"]
        held += interval.low <= true_value <= interval.high
    assert 85 <= held <= 100


def test_a_diverged_model_scores_and_no_positive_pair_has_no_area():
    found = measure_answers([True, False], [float("nan"), 0.5], [False, False])
    assert found["auc_pr"].value == 0.5 and found["f1"].value == 0.0
    found = measure_answers([False, False], [0.1, 0.5], [False, False])
    assert found["auc_pr"] == (None, None, None) and found["accuracy"].value == 1.0
    assert measure_answers([], [], [])["mcc"] == (None, None, None)


def make_examples(nlp, rows, labels=("paraphrase", "not_paraphrase")):
    examples = []
    for gold, scores in rows:
        predicted = nlp.make_doc(pair_text("a b", "b a"))
        predicted.cats = dict(zip(labels, scores))
        reference = {label: float(label == gold) for label in labels} if gold else {}
        examples.append(Example.from_dict(predicted, {"cats": reference}))
    return examples


def test_scorer_on_examples():
    nlp = spacy.blank("en")
    rows = [
        ("paraphrase", (0.9, 0.1)),
        ("not_paraphrase", (0.7, 0.3)),
        ("paraphrase", (0.5, 0.5)),  # not above one half: no
        ("not_paraphrase", (0.2, 0.8)),
        (None, (0.99, 0.01)),  # without a label: left out
    ]
    scores = make_paraphrase_scorer()(make_examples(nlp, rows), labels=("paraphrase", "not_paraphrase"))
    assert scores["cats_accuracy"] == 0.5
    assert scores["cats_f1"] == 0.5 and scores["cats_mcc"] == 0.0
    assert scores["cats_auc_pr"] == pytest.approx(0.5 + 0.5 * 2 / 3)
    assert scores["cats_score"] == scores["cats_auc_pr"] and scores["cats_score_desc"] == "AUC-PR (paraphrase)"
    assert scores["cats_auc_pr_low"] <= scores["cats_auc_pr"] <= scores["cats_auc_pr_high"]
    assert "cats_macro_f" in scores
    json.dumps(scores)
    ours = [name for name in scores if name.startswith(("cats_accuracy", "cats_auc_pr", "cats_f1", "cats_mcc"))]
    assert len(ours) == 12 and all(type(scores[name]) is float for name in ours)
    for main in ("accuracy", "f1", "mcc"):
        other = make_paraphrase_scorer(main=main)(make_examples(nlp, rows), labels=("paraphrase", "not_paraphrase"))
        assert other["cats_score"] == other[f"cats_{main}"]


def test_scorer_with_three_labels():
    nlp = spacy.blank("en")
    labels = ("entailment", "neutral", "contradiction")
    rows = [("entailment", (0.8, 0.1, 0.1)), ("neutral", (0.1, 0.2, 0.7)), ("contradiction", (0.1, 0.2, 0.7))]
    scorer = make_paraphrase_scorer(positive_label="entailment")
    scores = scorer(make_examples(nlp, rows, labels), labels=labels)
    assert scores["cats_accuracy"] == pytest.approx(2 / 3)
    assert scores["cats_f1"] == 1.0
    with pytest.raises(PawsError, match="P341"):
        make_paraphrase_scorer()(make_examples(nlp, rows, labels), labels=labels)


def test_settings_are_checked():
    with pytest.raises(PawsError, match="main"):
        make_paraphrase_scorer(main="recall")
    with pytest.raises(PawsError, match="samples"):
        make_paraphrase_scorer(samples=-1)


def test_no_examples():
    assert make_paraphrase_scorer()([], labels=("paraphrase", "not_paraphrase"))["cats_score"] is None


def test_plugs_into_textcat_and_survives_the_disk(tmp_path):
    nlp = spacy.blank("en")
    scorer = {"@scorers": "paws.paraphrase_scorer.v1", "main": "mcc"}
    textcat = nlp.add_pipe("textcat", config={"scorer": scorer})
    for label in ("paraphrase", "not_paraphrase"):
        textcat.add_label(label)
    rows = [("paraphrase", (0.9, 0.1)), ("not_paraphrase", (0.1, 0.9))] * 4
    nlp.initialize(lambda: make_examples(nlp, rows))
    before = nlp.evaluate(make_examples(nlp, rows))
    assert before["cats_score"] == before["cats_mcc"]
    nlp.to_disk(tmp_path / "model")
    again = spacy.load(tmp_path / "model")
    after = again.evaluate(make_examples(again, rows))
    speed = before.pop("speed"), after.pop("speed")
    assert all(speed) and before == after


def test_a_large_development_set_is_scored_fast():
    import time

    random = numpy.random.default_rng(0)
    truths = random.random(20_000) < 0.4
    scores = random.random(20_000)
    began = time.process_time()
    measure_answers(truths, scores, scores > 0.5)
    # Half a second of one core; prediction takes longer.
    assert time.process_time() - began < 5
