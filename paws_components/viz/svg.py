"""Markup from Python, well-formed by construction: children are markup already, attributes are escaped here."""

from typing import Dict, Union

from .text import escape

Value = Union[str, int, float]


def tag(name: str, *children: str, **attributes: Value) -> str:
    """An element.

    name (str): Its name.
    *children (str): Markup that stands within it; text goes through `escape` first.
    **attributes (Union[str, int, float]): `text_anchor` becomes text-anchor, `class_` class.
    RETURNS (str): The markup, closed, so that XML parsers read it too.
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    inner = "".join(children)
    return f"<{name}{given}>{inner}</{name}>" if inner or name in FILLED else f"<{name}{given} />"


# Browsers read "<script />" as an opening tag: of these a closing tag is always written.
FILLED = frozenset("a b bdi button details div figure label option p path script select span style svg td th".split())


def number(value: float) -> str:
    """A coordinate: a tenth of a pixel is as fine as anyone sees."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def _value(value: Value) -> str:
    return number(value) if isinstance(value, float) else escape(str(value))


def word(
    text: str, x: float, y: float, *, anchor: str = "middle", class_: str = "", full: str = "", rtl: bool = False
) -> str:
    """A word in a drawing; where it was shortened the whole of it is its tooltip."""
    attributes: Dict[str, Value] = {"x": x, "y": y, "text_anchor": anchor}
    if class_:
        attributes["class_"] = class_
    if rtl:
        attributes["direction"] = "rtl"
    title = tag("title", escape(full)) if full and full != text else ""
    return tag("text", title, escape(text), **attributes)


def drawing(width: float, height: float, label: str, *children: str) -> str:
    """A picture that says what it shows to those who cannot see it."""
    return tag(
        "svg",
        *(child + "\n" for child in children if child),
        role="img",
        aria_label=label,
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        direction="ltr",
    )
