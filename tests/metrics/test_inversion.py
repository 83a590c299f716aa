import gc
import random
import time
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from paws_components.metrics.inversion import BLOCK, alignments, count_crossings, inversion_rate

WORDS = st.lists(st.sampled_from("a b c d e f g A B".split()), max_size=40)


def brute_force(words1, words2):
    """The definition, word by word and pair by pair."""
    used = set()
    aligned = []
    for i, word in enumerate(words1):
        for j, other in enumerate(words2):
            if j not in used and word.lower() == other.lower():
                used.add(j)
                aligned.append((i, j))
                break
    pairs = list(combinations(aligned, 2))
    crossed = sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in pairs)
    return aligned, crossed / len(pairs) if pairs else 0.0


@given(WORDS, WORDS)
def test_equals_the_brute_force_count(words1, words2):
    aligned, rate = brute_force(words1, words2)
    assert alignments(words1, words2) == aligned
    assert inversion_rate(words1, words2) == rate


@settings(max_examples=30)
@given(st.integers(0, 6 * BLOCK), st.randoms(use_true_random=False))
def test_merging_counts_like_comparing_all(length, rng):
    # Long enough for several rounds of merging, with numbers that occur twice.
    order = [rng.randrange(max(length, 1)) for _ in range(length)]
    assert count_crossings(order) == sum(a > b for a, b in combinations(order, 2))


def test_the_third_dog_has_no_partner():
    aligned = alignments("dog saw dog and dog".split(), "Dog and dog".split())
    assert aligned == [(0, 0), (2, 2), (3, 1)]


def test_six_alignments_make_fifteen_pairs():
    # As in Figure 3 of the paper: nine of the fifteen cross.
    assert inversion_rate(list("abcdef"), list("defabc")) == 9 / 15


def test_ends_of_the_scale():
    words = "one two three four".split()
    assert inversion_rate(words, words) == 0.0
    assert inversion_rate(words, words[::-1]) == 1.0


def test_fewer_than_two_alignments():
    assert inversion_rate([], []) == 0.0
    assert inversion_rate(["a", "b"], ["a", "c"]) == 0.0


def test_grows_hardly_faster_than_the_text():
    """Linear-logarithmic: ten times the text takes some 13 times as long; a quadratic count would take 100 times."""

    def seconds(length):
        rng = random.Random(length)
        words = [str(rng.randrange(length // 2)) for _ in range(length)]
        other = rng.sample(words, length)
        best = float("inf")
        for _ in range(5):
            gc.disable()  # what other tests left behind is not to be measured
            began = time.perf_counter()
            rate = inversion_rate(words, other)
            best = min(best, time.perf_counter() - began)
            gc.enable()
        assert 0.3 < rate < 0.5  # at random it would be a half, but repeated words are aligned in order
        return best

    assert seconds(100_000) / seconds(10_000) < 30
