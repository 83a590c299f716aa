import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from paws_components.records import PairRecord
from paws_components.viz.inputs import Side, to_pairs
from paws_components.viz.swap import cut, render_swap


def draw(first, second, **evidence):
    return ElementTree.fromstring(render_swap(to_pairs(PairRecord(first, second, evidence=evidence))[0]))


def shown(root, kind):
    """The texts of one drawing that are not numbers of spans."""
    div = next(div for div in root.iter("div") if kind in div.get("class", ""))
    return ["".join(t.itertext()) for t in div.iter("text") if "paws-badge" not in t.get("class", "")]


def test_moved_spans_are_boxed_numbered_and_joined():
    root = draw("Can a bad person become good?", "Can a good person become bad?")
    for svg in root.iter("svg"):
        boxes = [rect.get("class") for rect in svg.iter("rect")]
        arcs = [path.get("class") for path in svg.iter("path")]
        badges = [text.text for text in svg.iter("text") if "paws-badge" in text.get("class", "")]
        assert sorted(boxes) == ["paws-box paws-c0 paws-f0"] * 2 + ["paws-box paws-c1 paws-f1"] * 2
        assert arcs == ["paws-arc paws-c0", "paws-arc paws-c1"]
        assert sorted(badges) == ["1", "1", "2", "2"]
    assert "2 spans moved, as far as" in "".join(root.find("figcaption").itertext())


def test_the_evidence_goes_before_the_guess():
    moved = [{"source": [0, 3], "target": [8, 11]}]
    root = draw("Ann saw Bob", "Bob saw Ann", moved=moved)
    assert "".join(root.find("figcaption").itertext()) == "1 span moved"


def test_both_drawings_hold_every_word():
    first, second = "In Paris, Ann met Bob.", "In Bob, Ann met Paris."
    root = draw(first, second)
    for kind in ("paws-wide", "paws-narrow"):
        assert "".join(shown(root, kind)).replace(" ", "") == (first + second).replace(" ", "")


def test_a_changed_article_is_dotted():
    first, second = "a bad man saw an old dog", "an old man saw a bad dog"
    moved = [{"source": [2, 5], "target": [17, 20]}, {"source": [17, 20], "target": [3, 6]}]
    articles = [{"start": 0, "text": "an"}, {"start": 15, "text": "a"}]
    root = draw(first, second, moved=moved, articles=articles)
    wide = next(div for div in root.iter("div") if "paws-wide" in div.get("class", ""))
    assert [t.text for t in wide.iter("text") if t.get("class") == "paws-changed"] == ["an", "a"]
    assert "dotted" in "".join(root.find("figcaption").itertext())


def test_a_long_word_is_broken_not_cut_in_a_narrow_drawing():
    word = "x" * 120
    root = draw(word + " a b", "b a " + word)
    assert "".join(shown(root, "paws-narrow")).count("x") == 240


def test_long_sentences_are_no_wider_than_a_screen():
    words = [f"word{i}" for i in range(200)]
    root = draw(" ".join(words), " ".join(words[100:] + words[:100]))
    assert max(float(svg.get("width")) for svg in root.iter("svg")) < 1200


def test_nothing_moved():
    assert "no spans moved" in "".join(draw("", "").find("figcaption").itertext())


@given(st.text("ab ,", max_size=30), st.lists(st.tuples(st.integers(0, 29), st.integers(1, 8)), max_size=4))
def test_pieces_cover_the_text(text, spans):
    """Whatever the spans, overlapping ones too, every word comes out once and in order."""
    spans = [(start, min(len(text), start + length)) for start, length in spans if start < len(text)]
    pieces = cut(Side(text, [], [], [], []), spans, [])
    words = "".join("".join(piece.words) for piece in pieces)
    assert words == "".join(text.split()) or (not text.split() and words == "(empty)")
