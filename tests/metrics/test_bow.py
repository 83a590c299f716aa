from hypothesis import given
from hypothesis import strategies as st

from paws_components.metrics.bow import bow_cosine

WORDS = st.lists(st.sampled_from(["a", "B", "c", "d", "."]), max_size=12)


def test_a_swap_has_exactly_one():
    words = "Can a bad person become good ?".split()
    swapped = "Can a good person become bad ?".split()
    assert bow_cosine(words, swapped) == 1.0


def test_the_case_does_not_matter():
    assert bow_cosine(["The", "dog"], ["dog", "the"]) == 1.0


def test_counts_are_counted():
    # (2, 1) and (1, 2): 4 / 5.
    assert bow_cosine(["a", "a", "b"], ["a", "b", "b"]) == 0.8


def test_nothing_in_common_and_nothing_at_all():
    assert bow_cosine(["a"], ["b"]) == 0.0
    assert bow_cosine([], ["b"]) == 0.0
    assert bow_cosine([], []) == 0.0


@given(WORDS, WORDS)
def test_symmetric_and_between_zero_and_one(words1, words2):
    value = bow_cosine(words1, words2)
    assert 0.0 <= value <= 1.0
    assert value == bow_cosine(words2, words1)


@given(WORDS.filter(bool), st.randoms())
def test_every_rearrangement_has_exactly_one(words, random):
    other = list(words)
    random.shuffle(other)
    assert bow_cosine(words, other) == 1.0
