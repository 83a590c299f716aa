import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paws_components.metrics.inversion import inversion_rate
from paws_components.records import PairRecord
from paws_components.viz.alignment import find_links, render_alignment
from paws_components.viz.inputs import to_pairs

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@given(WORDS, WORDS)
def test_a_link_is_crossed_if_any_other_crosses_it(first, second):
    links = find_links(first, second)
    crossed = set()
    for one, two in combinations(range(len(links)), 2):
        if links[two].second < links[one].second:
            crossed |= {one, two}
    assert [i for i, link in enumerate(links) if link.crossed] == sorted(crossed)


def draw(first, second, max_marks=150):
    markup = render_alignment(to_pairs(PairRecord(first, second))[0], max_marks)
    return markup, ElementTree.fromstring(markup)


@settings(deadline=None)  # the first one loads the tokeniser
@given(st.permutations(list("abcdefgh")))
def test_every_crossing_has_one_ring_and_it_lies_between_the_rows(words):
    first, second = "a b c d e f g h", " ".join(words)
    _, root = draw(first, second)
    crossings = round(inversion_rate(first.split(), second.split()) * 28)
    for kind in ("paws-wide paws-scroll", "paws-narrow"):
        svg = next(div for div in root.iter("div") if div.get("class") == kind).find("svg")
        rings = [ring for ring in svg.iter("circle") if ring.get("class") == "paws-crossing"]
        assert len(rings) == crossings
        width, height = map(float, svg.get("viewBox").split()[2:])
        assert all(0 < float(r.get("cx")) < width and 0 < float(r.get("cy")) < height for r in rings)


def test_the_rate_is_printed_as_the_paper_counts_it():
    """The numbers of Figure 3 of the PAWS paper: six alignments, 9 of 15 pairs crossed, 0.6."""
    markup, _ = draw("on monday she married bob here", "married bob here on monday she")
    assert "6 alignments, 9 of 15 pairs of them crossed" in markup
    assert "<b>inversion rate 0.600</b>" in markup


def test_too_many_crossings_are_not_ringed():
    markup, root = draw("a b c d", "d c b a", max_marks=5)
    assert "Too many crossings to ring each" in markup
    assert not list(root.iter("circle"))
    assert "paws-crossed" in markup


def test_long_sentences_stand_in_columns():
    words = [f"word{i}" for i in range(200)]
    _, root = draw(" ".join(words), " ".join(words))
    (svg,) = root.iter("svg")
    assert float(svg.get("width")) < 400
    assert len(list(svg.iter("text"))) == 400


@pytest.mark.parametrize("text, said", [("", "0 alignments, too few"), ("no", "1 alignment, too few")])
def test_too_few_to_cross(text, said):
    markup, _ = draw(text, text)
    assert said in markup and "inversion rate 0.000" in markup


def test_right_to_left_sentences_run_that_way():
    _, root = draw("كتب الولد الرسالة", "كتب الرسالة الولد")
    texts = [text for text in next(root.iter("svg")).iter("text")]
    assert float(texts[0].get("x")) > float(texts[2].get("x"))


def test_words_of_one_sentence_alone_are_set_apart():
    _, root = draw("ann ran", "ann walked")
    own = {text.text for text in root.iter("text") if text.get("class") == "paws-own"}
    assert own == {"ran", "walked"}
    assert re.search("paws-line", ElementTree.tostring(root, "unicode"))
