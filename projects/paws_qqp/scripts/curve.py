"""The paper's Figure 4 with our figures: AUC-PR on PAWS-QQP over the number of its pairs in the training set, as SVG.

Prints a JSON object for each point.
"""

import argparse
import json
from pathlib import Path
from typing import Dict, List, NamedTuple

from names import TITLES, paws_pairs

from paws_components.viz.svg import drawing, number, tag, word
from paws_components.viz.text import escape

TEST_SET = "paws_dev_test"
WIDTH, HEIGHT = 560.0, 340.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 440.0, 16.0, 290.0
# A colour, a dash and a mark for each line: any one of them tells the lines apart.
COLOURS = ("#1f5fa8", "#b8501a", "#2e7d32", "#7b3fa0")
DASHES = ("none", "7 3", "2 3", "9 3 2 3")


class Point(NamedTuple):
    pairs: int
    value: float
    low: float
    high: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="what evaluate.py wrote (.json)")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the drawing goes (.svg)")
    args = parser.parse_args()

    counts = json.loads((args.corpus / "counts.json").read_text(encoding="utf8"))
    lines = read_points(args.results, counts["paws_train"])
    if not lines:
        raise SystemExit(f"{args.results} has no AUC-PR on {TEST_SET}")
    svg = draw(lines).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" ', 1)
    args.output.write_text(svg + "\n", encoding="utf8")
    for model, points in lines.items():
        for point in points:
            print(json.dumps({"model": model, **point._asdict()}))


def read_points(path: Path, everything: int) -> Dict[str, List[Point]]:
    """The points of each model, from few pairs to many."""
    lines: Dict[str, List[Point]] = {}
    for one in json.loads(path.read_text(encoding="utf8"))["results"]:
        model, _, mix = one["model"].partition("-")
        auc = one["auc_pr"]
        if one["test_set"] == TEST_SET and auc["value"] is not None:
            asked = paws_pairs(mix)
            pairs = everything if asked is None else min(asked, everything)
            # With too few pairs there is no interval.
            low, high = (auc["value"] if auc[end] is None else auc[end] for end in ("low", "high"))
            lines.setdefault(model, []).append(Point(pairs, auc["value"], low, high))
    return {model: sorted(set(points)) for model, points in lines.items()}


def draw(lines: Dict[str, List[Point]]) -> str:
    most = max(point.pairs for points in lines.values() for point in points) or 1

    def x(pairs: float) -> float:
        return LEFT + (RIGHT - LEFT) * pairs / most

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
    parts.append(_small("pairs of PAWS-QQP in the training set", (LEFT + RIGHT) / 2, BOTTOM + 40.0, "middle"))
    parts.append(_small("AUC-PR, %", LEFT + 6.0, TOP + 12.0, "start"))
    for i, (model, points) in enumerate(lines.items()):
        look = {"stroke": COLOURS[i % len(COLOURS)], "fill": "none", "stroke_width": 2}
        path = "L".join(f"{number(x(point.pairs))} {number(y(point.value))}" for point in points)
        parts.append(tag("path", d=f"M{path}", stroke_dasharray=DASHES[i % len(DASHES)], **look))
        for point in points:
            told = f"{TITLES[model]}, {point.pairs:,} pairs: {point.value:.1%} [{point.low:.1%}, {point.high:.1%}]"
            place, low, high = number(x(point.pairs)), number(y(point.low)), number(y(point.high))
            parts.append(tag("path", d=f"M{place} {low}V{high}", stroke=look["stroke"], stroke_opacity="0.4"))
            circle = {"cx": x(point.pairs), "cy": y(point.value), "r": 3.5, "fill": look["stroke"]}
            parts.append(tag("circle", tag("title", escape(told)), **circle))
        key = TOP + 12.0 + 22.0 * i
        line = f"M{number(RIGHT + 12)} {number(key - 4)}h28"
        parts.append(tag("path", d=line, stroke_dasharray=DASHES[i % len(DASHES)], **look))
        parts.append(_small(TITLES[model], RIGHT + 46.0, key, "start"))
    label = "AUC-PR on PAWS-QQP over the number of its pairs in the training set: " + "; ".join(
        f"{TITLES[model]} from {points[0].value:.1%} at {points[0].pairs:,} to {points[-1].value:.1%} "
        f"at {points[-1].pairs:,}"
        for model, points in lines.items()
    )
    return drawing(WIDTH, HEIGHT, label, *parts)


def _small(text: str, x: float, y: float, anchor: str) -> str:
    return tag("g", word(text, x, y, anchor=anchor), font_size=12, fill="#333333")


if __name__ == "__main__":
    main()
