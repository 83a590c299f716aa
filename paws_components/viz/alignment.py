"""The "alignment" style: Figure 3 of the PAWS paper."""

from typing import Any, Dict, List, NamedTuple, Tuple

from ..metrics.inversion import alignments, inversion_rate
from .figure import FONT_SIZE, MAX_WIDE, NARROW_WIDTH, Drawing, figure
from .inputs import Pair, Side
from .svg import number, tag, word
from .text import MAX_WORD, is_rtl, shorten, text_width

DEFAULT_OPTIONS: Dict[str, Any] = {
    "max_marks": 150,
}
GAP = 7.0
ROW = 22.0
EMPTY = "(empty)"


class Link(NamedTuple):
    first: int
    second: int
    crossed: bool


def render_alignment(pair: Pair, max_marks: int) -> str:
    """The two sentences with a line between aligned words, and a ring wherever two lines cross.

    pair (Pair): The pair.
    max_marks (int): With more crossings than this the rings are left out; the lines keep their colour.
    RETURNS (str): The figure's markup.
    """
    links = find_links(pair.first.keys, pair.second.keys)
    count = len(links) * (len(links) - 1) // 2
    rate = inversion_rate(pair.first.keys, pair.second.keys)
    crossings = round(rate * count)
    marked = 0 < crossings <= max_marks
    wide = _across(pair, links, marked)
    crossed = f"{crossings:,} of {_count(count, 'pair')} of them crossed" if count else "too few to cross"
    caption = f"{_count(len(links), 'alignment')}, {crossed}: "
    caption += tag("b", f"inversion rate {rate:.3f}")
    for note in pair.notes:
        caption += f"; {note}"
    if crossings and not marked:
        caption += ". Too many crossings to ring each"
    narrow = _down(pair, links, marked)
    label = f"Word alignment of two sentences, inversion rate {rate:.3f}"
    if wide.width > MAX_WIDE:
        return figure("alignment", label, None, narrow, caption)
    return figure("alignment", label, wide, narrow, caption)


def find_links(first: List[str], second: List[str]) -> List[Link]:
    """The alignments in the order of the first sentence, each with whether any other crosses it."""
    pairs = sorted(alignments(first, second))
    targets = [b for _, b in pairs]
    links: List[Link] = []
    highest = -1
    lowest = _suffix_minima(targets)
    for k, (a, b) in enumerate(pairs):
        links.append(Link(a, b, highest > b or lowest[k + 1] < b))
        highest = max(highest, b)
    return links


def _suffix_minima(values: List[int]) -> List[float]:
    minima: List[float] = [float("inf")]
    for value in reversed(values):
        minima.append(min(value, minima[-1]))
    return minima[::-1]


def _across(pair: Pair, links: List[Link], marked: bool) -> Drawing:
    """The sentences as two rows, as in the paper. Those written from right to left run that way."""
    rows = [_centres(side) for side in (pair.first, pair.second)]
    width = max(row[-1] for row in rows)
    mirrored = is_rtl(pair.first.words)
    top, bottom = 18.0, 18.0 + min(170.0, 70.0 + 4.0 * len(links))
    xs = [[width - x if mirrored else x for x in row[:-1]] for row in rows]
    ends = [((xs[0][link.first], top + 7.0), (xs[1][link.second], bottom - 15.0)) for link in links]
    aligned = {link.first for link in links}, {link.second for link in links}
    parts = _lines(links, ends, marked)
    for k, (side, y) in enumerate(((pair.first, top), (pair.second, bottom))):
        for i, shown in enumerate(side.words or [EMPTY]):
            parts.append(_word(shown, xs[k][i], y, "middle", i in aligned[k], MAX_WORD * FONT_SIZE))
    return Drawing(width, bottom + 8.0, "\n".join(parts))


def _centres(side: Side) -> List[float]:
    """Where the middle of each word comes to stand, and how wide the row is."""
    x = GAP
    centres = []
    for shown in side.words or [EMPTY]:
        width = min(text_width(shown, FONT_SIZE), MAX_WORD * FONT_SIZE)
        centres.append(x + width / 2)
        x += width + GAP
    return [*centres, x]


def _down(pair: Pair, links: List[Link], marked: bool) -> Drawing:
    """The sentences as two columns, a word per line: for narrow places and for long sentences."""
    room = NARROW_WIDTH * 0.38
    left, right = room, NARROW_WIDTH - room
    ys = [[16.0 + ROW * i for i in range(max(1, len(side.words)))] for side in (pair.first, pair.second)]
    ends = [((left + 6.0, ys[0][link.first] - 5.0), (right - 6.0, ys[1][link.second] - 5.0)) for link in links]
    aligned = {link.first for link in links}, {link.second for link in links}
    parts = _lines(links, ends, marked)
    for k, (side, x, anchor) in enumerate(((pair.first, left, "end"), (pair.second, right, "start"))):
        for i, shown in enumerate(side.words or [EMPTY]):
            parts.append(_word(shown, x, ys[k][i], anchor, i in aligned[k], room))
    return Drawing(NARROW_WIDTH, max(ys[0][-1], ys[1][-1]) + 8.0, "\n".join(parts))


def _word(shown: str, x: float, y: float, anchor: str, aligned: bool, room: float) -> str:
    short = shorten(shown, FONT_SIZE, room)
    return word(short, x, y, anchor=anchor, class_="" if aligned else "paws-own", full=shown)


Point = Tuple[float, float]


def _lines(links: List[Link], ends: List[Tuple[Point, Point]], marked: bool) -> List[str]:
    """The lines, those that are crossed above the others, and the rings above all."""
    parts = []
    for crossed in (False, True):
        path = "".join(
            f"M{number(a[0])} {number(a[1])}L{number(b[0])} {number(b[1])}"
            for link, (a, b) in zip(links, ends)
            if link.crossed == crossed
        )
        if path:
            parts.append(tag("path", d=path, class_="paws-crossed" if crossed else "paws-line"))
    if marked:
        for i, one in enumerate(links):
            for j in range(i + 1, len(links)):
                if links[j].second < one.second:
                    x, y = _meet(ends[i], ends[j])
                    parts.append(tag("circle", cx=x, cy=y, r=3, class_="paws-crossing"))
    return parts


def _meet(one: Tuple[Point, Point], other: Tuple[Point, Point]) -> Point:
    """Where two lines cross that start on one parallel and end on another, in opposite order."""
    vertical = one[0][0] == other[0][0]  # columns: the parallels are upright
    axis = 1 if vertical else 0
    before, after = other[0][axis] - one[0][axis], one[1][axis] - other[1][axis]
    t = before / (before + after)
    return tuple(one[0][k] + t * (one[1][k] - one[0][k]) for k in (0, 1))  # type: ignore[return-value]


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
