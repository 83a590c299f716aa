"""The "positions" style: Figures 1 and 2 of the WPD paper, a line for each word that both sentences have."""

from bisect import bisect_left
from typing import Any, Dict, List, NamedTuple, Tuple

from ..metrics.wpd import wpd
from .figure import BROAD_WIDTH, FONT_SIZE, NARROW_WIDTH, Drawing, figure
from .inputs import Pair, Side
from .svg import number, tag, word
from .text import escape, shorten, text_width

DEFAULT_OPTIONS: Dict[str, Any] = {
    "sort": "position",
}
SORTS = ("position", "shift")
ROW = 24.0
HEAD = 40.0


class Shift(NamedTuple):
    """A common word: where it stands in both sentences (0 the first token, 1 the last), and how far it moved."""

    lemma: str
    first: List[float]
    second: List[float]
    moves: List[Tuple[float, float]]  # from each occurrence to the nearest in the other sentence
    backwards: bool  # whether those start from the second sentence
    shift: float


def render_positions(pair: Pair, sort: str) -> str:
    """The relative positions of the common words in both sentences, and how far apart they are.

    pair (Pair): The pair.
    sort (str): "position" for the order of the first sentence, "shift" for the farthest first.
    RETURNS (str): The figure's markup.
    """
    shifts = find_shifts(pair.first.lemmas, pair.second.lemmas)
    if sort == "shift":
        shifts.sort(key=lambda shift: -shift.shift)
    value = wpd(pair.first.lemmas, pair.second.lemmas)
    short = min(len(pair.first.words), len(pair.second.words)) < 2
    words = "1 common word" if len(shifts) == 1 else f"{len(shifts)} common words"
    caption = tag("b", f"WPD {value:.3f}")
    if short:
        shifts = []  # by definition nothing moves: there are no positions to compare
        caption += ": a sentence of fewer than two tokens has no order"
    else:
        caption += f", the mean shift of {words}" if shifts else ": no word in common"
    for note in pair.notes:
        caption += f"; {escape(note)}"
    common = {shift.lemma for shift in shifts}
    before = "\n".join(_sentence(side, common) for side in (pair.first, pair.second))
    label = f"Relative positions of {words} in two sentences, WPD {value:.3f}"
    if not shifts:
        return figure("positions", label, None, None, caption, before)
    return figure("positions", label, _plot(shifts, BROAD_WIDTH), _plot(shifts, NARROW_WIDTH), caption, before)


def find_shifts(first: List[str], second: List[str]) -> List[Shift]:
    """The relative position shift of every common word (equations 1 to 3), in the order of the first sentence."""
    places = _places(first), _places(second)
    shifts = []
    for lemma, ones in places[0].items():
        twos = places[1].get(lemma)
        if twos is None:
            continue
        there, back = _nearest(ones, twos), _nearest(twos, ones)
        backwards = _mean(back) > _mean(there)
        moves = back if backwards else there
        shifts.append(Shift(lemma, ones, twos, moves, backwards, _mean(moves)))
    return shifts


def _places(words: List[str]) -> Dict[str, List[float]]:
    """The normalised positions of each word (definition 4.3); those of a one-word sentence are 0."""
    places: Dict[str, List[float]] = {}
    last = max(1, len(words) - 1)
    for i, lemma in enumerate(words):
        places.setdefault(lemma, []).append(i / last)
    return places


def _nearest(ones: List[float], twos: List[float]) -> List[Tuple[float, float]]:
    """For each of some positions the nearest of others, the first of two that are equally near. Both are in order, so
    that only the neighbours have to be looked at: a sentence may be one word, thousands of times."""
    moves = []
    for one in ones:
        after = bisect_left(twos, one)
        moves.append((one, min(twos[max(0, after - 1) : after + 1], key=lambda two: abs(one - two))))
    return moves


def _mean(moves: List[Tuple[float, float]]) -> float:
    return sum(abs(a - b) for a, b in moves) / len(moves)


def _sentence(side: Side, common: set) -> str:
    """The sentence as text, with its common words underlined."""
    parts = []
    done = 0
    for shown, lemma, start in zip(side.words, side.lemmas, side.starts):
        parts.append(escape_inside(side.text[done:start]))
        parts.append(tag("u", escape(shown)) if lemma in common else escape(shown))
        done = start + len(shown)
    if not side.words:
        parts.append(tag("span", "(empty)", class_="paws-muted"))
    return tag("p", *parts, dir="auto")


def escape_inside(text: str) -> str:
    """What stands between words: a space, or nothing."""
    return " " if text else ""


def _plot(shifts: List[Shift], width: float) -> Drawing:
    broad = width >= BROAD_WIDTH
    longest = max(text_width(shift.lemma, FONT_SIZE) for shift in shifts)
    left = min(max(longest, 40.0) + 18.0, 200.0 if broad else 134.0)
    right = width - 62.0
    height = HEAD + ROW * len(shifts)
    parts = _axis(left, right, broad)
    for i, shift in enumerate(shifts):
        y = HEAD + ROW * (i + 0.5)
        parts.append(
            word(shorten(shift.lemma, FONT_SIZE, left - 16.0), left - 12.0, y + 5.0, anchor="end", full=shift.lemma)
        )
        parts.append(tag("path", d=f"M{number(left)} {number(y)}H{number(right)}", class_="paws-track"))
        parts.extend(_moves(shift, y, left, right - left))
        parts.append(word(f"{shift.shift:.3f}", width - 2.0, y + 5.0, anchor="end", class_="paws-muted"))
    return Drawing(width, height + 4.0, "\n".join(parts))


def _axis(left: float, right: float, broad: bool) -> List[str]:
    """The legend and the ends of the scale."""
    # From the very left: in a narrow drawing long words leave the track too little room for it.
    parts = [
        tag("circle", cx=8, cy=9, r=4.5, class_="paws-f0"),
        word("sentence 1", 17.0, 14.0, anchor="start", class_="paws-small"),
        _diamond(102.0, 9.0),
        word("sentence 2", 113.0, 14.0, anchor="start", class_="paws-small"),
        word("shift", right + 60.0, 14.0, anchor="end", class_="paws-small"),
        word("0", left, 33.0, class_="paws-small"),
        word("1", right, 33.0, class_="paws-small"),
    ]
    if broad:
        middle = (left + right) / 2
        parts.append(word("relative position: 0 is the first token, 1 the last", middle, 33.0, class_="paws-small"))
    return parts


def _moves(shift: Shift, y: float, left: float, length: float) -> List[str]:
    path = "".join(
        f"M{number(left + a * length)} {number(y)}H{number(left + b * length)}" for a, b in shift.moves if a != b
    )
    parts = [tag("path", d=path, class_="paws-shift")] if path else []
    parts += [tag("circle", cx=left + place * length, cy=y, r=4.5, class_="paws-f0") for place in shift.first]
    parts += [_diamond(left + place * length, y) for place in shift.second]
    return parts


def _diamond(x: float, y: float) -> str:
    """Open, so that a circle at the same place stays in sight."""
    d = f"M{number(x - 7)} {number(y)}l7 -7l7 7l-7 7Z"
    return tag("path", d=d, class_="paws-diamond")
