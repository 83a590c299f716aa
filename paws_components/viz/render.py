"""`render`: pairs drawn in displaCy's manner."""

import re
from functools import partial
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Union

from spacy.tokens import Doc
from spacy.util import is_in_jupyter

from ..errors import Errors, PawsError
from ..records import PairRecord
from . import alignment, positions, swap
from .inputs import Pair, Renderable, to_pairs
from .svg import tag
from .text import escape
from .theme import THEMES, figure_css

Drawer = Callable[..., str]
STYLES: Dict[str, Tuple[Drawer, Dict[str, Any]]] = {
    "swap": (swap.render_swap, swap.DEFAULT_OPTIONS),
    "alignment": (alignment.render_alignment, alignment.DEFAULT_OPTIONS),
    "positions": (positions.render_positions, positions.DEFAULT_OPTIONS),
}
# What every style understands, besides its own.
COMMON_OPTIONS: Dict[str, Any] = {"nlp": None, "lang": None, "theme": "auto", "title": "Sentence pairs"}

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>{title}</title>
<style>{css}
body {{ margin: 0; padding: 1rem; background: var(--paws-bg); }}
</style>
</head>
<body class="paws-page">
{body}
</body>
</html>"""


def render(
    docs: Union[Renderable, Iterable[Renderable]],
    style: str = "swap",
    *,
    jupyter: Optional[bool] = None,
    page: bool = False,
    minify: bool = False,
    options: Optional[Dict[str, Any]] = None,
) -> Optional[str]:
    """Draw pairs as HTML with inline SVG: no script, no font and nothing else from outside.

    docs (Union[Doc, PairRecord, Iterable]): A pair Doc, a Doc with `doc._.paws_swaps`, a record, or several of them.
    style (str): "swap" (what moved), "alignment" (lines between equal words) or "positions" (relative positions).
    jupyter (Optional[bool]): Show it in the notebook; None to find out whether there is one.
    page (bool): A whole HTML page in place of a fragment.
    minify (bool): Without line breaks.
    options (Optional[Dict[str, Any]]): Settings of the style, and "nlp", "lang", "theme" and "title" for all.
    RETURNS (Optional[str]): The markup; None where a notebook shows it.
    """
    if style not in STYLES:
        raise PawsError(Errors.P161.format(name=style, known=", ".join(STYLES)))
    draw, defaults = STYLES[style]
    common, own = _split_options(options or {}, defaults, style)
    single = isinstance(docs, (Doc, PairRecord)) or not _is_iterable(docs)
    items: List[Any] = [docs] if single else list(docs)  # type: ignore[arg-type]
    figures: List[str] = []
    for item in items:
        pairs = to_pairs(item, common["nlp"], common["lang"])
        figures.extend(map(partial(draw, **own), pairs))
        if not pairs:
            figures.append(_nothing(item))
    html = _assemble(figures, common, page)
    if minify:
        html = re.sub(r"\s*\n\s*", "", html)
    if jupyter or (jupyter is None and is_in_jupyter()):
        _show(html)
        return None
    return html


def draw_pair(pair: Pair, style: str) -> str:
    """One figure with the style's default options, without the style sheet: for pages that have it already."""
    draw, defaults = STYLES[style]
    return draw(pair, **defaults)


def _split_options(
    options: Dict[str, Any], defaults: Dict[str, Any], style: str
) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    known = {**COMMON_OPTIONS, **defaults}
    for name in options:
        if name not in known:
            raise PawsError(Errors.P164.format(name=name, style=style, known=", ".join(known)))
    settings = {**known, **options}
    for name, allowed in (("theme", THEMES), ("sort", positions.SORTS)):
        if name in settings and settings[name] not in allowed:
            what = "one of " + ", ".join(allowed)
            raise PawsError(Errors.P015.format(name=name, what=what, value=settings[name]))
    return {name: settings[name] for name in COMMON_OPTIONS}, {name: settings[name] for name in defaults}


def _is_iterable(value: object) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, (str, bytes, dict))


def _assemble(figures: List[str], common: Dict[str, Any], page: bool) -> str:
    body = "\n".join(figures)
    if page:
        css = figure_css(common["theme"], scope=".paws-page")
        return PAGE.format(title=escape(common["title"]), css=css, body=body)
    # Each theme under a class of its own: a notebook may hold renderings of several.
    scope = f"paws-{common['theme']}"
    css = figure_css(common["theme"], scope=f".{scope}")
    return tag("div", tag("style", css), "\n", body, class_=f"paws-render {scope}")


def _nothing(doc: Doc) -> str:
    """A Doc for which the swapper found nothing."""
    text = tag("p", escape(doc.text), dir="auto")
    return tag("figure", text, tag("figcaption", "No swap was found."), class_="paws-figure")


def _show(html: str) -> None:
    try:
        from IPython.display import HTML, display
    except ImportError as error:
        raise PawsError(Errors.P165) from error
    # Within this class MathJax leaves dollar signs alone, as in displaCy.
    display(HTML(tag("span", html, class_="tex2jax_ignore")))
