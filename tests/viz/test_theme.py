"""The colours can be read on their background and told apart with any kind of colour vision."""

from itertools import combinations

import numpy
import pytest

from paws_components.viz.theme import DARK, LIGHT, N_COLOURS, STEPS, figure_css

# Machado, Oliveira and Fernandes (2009), full severity, for linear RGB.
VISIONS = {
    "usual": numpy.eye(3),
    "protanopia": numpy.array([[0.1521, 1.0525, -0.2046], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]]),
    "deuteranopia": numpy.array([[0.3673, 0.8606, -0.2279], [0.2801, 0.6726, 0.0472], [-0.0118, 0.0430, 0.9689]]),
    "tritanopia": numpy.array([[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]]),
}


def linear(colour):
    values = numpy.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return numpy.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """The contrast ratio of WCAG 2."""
    lights = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def lab(rgb):
    xyz = numpy.clip(rgb, 0, 1) @ numpy.array(
        [[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]]
    )
    f = numpy.cbrt(numpy.maximum(xyz / [0.9505, 1.0, 1.089], 0.0089))
    return numpy.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_lines_stand_out(colours):
    for ground in ("bg", "soft"):
        assert contrast(colours["fg"], colours[ground]) > 7
        assert contrast(colours["muted"], colours[ground]) > 4.5
        for name in ("cross", "c0"):  # these are colours of text too
            assert contrast(colours[name], colours[ground]) > 4.5, name
        for i in range(N_COLOURS):
            assert contrast(colours[f"c{i}"], colours[ground]) > 3, i


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_are_told_apart(colours, vision):
    seen = [lab(linear(colours[f"c{i}"]) @ VISIONS[vision].T) for i in range(N_COLOURS)]
    for one, other in combinations(seen, 2):
        assert numpy.linalg.norm(one - other) > 25


def test_both_sets_have_the_same_names():
    assert set(LIGHT) == set(DARK)


def test_each_width_has_its_rule():
    css = figure_css("auto", ".x")
    assert all(f"max-width: {step - 1}px" in css for step in STEPS)
    assert ".x {" in css and css.count("{") == css.count("}")
