import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_components.errors import PawsError
from paws_components.metrics.wpd import position_shift, wpd

WORDS = st.lists(st.sampled_from("a b c d e A B .".split()), max_size=12)


def by_the_equations(words1, words2):
    """Equations 1 to 3, written down as they are printed."""
    words1, words2 = [word.lower() for word in words1], [word.lower() for word in words2]
    if len(words1) < 2 or len(words2) < 2:
        return 0.0

    def rho(words, word):
        return [i / (len(words) - 1) for i, other in enumerate(words) if other == word]

    def delta(ours, theirs, word):
        return sum(min(abs(r - q) for q in rho(theirs, word)) for r in rho(ours, word)) / len(rho(ours, word))

    common = set(words1) & set(words2)
    if not common:
        return 1.0
    return sum(max(delta(words1, words2, w), delta(words2, words1, w)) for w in common) / len(common)


@given(WORDS, WORDS)
def test_equals_the_equations(words1, words2):
    assert wpd(words1, words2) == pytest.approx(by_the_equations(words1, words2), abs=1e-12)


@given(WORDS, WORDS)
def test_symmetric_and_between_zero_and_one(words1, words2):
    for variant in ("paper", "released"):
        assert 0.0 <= wpd(words1, words2, variant) <= 1.0
    assert wpd(words1, words2) == pytest.approx(wpd(words2, words1), abs=1e-12)


def test_the_edges():
    assert wpd(["a", "b"], ["c", "d"]) == 1.0
    assert wpd(["a"], ["a", "b"]) == 0.0
    assert wpd(["a"], ["b", "c"]) == 0.0  # one token, although there is no word in common
    assert wpd([], []) == 0.0
    assert wpd(["a", "b", "c"], ["a", "b", "c"]) == 0.0
    assert wpd(["a", "b"], ["b", "a"]) == 1.0


def test_variants_differ_in_case_and_in_repeated_words():
    assert wpd(["A", "b", "c"], ["b", "c", "a"]) != wpd(["A", "b", "c"], ["b", "c", "a"], "released")
    # a stands at 0, 1/4 and 1/2 | 0 and 1. The released code measures from where a occurs more often (1/4 on average),
    # the paper takes the larger of both ways: from the other sentence it is also 1/4, so the two agree on a …
    assert wpd(list("aaabc"), list("axyza"), "released") == 0.25
    # … and here they do not: a is twice in both, 1/8 away from the first sentence and 3/8 from the second.
    one, two = list("aaxxb"), list("axxxa")
    assert wpd(one, two, "released") == (0 + 1 / 4) / 2 / 2 + _shift_of_x(one, two) / 2
    assert wpd(one, two) == (0 + 3 / 4) / 2 / 2 + _shift_of_x(one, two) / 2


def _shift_of_x(one, two):
    rho = [[i / 4 for i, word in enumerate(words) if word == "x"] for words in (one, two)]
    return max(position_shift(rho[0], rho[1]), position_shift(rho[1], rho[0]))


def test_an_unknown_variant_is_our_error():
    with pytest.raises(PawsError, match="variant.*paper"):
        wpd(["a"], ["a"], "newest")
