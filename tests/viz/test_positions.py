import csv
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_components.metrics.wpd import wpd
from paws_components.records import PairRecord
from paws_components.viz.inputs import to_pairs
from paws_components.viz.positions import find_shifts, render_positions

WORDS = st.lists(st.sampled_from("abcdefg"), min_size=2, max_size=12)


@given(WORDS, WORDS)
def test_the_mean_of_the_shifts_is_the_metric(first, second):
    shifts = find_shifts(first, second)
    mean = sum(shift.shift for shift in shifts) / len(shifts) if shifts else 1.0
    assert mean == pytest.approx(wpd(first, second))


@given(WORDS, WORDS)
def test_each_moves_to_the_nearest_of_all_and_the_first_of_two(first, second):
    for shift in find_shifts(first, second):
        others = shift.first if shift.backwards else shift.second
        assert shift.moves == [(one, min(others, key=lambda two: abs(one - two))) for one, _ in shift.moves]


def test_a_word_that_occurs_more_than_once():
    """As in Figure 2 of the paper: from each occurrence to the nearest, on average, the larger of both directions."""
    first, second = "his a b c d".split(), "his x his y z".split()
    (shift,) = find_shifts(first, second)
    assert shift.first == [0.0] and shift.second == [0.0, 0.5]
    assert shift.backwards and shift.moves == [(0.0, 0.0), (0.5, 0.0)]
    assert shift.shift == 0.25


def draw(first, second, sort="position", **kwargs):
    return ElementTree.fromstring(render_positions(to_pairs(PairRecord(first, second), **kwargs)[0], sort))


def rows(root):
    """The labels of the wide drawing: what is set against its right edge is a word or a shift."""
    ends = [text.text for text in next(root.iter("svg")).iter("text") if text.get("text-anchor") == "end"]
    return ends[1:]  # the first is the heading


def test_each_common_word_has_a_line_with_its_shift():
    assert rows(draw("a b c", "b a d")) == ["a", "0.500", "b", "0.500"]


def test_sorting_by_shift():
    assert rows(draw("a b c d e", "a e c d b", sort="shift"))[::2] == ["b", "e", "a", "c", "d"]


def test_common_words_are_underlined_in_the_text():
    root = draw("Ann saw Bob.", "Bob saw me")
    assert [[u.text for u in p.iter("u")] for p in root.iter("p")] == [["saw", "Bob"], ["Bob", "saw"]]
    assert ["".join(p.itertext()) for p in root.iter("p")] == ["Ann saw Bob.", "Bob saw me"]


@pytest.mark.parametrize(
    "first, second, said",
    [
        ("one two", "three four", "WPD 1.000: no word in common"),
        ("no", "I say no", "WPD 0.000: a sentence of fewer than two tokens has no order"),
        ("", "", "WPD 0.000: a sentence of fewer than two tokens has no order"),
    ],
)
def test_nothing_to_draw(first, second, said):
    root = draw(first, second)
    assert not list(root.iter("svg"))
    assert "".join(root.find("figcaption").itertext()) == said


def test_a_pipeline_with_lemmas_finds_inflected_words(en_nlp):
    bare = draw("He meets Ann.", "Ann met him.")
    full = draw("He meets Ann.", "Ann met him.", nlp=en_nlp)
    assert "meet" not in rows(bare) and "meet" in rows(full)


def test_the_printed_examples_of_the_paper(en_nlp, data_dir):
    with (data_dir / "wpd_ld_examples" / "printed.tsv").open(encoding="utf8") as lines:
        printed = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert printed
    close = 0
    for row in printed:
        pair = to_pairs(PairRecord(row["sentence1"], row["sentence2"]), en_nlp)[0]
        shifts = find_shifts(pair.first.lemmas, pair.second.lemmas)
        mean = sum(shift.shift for shift in shifts) / len(shifts)
        assert mean == pytest.approx(wpd(pair.first.lemmas, pair.second.lemmas))
        close += abs(mean - float(row["wpd"])) < 0.02 if row["wpd"] else 0
    assert close >= len([row for row in printed if row["wpd"]]) * 0.7
