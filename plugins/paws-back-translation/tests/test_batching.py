from hypothesis import given
from hypothesis import strategies as st

from paws_back_translation.batching import best, distinct, output_limit


def test_equal_and_empty_texts_are_dropped():
    assert distinct(["b", "", "a", " \t", "b"]) == ["b", "a"]


@given(st.integers(1, 600), st.integers(2, 300))
def test_the_limit_grows_with_the_sentence_up_to_the_most(length, most):
    assert 2 <= output_limit(length, 2.0, most) <= max(2, most)
    assert output_limit(length, 2.0, most) <= output_limit(length + 1, 2.0, most)
    assert output_limit(length, 2.0, 10_000) >= 2 * length


def test_best_keeps_the_first_of_equal_texts():
    found = best([("a", -1.0), ("", -1.5), ("a", -2.0), ("b", -3.0), ("c", -4.0)], 2)
    assert found == [("a", -1.0), ("b", -3.0)]
