"""The batch computes what the plain functions compute, to the last digit, whatever else is in the batch."""

import numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.strings import StringStore

from paws_components.metrics.batch import deviations
from paws_components.metrics.ld import ld
from paws_components.metrics.lemmas import LemmaTable
from paws_components.metrics.wpd import wpd

WORDS = st.lists(st.sampled_from("a b c d e f A B . ,".split()), max_size=14)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8)


def in_batch(pairs, variant):
    strings = StringStore()
    sentences = [words for pair in pairs for words in pair]
    hashes = numpy.array([strings.add(word) for words in sentences for word in words], dtype="uint64")
    table = LemmaTable(variant)
    numbers = table.number(hashes, strings)
    lengths = numpy.array([len(words) for words in sentences], dtype="int64")
    wpds, lds = deviations(numbers, lengths, table.words, variant)
    return list(zip(wpds.tolist(), lds.tolist()))


@settings(max_examples=300)
@given(PAIRS, st.sampled_from(["paper", "released"]))
def test_equals_the_plain_functions(pairs, variant):
    expected = [(wpd(one, two, variant), ld(one, two, variant)) for one, two in pairs]
    assert in_batch(pairs, variant) == expected


def test_long_sentences():
    one = [str(i % 700) for i in range(20_000)]
    two = one[::-1]
    for variant in ("paper", "released"):
        assert in_batch([(one, two), (["a", "b"], ["b", "a"])], variant) == [
            (wpd(one, two, variant), 0.0),
            (1.0, 0.0),
        ]


def test_a_table_learns_and_starts_afresh(monkeypatch):
    strings = StringStore(["Dog", "dog", "cat", "."])
    hashes = numpy.array([strings[word] for word in ("Dog", "dog", "cat", ".")], dtype="uint64")
    table = LemmaTable("paper")
    first = table.number(hashes[:2], strings)
    both = table.number(hashes, strings)
    assert first[0] == first[1] == both[0] == both[1]
    assert len(set(both.tolist())) == 3
    assert table.words[both].tolist() == [True, True, True, False]
    monkeypatch.setattr("paws_components.metrics.lemmas.MOST", 2)
    again = table.number(hashes, strings)
    assert len(set(again.tolist())) == 3
    assert table.words[again].tolist() == [True, True, True, False]
