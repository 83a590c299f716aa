import pickle
import random

import pytest
import spacy
from spacy.tokens import DocBin

from paws_components.errors import PawsError
from paws_components.pairs import pair_spans
from paws_components.records import PairRecord
from paws_components.training.augmenters import SwapAugmenter, _finder, make_swap_augmenter
from paws_components.training.readers import PairCorpus

from .small import make_pairs, write_pairs

NEGATIVE = {"not_paraphrase": 1.0, "paraphrase": 0.0}


@pytest.fixture
def nlp():
    return spacy.blank("en")


@pytest.fixture
def pairs(tmp_path):
    records = [
        PairRecord("Can a bad person become good?", "Is it possible that a bad person turns good?", label=1),
        PairRecord("Flights from Oslo to Bonn are late.", "Oslo to Bonn flights run late.", label=1),
        PairRecord("Rain", "Wet", label=0),
    ]
    return write_pairs(tmp_path / "pairs.jsonl", records)


def read(nlp, path, augmenter):
    """The pairs that come out, those of the corpus and those that were added apart."""
    examples = list(PairCorpus(path, augmenter=augmenter)(nlp))
    known = {example.reference.text for example in PairCorpus(path)(nlp)}
    added = [example for example in examples if example.reference.text not in known]
    assert len(examples) - len(added) == len(known)
    return added


def test_swaps_are_added_as_negatives(nlp, pairs):
    added = read(nlp, pairs, make_swap_augmenter(1.0))
    assert 1 <= len(added) <= 2  # "Rain" has no swap
    for example in added:
        first, second = (span.text for span in pair_spans(example.reference))
        assert example.reference.cats == NEGATIVE and example.predicted.cats == {}
        assert first != second
        letters = [sorted(text.lower().replace("?", "").replace(".", "").split()) for text in (first, second)]
        assert letters[0] == letters[1]


def test_the_level_is_a_share(nlp, tmp_path):
    path = write_pairs(tmp_path / "pairs.jsonl", make_pairs(40))
    swaps = write_pairs(
        tmp_path / "swaps.jsonl", [PairRecord(r.sentence1, f"Swap {r.sentence1}") for r in make_pairs(40)]
    )
    assert read(nlp, path, make_swap_augmenter(0.0, path=swaps)) == []
    assert len(read(nlp, path, make_swap_augmenter(1.0, path=swaps))) == 40
    assert 5 <= len(read(nlp, path, make_swap_augmenter(0.4, path=swaps))) <= 28


def test_the_same_seed_chooses_the_same(nlp, pairs):
    def once(seed):
        return [example.reference.text for _ in range(6) for example in read(nlp, pairs, SwapAugmenter(0.5, seed=seed))]

    assert once(1) == once(1)
    augmenter = SwapAugmenter(0.5, seed=1)
    corpus = PairCorpus(pairs, augmenter=augmenter)
    passes = [[example.reference.text for example in corpus(nlp)] for _ in range(8)]
    assert len({tuple(found) for found in passes}) > 1  # others in each pass
    again = PairCorpus(pairs, augmenter=SwapAugmenter(0.5, seed=1))
    assert [[example.reference.text for example in again(nlp)] for _ in range(8)] == passes


def test_chance_elsewhere_is_left_alone(nlp, pairs):
    import numpy

    _finder.cache_clear()
    states = random.getstate(), numpy.random.get_state()[1].tolist()
    read(nlp, pairs, make_swap_augmenter(1.0))
    assert (random.getstate(), numpy.random.get_state()[1].tolist()) == states


def test_swaps_are_looked_for_once(nlp, pairs, monkeypatch):
    _finder.cache_clear()
    read(nlp, pairs, SwapAugmenter(1.0))
    finder = _finder(None, "en", "{}")
    looked = dict(finder.known)
    assert looked and _finder.cache_info().currsize == 1
    words = len(finder.nlp.vocab)
    monkeypatch.setattr(finder, "generator", None)  # what is known is not asked for again
    assert {sentence: finder(sentence) for sentence in looked} == looked
    assert len(finder.nlp.vocab) == words


def test_the_settings_of_the_swapper(nlp, pairs):
    assert read(nlp, pairs, make_swap_augmenter(1.0, settings={"precise": False, "threshold": -50.0})) == []
    with pytest.raises(PawsError, match="P203"):
        read(nlp, pairs, make_swap_augmenter(1.0, settings={"treshold": 1.0}))


def test_swaps_from_a_file(nlp, pairs, tmp_path):
    records = [
        PairRecord("Flights from Oslo to Bonn are late.", "Late from Oslo to Bonn are flights.", label=1),
        PairRecord("Flights from Oslo to Bonn are late.", "Flights from Bonn to Oslo are late.", label=0),
        PairRecord("Flights from Oslo to Bonn are late.", "Bonn from flights to Oslo are late."),
    ]
    swaps = write_pairs(tmp_path / "swaps.jsonl", records)
    (added,) = read(nlp, pairs, make_swap_augmenter(1.0, path=swaps))
    assert added.reference.text == "Flights from Oslo to Bonn are late.\tFlights from Bonn to Oslo are late."
    none = write_pairs(tmp_path / "none.jsonl", [PairRecord("a", "b", label=1)])
    with pytest.raises(PawsError, match="P310"):
        read(nlp, pairs, make_swap_augmenter(1.0, path=none))
    with pytest.raises(PawsError, match="P020"):
        read(nlp, pairs, make_swap_augmenter(1.0, path=str(tmp_path / "no.jsonl")))


def test_a_pair_that_is_a_swap_already_gets_no_second_label(nlp, tmp_path):
    pair = PairRecord("Can a bad person become good?", "Can a good person become bad?", label=1)
    path = write_pairs(tmp_path / "pair.jsonl", [pair])
    both = [PairRecord(pair.sentence1, pair.sentence2), PairRecord(pair.sentence2, pair.sentence1)]
    swaps = write_pairs(tmp_path / "swaps.jsonl", both)
    assert read(nlp, path, make_swap_augmenter(1.0, path=swaps)) == []


def test_pickles_and_goes_with_the_reader_of_spacy(nlp, pairs, tmp_path):
    from spacy.training import Corpus

    augmenter = pickle.loads(pickle.dumps(make_swap_augmenter(1.0)))
    docs = [example.reference for example in PairCorpus(pairs)(nlp)]
    DocBin(docs=docs).to_disk(tmp_path / "pairs.spacy")
    examples = list(Corpus(tmp_path / "pairs.spacy", augmenter=augmenter)(nlp))
    assert len(examples) > len(docs)
    assert {tuple(sorted(example.reference.cats)) for example in examples} == {("not_paraphrase", "paraphrase")}


def test_mistakes_are_our_errors(nlp, tmp_path):
    path = tmp_path / "nli.tsv"
    path.write_text("premise\thypothesis\tlabel\na b\tb a\tneutral\n", encoding="utf8")
    with pytest.raises(PawsError, match="P309.*entailment, neutral"):
        read(nlp, path, make_swap_augmenter(1.0))
    with pytest.raises(PawsError, match="P211.*path.*model"):
        make_swap_augmenter(1.0, path="swaps.jsonl", model="en_core_web_sm")
    with pytest.raises(PawsError, match="P015"):
        make_swap_augmenter(1.5)
    binary = write_pairs(tmp_path / "pairs.jsonl", make_pairs())
    with pytest.raises(PawsError, match="P013"):
        read(nlp, binary, make_swap_augmenter(1.0, model="no_such_model"))
