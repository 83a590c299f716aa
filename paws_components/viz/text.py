"""Text as markup needs it: escaped, measured without a font at hand, shortened, and its direction told."""

import html
import re
import unicodedata
from typing import Callable, Iterable, List

ELLIPSIS = "…"
# What neither XML nor HTML may hold, and what UTF-8 cannot write: shown as the replacement character.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# The widths of DejaVu Sans in em, roughly. Other interface fonts are narrower, so words drawn by them never meet.
NARROW, SLIM, PLAIN, BROAD, FULL = 0.32, 0.42, 0.63, 0.72, 0.98
WIDTHS = {
    **dict.fromkeys("ijlI.,:;'|! ", NARROW),
    **dict.fromkeys('ftr()[]{}-`"/\\', SLIM),
    **dict.fromkeys("mwMW@%", FULL),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&+=<>~#", BROAD),
}
EMOJI = 1.35
# No printed text is wider to the layout than this; a token may be a whole address or a line of dashes.
MAX_WORD = 20.0


SURROGATES = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """The text with what spaCy can't take, halves of characters, replaced one for one."""
    return SURROGATES.sub("\ufffd", text)


def escape(text: str) -> str:
    """Text that is safe between tags and within quoted attributes, on one line."""
    return html.escape(FORBIDDEN.sub("\ufffd", " ".join(text.split())), quote=True)


def text_width(text: str, size: float) -> float:
    """About how wide a text is at a font size; rather too wide than too narrow."""
    return size * sum(_char_width(char) for char in text)


def _char_width(char: str) -> float:
    if char in WIDTHS:
        return WIDTHS[char]
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0.0  # drawn over its neighbour, or not at all
    if ord(char) >= 0x1F000:
        return EMOJI
    if char in "—…―" or unicodedata.category(char) in ("So", "Cc", "Cs", "Cn", "Co"):
        return 1.15  # signs, and what is shown as the replacement character
    if unicodedata.east_asian_width(char) in "WF":
        return 1.05
    return BROAD if char.isupper() else PLAIN


def shorten(text: str, size: float, width: float) -> str:
    """The text, or as much of its start and end as the width has room for, around an ellipsis."""
    if text_width(text, size) <= width:
        return text
    longest = len(text) - 1
    keep = _most(lambda keep: text_width(_cut(text, keep), size) <= width, min(2, longest), longest)
    return _cut(text, keep)


def break_word(text: str, size: float, width: float) -> List[str]:
    """A word in parts that each fit, without a hyphen: whoever copies it copies what is there."""
    parts = []
    start = 0
    while start < len(text):
        end = _part_end(text, start, size, width)
        parts.append(text[start:end])
        start = end
    return parts or [""]


def _part_end(text: str, start: int, size: float, width: float) -> int:
    """Where the part of a word that starts here ends; it has one letter at least."""
    return _most(lambda end: text_width(text[start:end], size) <= width, start + 1, len(text))


def _most(fits: Callable[[int], bool], least: int, most: int) -> int:
    """The largest number from least to most that fits, or least if none does; what is smaller than one that fits, fits
    too. Steps grow and shrink again, so that the work is that of the answer: a token may be a megabyte of letters."""
    found, step = least, 1
    while found + step <= most and fits(found + step):
        found += step
        step *= 2
    while step > 1:
        step //= 2
        if found + step <= most and fits(found + step):
            found += step
    return found


def _cut(text: str, keep: int) -> str:
    tail = keep // 3
    return text[: keep - tail] + ELLIPSIS + (text[-tail:] if tail else "")


def is_rtl(texts: Iterable[str]) -> bool:
    """Whether most letters of some texts are written from right to left."""
    count = 0
    for text in texts:
        for char in text:
            kind = unicodedata.bidirectional(char)
            count += (kind in ("R", "AL")) - (kind == "L")
    return count > 0
