import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from paws_components.viz.svg import drawing, number, tag, word


def test_attributes_are_named_and_escaped():
    assert tag("text", "x", text_anchor="end", class_="a", x=1.0, y=2.25) == (
        '<text text-anchor="end" class="a" x="1" y="2.2">x</text>'
    )
    assert ElementTree.fromstring(tag("p", title='"<&')).get("title") == '"<&'


def test_an_element_that_html_cannot_close_itself_is_closed():
    assert tag("div") == "<div></div>"
    assert tag("script") == "<script></script>"
    assert tag("rect") == "<rect />"


def test_numbers_are_short():
    assert [number(value) for value in (1.0, 1.25, 10.04, -0.5)] == ["1", "1.2", "10", "-0.5"]


def test_a_shortened_word_carries_the_whole():
    element = ElementTree.fromstring(word("lo…er", 1.0, 2.0, full="longer"))
    assert element.findtext("title") == "longer"
    assert ElementTree.fromstring(word("long", 1.0, 2.0, full="long")).find("title") is None


def test_a_drawing_says_what_it_shows():
    element = ElementTree.fromstring(drawing(10.0, 20.0, 'a "label"', "<g />"))
    assert element.get("aria-label") == 'a "label"' and element.get("role") == "img"
    assert element.get("viewBox") == "0 0 10 20"


def test_the_readmes_drawing_is_ours(tmp_path):
    """docs/swap.svg is what scripts/draw_swap.py writes, by itself a picture."""
    root = Path(__file__).resolve().parents[2]
    if not (root / "docs" / "swap.svg").is_file():
        pytest.skip("the documentation is in a checkout only")
    subprocess.run([sys.executable, root / "scripts" / "draw_swap.py", tmp_path / "swap.svg"], check=True)
    drawn = (tmp_path / "swap.svg").read_text(encoding="utf8")
    assert drawn == (root / "docs" / "swap.svg").read_text(encoding="utf8")
    picture = ElementTree.fromstring(drawn)
    assert picture.tag.endswith("svg") and {"Florida", "York"} <= {node.text for node in picture.iter()}
