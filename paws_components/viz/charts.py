"""The charts of the report: distributions laid over each other, and bars of labels."""

from math import floor, log10
from typing import Dict, List, NamedTuple, Sequence, Tuple

import numpy

from .figure import NARROW_WIDTH, Drawing, figure
from .svg import number, tag, word
from .text import escape, text_width
from .theme import N_COLOURS

# Charts are stretched to their cards; this is about the width of two beside each other.
WIDE_WIDTH = 550.0
HEIGHT = 230.0
BINS = 36
# Lines differ in their dashes too, for those who see no colours and for paper.
DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 2")


class Series(NamedTuple):
    """The values of one metric in one corpus, or of one label; `colour` is its place among them."""

    name: str
    values: numpy.ndarray
    colour: int


def histogram(
    title: str,
    series: Sequence[Series],
    *,
    bins: int = BINS,
    of_all: bool = False,
    heading: str = "h3",
    note: str = "",
    overlap: bool = False,
) -> str:
    """The distributions of one metric in several corpora or under several labels, over each other, as shares of each.

    title (str): The metric.
    series (Sequence[Series]): The corpora or labels; those without a finite value are left out.
    bins (int): How many bins.
    of_all (bool): Whether these are parts of one corpus, and the shares those of all.
    heading (str): The element of the title.
    note (str): Markup under it.
    overlap (bool): Whether to say, of two series, how much of their areas lies on each other.
    RETURNS (str): The figure's markup.
    """
    shown = [one._replace(values=one.values[numpy.isfinite(one.values)]) for one in series]
    shown = [one for one in shown if len(one.values)]
    above = tag(heading, escape(title)) + note
    if not shown:
        return figure("chart", title, None, None, "No value to show.", above)
    edges = bin_edges([one.values for one in shown], bins)
    total = sum(len(one.values) for one in shown)
    # The edges are rounded: 0.49999999999999994 would fall before one at 0.5.
    inside = [numpy.clip(one.values, edges[0], edges[-1]) for one in shown]
    shares = [numpy.histogram(values, edges)[0] / (total if of_all else len(values)) for values in inside]
    label = f"Histogram of {title}: " + "; ".join(f"{one.name}, mean {one.values.mean():.3f}" for one in shown)
    wide = _plot(shown, shares, edges, WIDE_WIDTH)
    narrow = _plot(shown, shares, edges, NARROW_WIDTH)
    caption = _legend(shown)
    if overlap and len(shown) == 2:
        shared = float(numpy.minimum(*shares).sum())
        caption += tag("span", f" {shared:.0%} of their areas overlap.", class_="paws-key")
    return figure("chart", label, wide, narrow, caption, above)


def bin_edges(values: Sequence[numpy.ndarray], bins: int = BINS) -> numpy.ndarray:
    """The edges of the bins that all corpora share, between round numbers."""
    low = min(float(array.min()) for array in values)
    high = max(float(array.max()) for array in values)
    if low == high:
        low, high = low - 0.05, high + 0.05
    step = _nice((high - low) / 5)
    low, high = floor(low / step + 1e-9) * step, -floor(-high / step + 1e-9) * step
    return numpy.linspace(low, high, bins + 1)


def _nice(step: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** floor(log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step - 1e-12)


def _ticks(low: float, high: float, count: int) -> List[float]:
    step = _nice((high - low) / count)
    first = -floor(-low / step + 1e-9)
    return [round((first + k) * step, 10) for k in range(floor((high - first * step) / step + 1e-9) + 1)]


def _plot(series: Sequence[Series], shares: List[numpy.ndarray], edges: numpy.ndarray, width: float) -> Drawing:
    left, right, top, bottom = 44.0, width - 12.0, 10.0, HEIGHT - 26.0
    peak = max(float(share.max()) for share in shares)
    low, high = float(edges[0]), float(edges[-1])
    parts = []
    for tick in _ticks(0.0, peak, 5):
        y = bottom - (bottom - top) * tick / peak
        parts.append(tag("path", d=f"M{number(left)} {number(y)}H{number(right)}", class_="paws-track"))
        parts.append(
            word(
                f"{tick:.0%}" if peak >= 0.04 else f"{tick:.1%}", left - 6.0, y + 4.0, anchor="end", class_="paws-small"
            )
        )
    for tick in _ticks(low, high, 5 if width > NARROW_WIDTH else 4):
        x = left + (right - left) * (tick - low) / (high - low)
        parts.append(tag("path", d=f"M{number(x)} {number(bottom)}v5", class_="paws-axis"))
        # At the ends the label would reach over the edge.
        parts.append(word(f"{tick:g}", min(x, right - 2.0), bottom + 19.0, class_="paws-small"))
    parts.append(tag("path", d=f"M{number(left)} {number(bottom)}H{number(right)}", class_="paws-axis"))
    xs = left + (right - left) * (edges - low) / (high - low)
    outlines = []
    for one, share in zip(series, shares):
        c = one.colour % N_COLOURS
        ys = bottom - (bottom - top) * share / peak
        steps = "".join(f"V{number(float(y))}H{number(float(x))}" for x, y in zip(xs[1:], ys))
        path = f"M{number(float(xs[0]))} {number(bottom)}{steps}V{number(bottom)}"
        parts.append(tag("path", d=path + "Z", class_=f"paws-area paws-f{c}"))
        outlines.append(tag("path", d=path, class_=f"paws-outline paws-c{c}", **_dash(c)))
    return Drawing(width, HEIGHT, "\n".join([*parts, *outlines]))


def _dash(colour: int) -> Dict[str, str]:
    return {"stroke_dasharray": DASHES[colour]} if DASHES[colour] else {}


def _legend(series: Sequence[Series]) -> str:
    entries = []
    for one in series:
        text = f"{one.name}: mean {one.values.mean():.3f}, median {float(numpy.median(one.values)):.3f}"
        entries.append(tag("span", swatch(one.colour), " ", escape(text), class_="paws-key"))
    return " ".join(entries)


def swatch(colour: int) -> str:
    """A corpus's line, as it is drawn in the charts."""
    c = colour % N_COLOURS
    line = tag("path", d="M1 6H29", class_=f"paws-outline paws-c{c}", **_dash(c))
    return tag("svg", line, width=30, height=12, viewBox="0 0 30 12", aria_hidden="true", class_="paws-swatch")


def balance(name: str, counts: Sequence[Tuple[str, int]]) -> str:
    """A bar cut by the shares of labels, with the numbers under it.

    name (str): The corpus.
    counts (Sequence[Tuple[str, int]]): The labels and how often each occurs, in the order to show.
    RETURNS (str): The figure's markup.
    """
    total = sum(count for _, count in counts) or 1
    label = f"Labels of {name}: " + ", ".join(f"{label} {count / total:.1%}" for label, count in counts)
    drawings = [_bar(name, counts, total, width) for width in (WIDE_WIDTH, NARROW_WIDTH)]
    entries = [
        tag("span", _patch(i), " ", escape(f"{label}: {count:,} ({count / total:.1%})"), class_="paws-key")
        for i, (label, count) in enumerate(counts)
    ]
    return figure("chart", label, drawings[0], drawings[1], " ".join(entries), tag("h3", escape(name)))


def _bar(name: str, counts: Sequence[Tuple[str, int]], total: int, width: float) -> Drawing:
    x = 1.0
    parts = []
    for i, (label, count) in enumerate(counts):
        length = (width - 2.0) * count / total
        c = i % N_COLOURS
        parts.append(tag("rect", x=x, y=1, width=length, height=32, class_=f"paws-part paws-c{c} paws-f{c}"))
        # As much as there is room for; the legend under the bar says all.
        texts = (f"{label} {count / total:.0%}", f"{count / total:.0%}")
        fitting = next((text for text in texts if text_width(text, 13.0) < length - 6.0), "")
        if fitting:
            parts.append(word(fitting, x + length / 2, 22.0, class_="paws-inbar"))
        x += length
    return Drawing(width, 34.0, "\n".join(parts))


def _patch(i: int) -> str:
    c = i % N_COLOURS
    box = tag("rect", x=1, y=1, width=12, height=10, class_=f"paws-part paws-c{c} paws-f{c}")
    return tag("svg", box, width=14, height=12, viewBox="0 0 14 12", aria_hidden="true", class_="paws-swatch")
