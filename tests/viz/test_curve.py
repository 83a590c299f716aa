import xml.etree.ElementTree as ElementTree

from paws_components.viz.curve import Point, draw_curve


def test_a_line_for_each_name_and_a_mark_for_each_point():
    lines = {"DIIN": [Point(0, 0.3, 0.2, 0.4), Point(9000, 0.8, 0.7, 0.9)], "a <b>": [Point(3000, 0.5, 0.5, 0.5)]}
    svg = ElementTree.fromstring(draw_curve(lines, "pairs"))
    names = [node.tag.split("}")[1] for node in svg.iter()]
    assert names.count("circle") == 3
    text = "".join(svg.itertext())
    assert "DIIN, 9,000: 80.0% [70.0%, 90.0%]" in text and "a <b>" in text and "pairs" in text
    assert "DIIN from 30.0% at 0 to 80.0% at 9,000" in ElementTree.tostring(svg, encoding="unicode")
