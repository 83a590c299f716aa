"""Sampling examples, and which of their positions may be replaced."""

import pytest
import spacy
from tiny_models import PAIRS

from paws_components.errors import PawsError
from paws_components.records import PairRecord
from paws_shared_words.examples import prepare_examples, sample_examples
from paws_shared_words.positions import DEFAULT_STOP_WORDS

RECORDS = [PairRecord(one, two, label=label) for one, two, label in PAIRS]


def words_of(example):
    return [(example.first.words[i], example.second.words[j]) for i, j in example.positions]


def prepare(tagger, first, second, label, stop_words=DEFAULT_STOP_WORDS):
    [example] = prepare_examples([PairRecord(first, second, label=label)], tagger, stop_words)
    return example


def test_samples():
    sampled = sample_examples(RECORDS, 4, 20, seed=1)
    positives, negatives = sampled[:4], sampled[4:]
    assert all(record in RECORDS and record.label == 1 for record in positives)
    assert len({record.id for record in sampled}) == 24
    by_first = {record.sentence1: record for record in RECORDS}
    by_second = {record.sentence2: record for record in RECORDS}
    for record in negatives:
        one, two = by_first[record.sentence1], by_second[record.sentence2]
        assert one is not two and record.label == 0 and record.label_source == "rule"
        assert record.evidence["pair_ids"] == [one.id, two.id]
    assert sample_examples(RECORDS, 4, 20, seed=1) == sampled
    assert sample_examples(RECORDS, 4, 20, seed=2) != sampled
    # Neither kind depends on how many there are of the other.
    assert sample_examples(RECORDS, 4, 0, seed=1) == positives
    assert sample_examples(RECORDS, 0, 20, seed=1) == negatives


def test_a_negative_is_no_pair_of_the_corpus():
    texts = ["one dog", "two cats", "three birds"]
    # Every sentence is paired with every other; as a negative only a sentence with itself would be left.
    records = [PairRecord(one, two, label=1) for one in texts for two in texts if one != two]
    with pytest.raises(PawsError, match="S001.*0 negatives.*1 were asked for"):
        sample_examples(records, 0, 1, seed=0)
    records.append(PairRecord("four fish", "Five FISH", label=0))
    made = sample_examples(records, 0, 6, seed=0)
    assert all({"four fish", "Five FISH"} & {record.sentence1, record.sentence2} for record in made)
    assert len({record.id for record in made}) == 6


@pytest.mark.parametrize("positives,negatives", [(7, 0), (0, 101)])
def test_too_few_pairs(positives, negatives):
    with pytest.raises(PawsError, match="S001"):
        sample_examples(RECORDS, positives, negatives, seed=0)
    with pytest.raises(PawsError, match="S001"):
        sample_examples(RECORDS[:1], 0, 1, seed=0)


def test_figure_2(tagger):
    positive = prepare(tagger, "What is ultimate purpose of life?", "What is the purpose of life, if not money?", 1)
    assert words_of(positive) == [("purpose", "purpose"), ("life", "life")]
    first, second = "How can I get my Gmail account back ?", "What is the best school management software ?"
    negative = prepare(tagger, first, second, 0)
    nouns = [(one, two) for one in ("Gmail", "account") for two in ("school", "management", "software")]
    assert set(nouns) <= set(words_of(negative))
    # "Get" and "back" are stop words, and "best" has no adjective to go with.
    assert {one for one, _ in words_of(negative)} == {"Gmail", "account"}
    assert negative.first.text == first


def test_classes_do_not_mix(tagger):
    example = prepare(tagger, "The old man quickly sold a house.", "A red car hit the wall in 1999.", 0)
    assert words_of(example) == [
        ("old", "red"),
        ("man", "car"),
        ("man", "wall"),
        ("sold", "hit"),
        ("house", "car"),
        ("house", "wall"),
    ]


def test_shared_words(tagger):
    # Capitals aside; no stop words, numbers or punctuation marks; every occurrence with every other.
    example = prepare(tagger, "Dogs of 1999, the dogs bark.", "The dogs bark in 1999, dogs.", 1)
    words = [(one.lower(), two.lower()) for one, two in words_of(example)]
    assert words == [("dogs", "dogs")] * 4 + [("bark", "bark")]


def test_the_stop_list_is_a_setting(tagger):
    sentences = "What is the purpose of life?", "The purpose of life is what?"
    assert words_of(prepare(tagger, *sentences, 1, {"purpose"}))[0] == ("What", "what")
    assert ("purpose", "purpose") not in words_of(prepare(tagger, *sentences, 1, {"purpose"}))
    assert ("purpose", "purpose") in words_of(prepare(tagger, *sentences, 1, set()))


def test_short_and_odd_sentences(tagger):
    assert prepare(tagger, "", "", 0).positions == ()
    assert prepare(tagger, "Dogs", "", 1).positions == ()
    assert prepare(tagger, "?!", "?!", 1).positions == ()
    # White space is made plain, as everywhere.
    assert prepare(tagger, " red\t dogs ", "dogs", 1).first.words == ("red", "dogs")


def test_negatives_need_tags():
    with pytest.raises(PawsError, match="P001.*tag_"):
        prepare(spacy.blank("en"), "Dogs bark.", "Cats meow.", 0)
    # Positives need words alone.
    assert words_of(prepare(spacy.blank("en"), "Dogs bark.", "Do dogs bark?", 1)) == [
        ("Dogs", "dogs"),
        ("bark", "bark"),
    ]


def test_examples_need_a_label(tagger):
    with pytest.raises(PawsError, match="S002"):
        prepare(tagger, "Dogs bark.", "Cats meow.", None)
