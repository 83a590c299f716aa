import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_components.viz import text as module
from paws_components.viz.text import ELLIPSIS, break_word, escape, is_rtl, shorten, text_width


@given(st.text(alphabet=st.characters()))
def test_whatever_is_escaped_is_text_again(text):
    for markup in (f"<p>{escape(text)}</p>", f'<p title="{escape(text)}" />'):
        markup.encode("utf8")
        element = ElementTree.fromstring(markup)
        assert not list(element) and set(element.attrib) <= {"title"}


def test_plain_text_comes_back_as_it_is():
    text = "Łódź & <b>\"bold\"</b> 'café' 😀 القاهرة"
    assert ElementTree.fromstring(f"<p>{escape(text)}</p>").text == text


def test_what_cannot_be_written_is_replaced():
    assert escape("a\x00b\ud800c\ufffed") == "a\ufffdb\ufffdc\ufffdd"


def test_text_stays_on_one_line():
    assert escape(" a\n\tb\u2028c ") == "a b c"


def test_wider_texts_are_wider():
    assert text_width("ill", 14) < text_width("abc", 14) < text_width("WWW", 14) < text_width("東京都市", 14)
    assert text_width("e\u0301", 14) == text_width("e", 14)
    assert text_width("abc", 28) == 2 * text_width("abc", 14)


@given(st.text(min_size=1, max_size=80), st.floats(60, 200))
def test_shortened_words_fit(text, width):
    short = shorten(text, 14, width)
    assert short == text or (ELLIPSIS in short and text_width(short, 14) <= width)


@given(st.text(min_size=1, max_size=80), st.floats(30, 200))
def test_broken_words_fit_and_lose_nothing(text, width):
    parts = break_word(text, 14, width)
    assert "".join(parts) == text
    assert all(text_width(part, 14) <= width for part in parts)


def shorten_letter_by_letter(text, size, width):
    """What `shorten` means: a letter less, until it fits."""
    if text_width(text, size) <= width:
        return text
    keep = len(text) - 1
    while keep > 2 and text_width(module._cut(text, keep), size) > width:
        keep -= 1
    return module._cut(text, keep)


def break_letter_by_letter(text, size, width):
    """What `break_word` means: a letter more, as long as it fits."""
    parts = [""]
    for char in text:
        if parts[-1] and text_width(parts[-1] + char, size) > width:
            parts.append("")
        parts[-1] += char
    return parts


# Letters of all widths, those of none among them.
LETTERS = st.text(st.sampled_from("iIlaMW.-—東😀\u0301\u200d ") | st.characters(), max_size=120)


@given(LETTERS, st.floats(0, 300))
def test_lengths_are_found_as_letter_by_letter(text, width):
    assert shorten(text, 14, width) == shorten_letter_by_letter(text, 14, width)
    assert break_word(text, 14, width) == break_letter_by_letter(text, 14, width)


@pytest.mark.parametrize("letters", ["x", "i", "W", "e\u0301", "\u0301", "😀", "-"])
@pytest.mark.parametrize("cut", [shorten, break_word])
def test_the_work_grows_with_the_length_of_a_word_and_not_faster(monkeypatch, letters, cut):
    measured = []
    width_of = module._char_width
    monkeypatch.setattr(module, "_char_width", lambda char: measured.append(1) or width_of(char))
    counts = []
    for length in (1_000, 4_000):
        measured.clear()
        cut(letters * (length // len(letters)), 14, 280.0)
        counts.append(len(measured))
    assert counts[0] < 30 * 1_000 and counts[1] < 6 * counts[0]


def test_direction():
    assert is_rtl(["كتب", "الولد", "ok"])
    assert is_rtl(["שלום"])
    assert not is_rtl(["Cairo", "(القاهرة)", "is", "large", "indeed"])
    assert not is_rtl([]) and not is_rtl(["123", "!"])
