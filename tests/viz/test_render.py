import subprocess
import sys

import pytest

import paws_components
from paws_components.errors import PawsError
from paws_components.pairs import make_pair
from paws_components.records import PairRecord
from paws_components.viz.render import STYLES, render

from .browser import find_browser, probe
from .conftest import check_markup

PAIR = PairRecord("Can a bad person become good?", "Can a good person become bad?")


def test_it_is_public():
    assert paws_components.render is render


def test_the_package_stays_light():
    code = "import sys, paws_components; assert 'spacy' not in sys.modules; paws_components.render; print('ok')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "ok", done.stderr


@pytest.mark.parametrize("style", STYLES)
def test_any_pair_gives_well_formed_markup(style, record):
    root = check_markup(render(record, style=style, jupyter=False))
    assert [element.tag for element in root] == ["style", "figure"]
    page = check_markup(render(record, style=style, jupyter=False, page=True, options={"title": record.sentence2}))
    assert page.tag == "html"


@pytest.mark.parametrize("style", STYLES)
def test_a_very_long_word_takes_little_work(style, monkeypatch):
    from paws_components.viz import text

    measured = []
    width_of = text._char_width
    monkeypatch.setattr(text, "_char_width", lambda char: measured.append(1) or width_of(char))
    long = "x" * 5_000
    record = PairRecord(f"The {long} sat here .", f"Here sat the {long} .")
    check_markup(render(record, style=style, jupyter=False))
    assert len(measured) < 500_000


@pytest.mark.parametrize("style", STYLES)
def test_docs_and_records_and_lists(style, en_nlp):
    doc = make_pair(en_nlp, PAIR.sentence1, PAIR.sentence2)
    one = render(doc, style=style, jupyter=False)
    assert one == render(PAIR, style=style, jupyter=False, options={"nlp": en_nlp})
    assert check_markup(render([doc, PAIR], style=style, jupyter=False)).findall("figure")[1:]
    assert len(check_markup(render(iter([PAIR] * 3), style=style, jupyter=False)).findall("figure")) == 3
    assert not check_markup(render([], style=style, jupyter=False)).findall("figure")


@pytest.mark.parametrize("style", STYLES)
def test_a_doc_with_swaps_in_every_style(style, en_nlp):
    from paws_components.models import load_pipeline

    nlp = load_pipeline()
    nlp.add_pipe("paws_swapper")
    found, none = nlp("Can a bad person become good?"), nlp("Hello.")
    assert found._.paws_swaps and none._.paws_swaps == []
    root = check_markup(render([found, none], style=style, jupyter=False))
    captions = ["".join(figure.find("figcaption").itertext()) for figure in root.findall("figure")]
    assert "nats" in captions[0] and captions[1] == "No swap was found."


@pytest.mark.parametrize("style", STYLES)
def test_minified_markup_says_the_same(style, records):
    whole, small = (render(records, style=style, jupyter=False, minify=minify) for minify in (False, True))
    assert "\n" not in small and len(small) < len(whole)
    texts = [["".join(text.itertext()) for text in check_markup(html).iter("text")] for html in (whole, small)]
    assert texts[0] == texts[1]


def test_rendering_is_deterministic(records):
    assert render(records, style="swap", jupyter=False) == render(records, style="swap", jupyter=False)


def test_themes():
    auto, light, dark = (render(PAIR, jupyter=False, options={"theme": theme}) for theme in ("auto", "light", "dark"))
    assert "prefers-color-scheme: dark" in auto
    assert "prefers-color-scheme" not in light and "prefers-color-scheme" not in dark
    assert "color-scheme: dark" in dark and light != dark


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"style": "dep"}, "P161.*swap, alignment, positions"),
        ({"options": {"colour": "red"}}, "P164.*'colour'"),
        ({"options": {"theme": "blue"}}, "P015.*auto, light, dark"),
        ({"style": "positions", "options": {"sort": "size"}}, "P015.*position, shift"),
    ],
)
def test_wrong_settings_are_named(arguments, said):
    with pytest.raises(PawsError, match=said):
        render(PAIR, jupyter=False, **arguments)


@pytest.mark.parametrize("item", ["a text", 3, None, {"sentence1": "a"}])
def test_wrong_things_are_named(item):
    with pytest.raises(PawsError, match="P162"):
        render(item, jupyter=False)


def test_in_a_notebook(monkeypatch):
    """With IPython the markup is shown and nothing comes back; without it that is said."""
    IPython = pytest.importorskip("IPython", reason="IPython is not installed")
    shown = []
    monkeypatch.setattr(IPython.display, "display", shown.append)
    assert render(PAIR, jupyter=True) is None
    assert "paws-figure" in shown[0].data


def test_without_a_notebook(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    with pytest.raises(PawsError, match="P165"):
        render(PAIR, jupyter=True)
    assert isinstance(render(PAIR), str)


@pytest.mark.skipif(find_browser() is None, reason="no Chromium on the PATH to measure pages with")
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("style", STYLES)
def test_in_a_browser_nothing_overlaps_or_sticks_out(style, width, records, tmp_path):
    found = probe(render(records, style=style, jupyter=False, page=True), tmp_path, width)
    assert found["width"] == width and found["texts"] > 100
    assert found["scroll"] <= width
    assert (found["overlaps"], found["outside"], found["small"]) == ([], [], 0)
