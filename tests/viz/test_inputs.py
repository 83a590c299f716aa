import pytest
import spacy
from spacy.tokens import DocBin

from paws_components.errors import PawsError
from paws_components.pairs import make_pair
from paws_components.records import PairRecord
from paws_components.viz.inputs import Moved, to_pairs


@pytest.fixture(scope="module")
def swapped(en_nlp):
    from paws_components.models import load_pipeline

    nlp = load_pipeline()
    nlp.add_pipe("paws_swapper", config={"n_best": 2, "fix_articles": True, "precise": False})
    return nlp


def test_a_pair_doc_gives_its_two_sentences(en_nlp):
    doc = make_pair(en_nlp, "Ann met Bob.", "Bob met Ann, too.")
    (pair,) = to_pairs(doc)
    assert pair.first.text == "Ann met Bob." and pair.second.words == ["Bob", "met", "Ann", ",", "too", "."]
    assert pair.second.lemmas[1] == "meet" and pair.second.keys[0] == "bob"
    assert [
        pair.second.text[s : s + len(w)] for w, s in zip(pair.second.words, pair.second.starts)
    ] == pair.second.words
    assert pair.moved is None


def test_a_doc_of_the_tab_alone_is_a_pair():
    (pair,) = to_pairs(spacy.blank("en")("a b\tb a"))
    assert (pair.first.words, pair.second.words) == (["a", "b"], ["b", "a"])


def test_a_doc_with_swaps_gives_a_pair_for_each(swapped):
    doc = swapped("In 1994 Ann met a friend of Bob in Paris and flew to Rome.")
    pairs = to_pairs(doc)
    assert len(pairs) == len(doc._.paws_swaps) == 2
    for pair, swap in zip(pairs, doc._.paws_swaps):
        assert pair.second.text == swap["text"]
        for move in pair.moved:
            there = pair.second.text[slice(*move.target)]
            assert pair.first.text[slice(*move.source)].lower() == there.lower()


def test_a_pair_doc_is_a_pair_even_where_the_pipeline_swaps(swapped):
    doc = make_pair(swapped, "Ann met Bob.", "Bob met Ann.")
    assert doc._.paws_swaps is not None
    (pair,) = to_pairs(doc)
    assert (pair.first.text, pair.second.text) == ("Ann met Bob.", "Bob met Ann.")


def test_swaps_survive_storage(swapped):
    docs = DocBin(docs=[swapped("Can a bad person become good?")], store_user_data=True).to_bytes()
    (doc,) = DocBin().from_bytes(docs).get_docs(swapped.vocab)
    (pair, *_) = to_pairs(doc)
    assert [doc.text[slice(*move.source)] for move in pair.moved] == ["bad", "good"]


def test_a_record_keeps_what_its_generator_says(swapped):
    doc = swapped("Can a bad person become good?")
    swap = doc._.paws_swaps[0]
    record = PairRecord(doc.text, swap["text"], label=0, evidence={"moved": swap["moved"], "gap": swap["gap"]})
    (pair,) = to_pairs(record)
    assert [record.sentence1[slice(*move.source)] for move in pair.moved] == ["bad", "good"]
    assert [move.number for move in pair.moved] == [1, 2]
    assert "labelled not a paraphrase" in pair.notes and any("nats" in note for note in pair.notes)


def test_spans_outside_the_texts_are_left_out():
    moved = [{"source": [0, 1], "target": [4, 5]}, {"source": [4, 99], "target": [0, 1]}]
    (pair,) = to_pairs(PairRecord("a is b", "b is a", evidence={"moved": moved}))
    assert pair.moved == [Moved((0, 1), (4, 5), 1)]


def test_white_space_is_no_word():
    (pair,) = to_pairs(PairRecord("a  b\n c", "c"))
    assert pair.first.words == ["a", "b", "c"]


def test_what_cannot_be_drawn_is_named():
    with pytest.raises(PawsError, match=r"P162.*int"):
        to_pairs(3)
    with pytest.raises(PawsError, match="P163"):
        to_pairs(spacy.blank("en")("Just a text."))
    with pytest.raises(PawsError, match="P046.*no such language"):
        to_pairs(PairRecord("a", "b"), lang="no such language")
