import pickle

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from paws_components.errors import PawsError
from paws_components.training.batchers import make_pair_batcher
from paws_components.training.readers import PairCorpus

from .small import make_pairs, write_pairs

VOCAB = Vocab()


def make_examples(lengths):
    docs = [Doc(VOCAB, words=["x"] * length + ["\t", "y"]) for length in lengths]
    return [Example(doc, doc.copy()) for doc in docs]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(1, 30), max_size=60),
    st.one_of(st.integers(1, 9), st.lists(st.integers(1, 9), min_size=1, max_size=5)),
    st.integers(1, 40),
)
def test_every_example_comes_once_in_full_batches(lengths, size, buffer):
    examples = make_examples(lengths)
    batches = list(make_pair_batcher(size, buffer)(iter(examples)))
    assert sorted(map(id, sum(batches, []))) == sorted(map(id, examples))
    assert all(batches)
    if isinstance(size, int):
        assert all(len(batch) == size for batch in batches[:-1]) and len(batches[-1] if batches else []) <= size


def test_batches_are_of_like_length_in_random_order():
    examples = make_examples([(7 * i) % 64 + 1 for i in range(64)])
    batcher = make_pair_batcher(8, 64)
    one, two = list(batcher(examples)), list(batcher(examples))
    for batch in one:
        assert max(map(len, batch)) - min(map(len, batch)) == 7
    firsts = [[len(batch[0]) for batch in batches] for batches in (one, two)]
    assert firsts[0] != sorted(firsts[0]) and firsts[0] != firsts[1]
    again = make_pair_batcher(8, 64)
    assert [list(map(id, batch)) for batch in again(examples)] == [list(map(id, batch)) for batch in one]


def test_a_buffer_is_read_at_a_time():
    read = []
    batches = make_pair_batcher(4, 8)(read.append(e) or e for e in make_examples(range(1, 33)))
    next(batches)
    assert len(read) == 8


def test_sides_are_swapped_anew_in_each_epoch(tmp_path):
    path = write_pairs(tmp_path / "pairs.jsonl", make_pairs())
    examples = list(PairCorpus(path)(spacy.blank("en")))
    before = {example.reference.text for example in examples}
    batcher = make_pair_batcher(8, swap_sides=0.5, seed=1)
    passes = []
    for _ in range(3):
        epoch = [example for batch in batcher(examples) for example in batch]
        for example in epoch:
            assert example.predicted.text == example.reference.text and example.predicted is not example.reference
            assert example.predicted.cats == {} and sum(example.reference.cats.values()) == 1.0
        passes.append({example.reference.text for example in epoch} - before)
    assert passes[0] != passes[1] != passes[2]
    assert all(3 <= len(swapped) <= 21 for swapped in passes)
    again = make_pair_batcher(8, swap_sides=0.5, seed=1)
    assert {e.reference.text for batch in again(examples) for e in batch} - before == passes[0]
    assert {example.reference.text for example in examples} == before  # the Examples that spaCy holds stay as they are


def test_inference_goes_one_way():
    (example,) = make_examples([3])
    example.reference.cats = {"entailment": 1.0, "neutral": 0.0, "contradiction": 0.0}
    with pytest.raises(PawsError, match="P306"):
        list(make_pair_batcher(8, swap_sides=1.0)([example]))


def test_pickles():
    batcher = make_pair_batcher(2)
    examples = make_examples([1, 2, 3, 4, 5])
    list(batcher(examples))
    again = pickle.loads(pickle.dumps(batcher))
    assert [list(map(len, batch)) for batch in again(examples)] == [list(map(len, b)) for b in batcher(examples)]


@pytest.mark.parametrize("wrong", [{"size": 0}, {"buffer": 0}, {"swap_sides": -0.1}])
def test_mistakes_are_our_errors(wrong):
    with pytest.raises(PawsError, match="P015"):
        make_pair_batcher(**wrong)
