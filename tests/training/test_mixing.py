from collections import Counter

import pytest
import spacy
from spacy.tokens import Doc

from paws_components.errors import PawsError
from paws_components.pairs import make_pair, pair_spans
from paws_components.records import PairRecord
from paws_components.training.mixing import swap_doc
from paws_components.training.readers import PairCorpus

from .small import make_pairs, write_pairs


@pytest.fixture
def two(tmp_path):
    """A corpus of twenty pairs and one of ten."""
    one = write_pairs(tmp_path / "one.jsonl", [PairRecord(f"a {i}", f"b {i}", label=i % 2) for i in range(20)])
    other = write_pairs(tmp_path / "other.jsonl", [PairRecord(f"c {i}", f"d {i}", label=0) for i in range(10)])
    return [one, other]


def counts(corpus, epoch=1):
    return Counter(pair.sentence1 for pair in corpus.read(epoch))


def test_several_corpora_come_one_after_the_other_or_shuffled(two):
    plain = [pair.sentence1 for pair in PairCorpus(two).read(1)]
    assert plain == [f"a {i}" for i in range(20)] + [f"c {i}" for i in range(10)]
    mixed = [pair.sentence1 for pair in PairCorpus(two, shuffle=True).read(1)]
    assert sorted(mixed) == sorted(plain)
    assert any(text.startswith("c") for text in mixed[:15])


def test_weights_say_how_often_pairs_come(two):
    found = counts(PairCorpus(two, weights=[1.0, 3.0]))
    assert {found[f"a {i}"] for i in range(20)} == {1} and {found[f"c {i}"] for i in range(10)} == {3}
    found = counts(PairCorpus(two, weights=[0.0, 1.0]))
    assert sum(found.values()) == 10


def test_fractions_are_drawn_anew_in_each_pass(two):
    corpus = PairCorpus(two, weights=[0.5, 1.5])
    passes = [counts(corpus, epoch) for epoch in range(1, 41)]
    assert passes[0] == counts(PairCorpus(two, weights=[0.5, 1.5]), 1) != passes[1]
    total = sum(passes, Counter())
    # 40 draws of probability 1/2: further than 4.5 standard deviations off would be no chance.
    for i in range(20):
        assert abs(total[f"a {i}"] - 20) < 15
    for i in range(10):
        assert abs(total[f"c {i}"] - 60) < 15 and {found[f"c {i}"] for found in passes} == {1, 2}


def test_class_weights_are_multiplied(two):
    found = counts(PairCorpus(two, weights=[1.0, 2.0], class_weights={"not_paraphrase": 2.0}))
    assert {found[f"a {i}"] for i in range(0, 20, 2)} == {2} and {found[f"a {i}"] for i in range(1, 20, 2)} == {1}
    assert {found[f"c {i}"] for i in range(10)} == {4}
    balanced = Counter(pair.label for pair in PairCorpus(two, class_weights={"paraphrase": 2.0}).read(1))
    assert balanced == {"paraphrase": 20, "not_paraphrase": 20}


def test_a_limit_for_each_corpus(two):
    found = counts(PairCorpus(two, limit=[0, 3], shuffle=True))
    assert sum(found.values()) == 23
    assert counts(PairCorpus(two, limit=[0, 3], shuffle=True), 2) == found  # the same three in each pass
    assert sum(counts(PairCorpus(two, limit=3)).values()) == 6


def test_sides_are_swapped_anew_in_each_pass(two):
    corpus = PairCorpus(two, swap_sides=0.5)
    swapped = [{pair.number for pair in corpus.read(epoch) if pair.sentence1[0] in "bd"} for epoch in (1, 2, 3)]
    assert swapped[0] != swapped[1] != swapped[2]
    again = PairCorpus(two, swap_sides=0.5)
    assert {pair.number for pair in again.read(1) if pair.sentence1[0] in "bd"} == swapped[0]
    nlp = spacy.blank("en")
    passes = [[example.reference.text for example in corpus(nlp)] for _ in range(2)]
    assert passes[0] != passes[1]


def test_inference_goes_one_way(tmp_path):
    path = tmp_path / "nli.tsv"
    path.write_text("premise\thypothesis\tlabel\na\tb\tneutral\n", encoding="utf8")
    with pytest.raises(PawsError, match="P306.*neutral"):
        list(PairCorpus(path, swap_sides=1.0).read(1))


def test_paraphrases_and_inference_do_not_mix(two, tmp_path):
    path = tmp_path / "nli.tsv"
    path.write_text("premise\thypothesis\tlabel\na\tb\tneutral\n", encoding="utf8")
    with pytest.raises(PawsError, match="P307.*neutral.*not_paraphrase, paraphrase"):
        list(PairCorpus([*two, path]).read(1))


@pytest.mark.parametrize("sentences", [("A b c.", "C, b a!"), ("", "Only one."), ("Only one.", ""), ("", "")])
def test_a_doc_with_its_sides_swapped(sentences):
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_pair")
    doc = make_pair(nlp, *sentences)
    doc.cats = {"paraphrase": 1.0}
    swapped = swap_doc(doc)
    expected = make_pair(nlp, *reversed(sentences))
    assert swapped.text == expected.text and [t.text for t in swapped] == [t.text for t in expected]
    assert [span.text for span in pair_spans(swapped)] == list(reversed(sentences))
    assert swapped.cats == doc.cats and swapped is not doc
    assert swap_doc(swapped).text == doc.text


def test_a_swapped_doc_keeps_the_annotations_of_its_tokens(en_nlp):
    doc = en_nlp("John saw Mary in Oslo.\tIn Oslo Mary was seen.")
    swapped = swap_doc(doc)
    assert swapped.text == "In Oslo Mary was seen.\tJohn saw Mary in Oslo."
    assert sorted((t.text, t.tag_, t.lemma_) for t in swapped) == sorted((t.text, t.tag_, t.lemma_) for t in doc)
    assert sorted(ent.text for ent in swapped.ents) == sorted(ent.text for ent in doc.ents)


def test_a_swapped_doc_has_the_tokens_of_its_pair():
    nlp = spacy.blank("en")
    for record in make_pairs():
        doc = nlp.make_doc(f"{record.sentence1}\t{record.sentence2}")
        assert isinstance(swap_doc(doc), Doc)
        expected = nlp.make_doc(f"{record.sentence2}\t{record.sentence1}")
        assert [(t.text, t.norm_) for t in swap_doc(doc)] == [(t.text, t.norm_) for t in expected]
