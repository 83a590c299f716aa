"""The "swap" style: what moved, coloured and numbered, with an arc from where it was to where it is."""

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .figure import BROAD_WIDTH, FONT_SIZE, MAX_WIDE, NARROW_WIDTH, Drawing, figure
from .inputs import Moved, Pair, Side
from .moved import find_moved
from .svg import number, tag, word
from .text import MAX_WORD, break_word, escape, is_rtl, shorten, text_width
from .theme import N_COLOURS

DEFAULT_OPTIONS: Dict[str, Any] = {}
GAP = 5.0
CLOSE = 2.0  # between a frame and the comma after it
LINE = 21.0
PAD = 5.0
DIGIT = 8.0  # room for each digit of a span's number
EMPTY = "(empty)"


class Piece(NamedTuple):
    """A stretch of a sentence that moved or stayed as a whole."""

    words: List[str]
    moved: Optional[int]  # which of the moved spans it is
    changed: List[bool]
    glued: bool  # no space stands before it


def render_swap(pair: Pair) -> str:
    """The two sentences with moved spans in colour, joined by arcs.

    pair (Pair): The pair. Where nobody said what moved it is worked out from the words.
    RETURNS (str): The figure's markup.
    """
    moved = find_moved(pair.first, pair.second) if pair.moved is None else pair.moved
    tops = cut(pair.first, [move.source for move in moved], [])
    bottoms = cut(pair.second, [move.target for move in moved], pair.changed)
    caption = _caption(pair, moved)
    label = f"Two sentences, {_spans(moved)} moved from the first to the second"
    wide = _across(tops, bottoms, moved)
    if wide.width > MAX_WIDE:
        wide = _down(tops, bottoms, moved, BROAD_WIDTH)
    return figure("swap", label, wide, _down(tops, bottoms, moved, NARROW_WIDTH), caption)


def _caption(pair: Pair, moved: Sequence[Moved]) -> str:
    said = tag("b", f"{_spans(moved)} moved")
    if pair.moved is None:
        said += ", as far as the alignment of equal words tells"
    for note in pair.notes:
        said += f"; {escape(note)}"
    if pair.changed:
        said += "; dotted: put right after the move"
    return said


def _spans(moved: Sequence[Moved]) -> str:
    count = len({move.number for move in moved})
    return "1 span" if count == 1 else f"{count or 'no'} spans"


def cut(side: Side, spans: Sequence[Tuple[int, int]], changed: Sequence[Tuple[int, int]]) -> List[Piece]:
    """A sentence cut into the spans that moved and the stretches between them. Overlapping spans lose what is taken."""
    pieces: List[Piece] = []
    done = 0
    for (start, end), i in sorted((span, i) for i, span in enumerate(spans)):
        if start >= done:
            pieces.extend(_piece(side.text, done, start, None, changed))
            pieces.extend(_piece(side.text, start, end, i, changed))
            done = end
    pieces.extend(_piece(side.text, done, len(side.text), None, changed))
    return pieces or [Piece([EMPTY], None, [False], False)]


def _piece(text: str, start: int, end: int, moved: Optional[int], changed: Sequence[Tuple[int, int]]) -> List[Piece]:
    words, marks = [], []
    at = start
    for shown in text[start:end].split():
        at = text.index(shown, at)
        words.append(shown)
        marks.append(any(first < at + len(shown) and at < last for first, last in changed))
        at += len(shown)
    glued = start > 0 and not text[start - 1].isspace() and not text[start : start + 1].isspace()
    return [Piece(words, moved, marks, glued)] if words else []


def _across(tops: List[Piece], bottoms: List[Piece], moved: Sequence[Moved]) -> Drawing:
    """Two rows. Sentences written from right to left run that way."""
    mirrored = is_rtl(shown for piece in tops for shown in piece.words)
    rows = [_place(pieces) for pieces in (tops, bottoms)]
    width = max(row[-1][1] for row in rows) + GAP + PAD
    top, bottom = 30.0, 30.0 + 60.0 + 14.0 * min(4, len(moved))
    parts: List[str] = []
    middles: List[Dict[int, float]] = [{}, {}]
    for pieces, row, y, ends in zip((tops, bottoms), rows, (top, bottom), middles):
        spots = iter(row)
        for piece in pieces:
            places = [(width - end, width - start) if mirrored else (start, end) for start, end in _take(spots, piece)]
            if piece.moved is not None:
                low, high = min(p[0] for p in places), max(p[1] for p in places)
                ends[piece.moved] = (low + high) / 2
                parts.append(_box(low - PAD, y - 16.0, high - low + 2 * PAD, 23.0, moved[piece.moved].number))
                badge = y - 20.0 if y == top else y + 18.0
                parts.append(_badge((low + high) / 2, badge, moved[piece.moved].number))
            for shown, mark, (low, high) in zip(piece.words, piece.changed, places):
                parts.append(_word(shown, (low + high) / 2, y, mark, high - low + 1.0))
    arcs = []
    for i, move in enumerate(moved):
        if i in middles[0] and i in middles[1]:
            a, b = middles[0][i], middles[1][i]
            y1, y2 = top + 7.0, bottom - 16.0
            bend = (y2 - y1) * 0.55
            arcs.append(_arc((a, y1), (a, y1 + bend), (b, y2 - bend), (b, y2), move.number))
    return Drawing(width, bottom + 24.0, "\n".join([*arcs, *parts]))


def _place(pieces: List[Piece]) -> List[Tuple[float, float]]:
    """From where to where each word goes; moved spans have room for their frame."""
    places: List[Tuple[float, float]] = []
    x = 0.0
    for piece in pieces:
        framed = 2 * PAD if piece.moved is not None else 0.0
        x += (CLOSE if piece.glued and places else GAP) + framed / 2
        for k, shown in enumerate(piece.words):
            x += GAP if k else 0.0
            width = min(text_width(shown, FONT_SIZE), MAX_WORD * FONT_SIZE)
            places.append((x, x + width))
            x += width
        x += framed / 2
    return places


def _take(spots: Iterator[Tuple[float, float]], piece: Piece) -> List[Tuple[float, float]]:
    return [next(spots) for _ in piece.words]


def _down(tops: List[Piece], bottoms: List[Piece], moved: Sequence[Moved], width: float) -> Drawing:
    """Two columns, a stretch under the other, with the arcs in the gutter: for narrow places and long sentences."""
    gutter = 52.0 if width < BROAD_WIDTH else 160.0
    column = (width - gutter) / 2
    badge = DIGIT * len(str(max((move.number for move in moved), default=0))) + 6.0
    parts: List[str] = []
    middles: List[Dict[int, float]] = [{}, {}]
    heights = []
    for pieces, left, ends in ((tops, 0.0, middles[0]), (bottoms, column + gutter, middles[1])):
        y = 2.0
        rtl = is_rtl(shown for piece in pieces for shown in piece.words)
        for piece in pieces:
            lines = _wrap(piece, column - 2 * PAD - (badge if piece.moved is not None else 0.0))
            height = LINE * len(lines)
            if piece.moved is not None:
                ends[piece.moved] = y + height / 2 + 2.0
                number_ = moved[piece.moved].number
                parts.append(_box(left + 1.0, y, column - 2.0, height + 4.0, number_))
                outer = left + (column - badge / 2 - 3.0 if rtl else badge / 2 + 3.0)
                parts.append(_badge(outer, y + 17.0, number_))
            indent = PAD + (badge if piece.moved is not None else 0.0)
            for k, line in enumerate(lines):
                x = left + column - indent if rtl else left + indent
                parts.append(_text_line(line, x, y + 17.0 + LINE * k, rtl))
            y += height + 8.0
        heights.append(y)
    arcs = []
    for i, move in enumerate(moved):
        if i in middles[0] and i in middles[1]:
            x1, x2 = column - 1.0, column + gutter + 1.0
            bend = gutter * 0.55
            a, b = middles[0][i], middles[1][i]
            arcs.append(_arc((x1, a), (x1 + bend, a), (x2 - bend, b), (x2, b), move.number))
    return Drawing(width, max(heights), "\n".join([*arcs, *parts]))


def _wrap(piece: Piece, room: float) -> List[List[Tuple[str, bool]]]:
    """The words of a piece on lines that fit."""
    lines: List[List[Tuple[str, bool]]] = [[]]
    used = 0.0
    space = text_width(" ", FONT_SIZE)
    for shown, mark in zip(piece.words, piece.changed):
        for part in break_word(shown, FONT_SIZE, room):
            width = text_width(part, FONT_SIZE)
            if lines[-1] and used + space + width > room:
                lines.append([])
                used = 0.0
            used += width + (space if lines[-1] else 0.0)
            lines[-1].append((part, mark))
    return lines


def _text_line(line: List[Tuple[str, bool]], x: float, y: float, rtl: bool) -> str:
    if not any(mark for _, mark in line):
        return word(" ".join(shown for shown, _ in line), x, y, anchor="start", rtl=rtl)
    spans = [tag("tspan", escape(shown), class_="paws-changed") if mark else escape(shown) for shown, mark in line]
    return tag("text", " ".join(spans), x=x, y=y, text_anchor="start", direction="rtl" if rtl else "ltr")


def _word(shown: str, x: float, y: float, mark: bool, room: float) -> str:
    return word(shorten(shown, FONT_SIZE, room), x, y, class_="paws-changed" if mark else "", full=shown)


def _box(x: float, y: float, width: float, height: float, number_: int) -> str:
    c = (number_ - 1) % N_COLOURS
    return tag("rect", x=x, y=y, width=width, height=height, rx=5, class_=f"paws-box paws-c{c} paws-f{c}")


def _badge(x: float, y: float, number_: int) -> str:
    return word(str(number_), x, y, class_="paws-badge")


Point = Tuple[float, float]


def _arc(start: Point, one: Point, two: Point, end: Point, number_: int) -> str:
    points = " ".join(f"{number(x)} {number(y)}" for x, y in (one, two, end))
    path = f"M{number(start[0])} {number(start[1])}C{points}"
    return tag("path", d=path, class_=f"paws-arc paws-c{(number_ - 1) % N_COLOURS}")
