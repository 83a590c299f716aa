import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from paws_components.viz.inputs import read_side
from paws_components.viz.moved import find_moved

BLANK = spacy.blank("en")


def moved(first, second):
    one, two = read_side(BLANK(first)), read_side(BLANK(second))
    spans = [(*move.source, *move.target, move.number) for move in find_moved(one, two)]
    return [(one.text[a:b], two.text[c:d], number) for a, b, c, d, number in spans]


@pytest.mark.parametrize(
    "first, second, expected",
    [
        # Two words that changed places, what is between them having stayed.
        ("Can a bad person become good?", "Can a good person become bad?", [("bad", "bad", 1), ("good", "good", 2)]),
        # Also where they are longer than what is between them, and of different lengths.
        (
            "Ann Lee saw New York City today",
            "New York City saw Ann Lee today",
            [("Ann Lee", "Ann Lee", 1), ("New York City", "New York City", 2)],
        ),
        # One that went elsewhere: the rest has not moved.
        (
            "It was made in 1983 by Ann and Bob",
            "It was made by Ann and Bob in 1983",
            [("in 1983", "in 1983", 1)],
        ),
        # A word of one sentence alone divides a span, which keeps its number.
        (
            "go on big dog saw it at home",
            "saw it at home go on dog",
            [("go on", "go on", 1), ("dog", "dog", 1)],
        ),
        ("the same words", "The same words", []),
        ("one two", "three four", []),
        ("", "", []),
    ],
)
def test_find_moved(first, second, expected):
    assert moved(first, second) == expected


@given(st.permutations(["a1", "b2", "c3", "d4", "e5", "f6", "g7"]))
def test_what_has_not_moved_is_in_order(words):
    """Taking the moved spans out of both sentences leaves the same sentence, in one of the two senses of moving."""
    first = " ".join(sorted(words))
    spans = moved(first, " ".join(words))
    taken = {word for text, other, _ in spans for word in text.split()}
    assert all(text == other for text, other, _ in spans)
    assert [word for word in words if word not in taken] == [word for word in sorted(words) if word not in taken]
    assert bool(spans) == (words != sorted(words))
