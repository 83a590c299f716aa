import pytest

from paws_components.errors import PawsError
from paws_components.metrics.ld import is_word, ld


def test_example_of_the_paper():
    # Section 4.2: seven words in common of ten.
    one = "yesterday , Bob meet Tom at the store .".split()
    two = "Tom meet Bob yesterday while they be at the store .".split()
    assert ld(one, two) == pytest.approx(0.3)


def test_the_case_matters_to_the_released_code_only():
    assert ld(["The", "dog"], ["the", "dog"]) == 0.0
    assert ld(["The", "dog"], ["the", "dog"], "released") == pytest.approx(2 / 3)


def test_punctuation_is_left_out():
    assert ld(["dog", "!", "--"], ["dog", "?", "$"]) == 0.0
    assert is_word("o'clock") and is_word("$5") and not is_word("...") and not is_word("")


def test_the_edges():
    assert ld(["a"], ["b"]) == 1.0
    assert ld([], []) == 1.0
    assert ld(["."], ["."]) == 1.0
    assert ld(["a", "a", "b"], ["b", "a"]) == 0.0


def test_an_unknown_variant_is_our_error():
    with pytest.raises(PawsError, match="variant"):
        ld(["a"], ["a"], "newest")
