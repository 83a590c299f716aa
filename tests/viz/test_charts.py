import xml.etree.ElementTree as ElementTree

import numpy
import pytest

from paws_components.viz.charts import BINS, Series, balance, bin_edges, histogram

from .conftest import check_markup


def series(*arrays):
    return [Series(f"corpus {i}", numpy.array(values, dtype="float64"), i) for i, values in enumerate(arrays)]


@pytest.mark.parametrize(
    "arrays, low, high",
    [
        ([[0.0, 1.0]], 0.0, 1.0),
        ([[0.03, 0.2], [0.1, 0.57]], 0.0, 0.6),
        ([[0.31, 1.0]], 0.2, 1.0),
        ([[-2.7, 0.4]], -3.0, 1.0),
        ([[12.0, 980.0]], 0.0, 1000.0),
    ],
)
def test_bins_lie_between_round_numbers_and_are_shared(arrays, low, high):
    edges = bin_edges([numpy.array(values) for values in arrays])
    assert len(edges) == BINS + 1
    assert (edges[0], edges[-1]) == (pytest.approx(low), pytest.approx(high))


def test_all_values_alike():
    edges = bin_edges([numpy.array([1.0, 1.0])])
    assert edges[0] < 1.0 < edges[-1]


def heights(root, colour):
    """How high the steps of an outline are, as shares of the highest of all."""
    svg = next(root.iter("svg"))
    path = next(p for p in svg.iter("path") if p.get("class") == f"paws-outline paws-c{colour}").get("d")
    ys = [float(part.split("H")[0]) for part in path.split("V")[1:-1]]
    bottom = float(path.split()[1].split("V")[0])
    return [bottom - y for y in ys]


def test_the_outline_is_the_histogram():
    random = numpy.random.default_rng(0)
    arrays = [random.random(500), random.random(300) ** 3]
    root = check_markup(histogram("WPD", series(*arrays)))
    counts = [numpy.histogram(array, bin_edges(arrays))[0] / len(array) for array in arrays]
    peak = max(share.max() for share in counts)
    drawn = [numpy.array(heights(root, i)) for i in range(2)]
    top = max(line.max() for line in drawn)
    for line, share in zip(drawn, counts):
        assert numpy.allclose(line / top, share / peak, atol=0.002)


def test_the_legend_names_every_corpus_and_its_mean():
    root = check_markup(histogram("LD", series([0.0, 0.5], [1.0, 1.0])))
    said = "".join(root.find("figcaption").itertext())
    assert "corpus 0: mean 0.250, median 0.250" in said and "corpus 1: mean 1.000" in said
    dashes = {path.get("stroke-dasharray") for path in root.find("figcaption").iter("path")}
    assert len(dashes) == 2  # told apart without colours


def test_how_much_two_distributions_overlap():
    root = check_markup(histogram("LD", series([0.0, 0.5], [0.5, 1.0]), overlap=True, heading="h4", note="<p>why</p>"))
    assert "50% of their areas overlap" in "".join(root.find("figcaption").itertext())
    assert (root.findtext("h4"), root.findtext("p")) == ("LD", "why")
    assert "overlap" not in histogram("LD", series([0.0, 0.5]), overlap=True)


def test_values_that_are_none_are_left_out():
    root = check_markup(histogram("LD", series([float("nan"), 0.5], [float("nan")])))
    said = "".join(root.find("figcaption").itertext())
    assert "mean 0.500" in said and "corpus 1" not in said
    assert "No value" in histogram("LD", series([float("nan")], []))


def test_a_hostile_name():
    root = check_markup(histogram("<b>", [Series('</svg><script>"', numpy.array([1.0]), 0)]))
    assert root.findtext("h3") == "<b>"


def test_bars_are_as_long_as_their_shares():
    root = check_markup(balance("MRPC", [("paraphrase", 30), ("not paraphrase", 10)]))
    svg = next(root.iter("svg"))
    lengths = [float(rect.get("width")) for rect in svg.iter("rect")]
    assert lengths[0] / lengths[1] == pytest.approx(3, rel=0.01)
    said = "".join(root.find("figcaption").itertext())
    assert "paraphrase: 30 (75.0%)" in said and "not paraphrase: 10 (25.0%)" in said


def test_a_bar_of_nothing():
    ElementTree.fromstring(balance("empty", []))


def test_values_that_rounding_puts_beside_an_edge_are_drawn():
    markup = histogram("t", [Series("a", numpy.array([0.49999999999999994, 1.0000000000000004]), 0)])
    assert "50%" in markup
