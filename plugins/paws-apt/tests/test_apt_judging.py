import pickle

import pytest
from containment import implication

from paws_apt.judging import Judge, find_threshold, make_judge, settings_of
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


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A BLEURT with random weights, whose answers depend on the order."""
    torch = pytest.importorskip("torch")
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bleurt")
    words = sorted({word for pair in PAIRS for text in pair for word in text.split()})
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]))
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=len(tokenizer), num_labels=1, initializer_range=0.5, **sizes)
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


def test_bleurt_is_asked_in_both_orders_unless_told_otherwise(shared_words, checkpoint):
    swapped = [(two, one) for one, two in PAIRS]
    one_order = {"model": checkpoint, "symmetric": False}
    there, back = (TextMetric("bleurt", one_order)(pairs) for pairs in (PAIRS, swapped))
    assert there != pytest.approx(back, abs=1e-3)
    mean = [(one + two) / 2 for one, two in zip(there, back)]
    both = make_judge("bleurt", {"model": checkpoint})
    assert [found.similarity for found in both(PAIRS)] == pytest.approx(mean, abs=1e-5)
    assert [found.similarity for found in both(swapped)] == pytest.approx(mean, abs=1e-5)
    assert [found.similarity for found in make_judge("bleurt", one_order)(PAIRS)] == pytest.approx(there, abs=1e-5)
    # The metric that has no orders gets no such setting.
    assert settings_of("bow_cosine", {}) == {} and settings_of("bleurt", {}) == {"symmetric": True}


def test_the_generator_records_in_which_orders_it_asked(checkpoint, tiny):
    import spacy

    from paws_apt.apt_t5 import AptT5

    for given, expected in (({}, True), ({"symmetric": False}, False)):
        generator = AptT5(spacy.blank("en"), model=tiny, similarity_settings={"model": checkpoint, **given})
        told = generator.evidence["similarity_metric"]
        assert told == {"name": "bleurt", "model": checkpoint, "symmetric": expected, "threshold": 0.5}


def test_recorded_scores_of_both_orders_and_of_one(data_dir):
    """A score of one order is a number in single precision; the mean of two often is not."""
    import numpy

    from paws_components.readers import open_pairs

    def beyond_single(*names):
        rows = [row for name in names for row in open_pairs(data_dir / "apt" / name)]
        scores = numpy.array([float(row.columns["BLEURT"]) for row in rows])
        return len(scores), int((scores.astype("f").astype("d") != scores).sum())

    assert beyond_single("final_checks.tsv") == (5007, 2609)
    assert beyond_single("msrp1-mi0.tsv", "msrp1-nmi0.tsv") == (19535, 0)
