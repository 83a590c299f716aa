"""A share over a number, as SVG: how a model gets on with ever more pairs to learn from."""

from typing import Dict, Mapping, NamedTuple, Sequence

from .svg import Value, drawing, number, tag, word
from .text import escape

WIDTH, HEIGHT = 560.0, 340.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 440.0, 16.0, 290.0
# A colour, a dash and a mark for each line: any one of them tells the lines apart.
COLOURS = ("#1f5fa8", "#b8501a", "#2e7d32", "#7b3fa0")
DASHES = ("none", "7 3", "2 3", "9 3 2 3")


class Point(NamedTuple):
    """A share from 0 to 1 with its interval, at a number."""

    number: int
    value: float
    low: float
    high: float


def draw_curve(lines: Mapping[str, Sequence[Point]], across: str, up: str = "AUC-PR, %") -> str:
    """Draw shares over numbers: a line for each name, with its points and their intervals.

    lines (Mapping[str, Sequence[Point]]): The points by name, from the smallest number to the largest.
    across (str), up (str): What the numbers are, and what the shares are.
    RETURNS (str): The drawing, as an SVG file.
    """
    most = max(point.number for points in lines.values() for point in points) or 1

    def x(number_of: float) -> float:
        return LEFT + (RIGHT - LEFT) * number_of / most

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * value

    parts = [tag("rect", width=WIDTH, height=HEIGHT, fill="#ffffff")]
    for percent in range(0, 101, 20):
        level = y(percent / 100)
        parts.append(tag("path", d=f"M{number(LEFT)} {number(level)}H{number(RIGHT)}", stroke="#dddddd"))
        parts.append(_small(str(percent), LEFT - 8.0, level + 4.0, "end"))
    step = next(size for size in (1, 10, 100, 1000, 2000, 5000, 10_000, 100_000) if most / size <= 8)
    for pairs in range(0, most + 1, step):
        parts.append(tag("path", d=f"M{number(x(pairs))} {number(BOTTOM)}v5", stroke="#444444"))
        parts.append(_small(f"{pairs:,}", x(pairs), BOTTOM + 20.0, "middle"))
    parts.append(_small(across, (LEFT + RIGHT) / 2, BOTTOM + 40.0, "middle"))
    parts.append(_small(up, LEFT + 6.0, TOP + 12.0, "start"))
    for i, (name, points) in enumerate(lines.items()):
        look: Dict[str, Value] = {"stroke": COLOURS[i % len(COLOURS)], "fill": "none", "stroke_width": 2}
        path = "L".join(f"{number(x(point.number))} {number(y(point.value))}" for point in points)
        parts.append(tag("path", d=f"M{path}", stroke_dasharray=DASHES[i % len(DASHES)], **look))
        for point in points:
            told = f"{name}, {point.number:,}: {point.value:.1%} [{point.low:.1%}, {point.high:.1%}]"
            place, low, high = number(x(point.number)), number(y(point.low)), number(y(point.high))
            parts.append(tag("path", d=f"M{place} {low}V{high}", stroke=look["stroke"], stroke_opacity="0.4"))
            circle: Dict[str, Value] = {"cx": x(point.number), "cy": y(point.value), "r": 3.5, "fill": look["stroke"]}
            parts.append(tag("circle", tag("title", escape(told)), **circle))
        key = TOP + 12.0 + 22.0 * i
        line = f"M{number(RIGHT + 12)} {number(key - 4)}h28"
        parts.append(tag("path", d=line, stroke_dasharray=DASHES[i % len(DASHES)], **look))
        parts.append(_small(name, RIGHT + 46.0, key, "start"))
    label = f"{up} over {across}: " + "; ".join(
        f"{name} from {points[0].value:.1%} at {points[0].number:,} to {points[-1].value:.1%} at {points[-1].number:,}"
        for name, points in lines.items()
    )
    svg = drawing(WIDTH, HEIGHT, label, *parts)
    return svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" ', 1) + "\n"


def _small(text: str, x: float, y: float, anchor: str) -> str:
    return tag("g", word(text, x, y, anchor=anchor), font_size=12, fill="#333333")
