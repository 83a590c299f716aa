import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

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


def test_direction():
    assert is_rtl(["كتب", "الولد", "ok"])
    assert is_rtl(["שלום"])
    assert not is_rtl(["Cairo", "(القاهرة)", "is", "large", "indeed"])
    assert not is_rtl([]) and not is_rtl(["123", "!"])
