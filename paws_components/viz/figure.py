"""A figure: one thing drawn for wide and for narrow places, and a caption. The style sheet shows the one that fits."""

from dataclasses import dataclass
from typing import Optional

from .svg import drawing, tag
from .theme import STEPS

# Above this a drawing fits on no usual screen beside anything else: the narrow layout, at twice its width, takes over.
MAX_WIDE = 1200.0
NARROW_WIDTH = 320.0
BROAD_WIDTH = 760.0
FONT_SIZE = 14.0


@dataclass
class Drawing:
    """The inside of a picture and its size."""

    width: float
    height: float
    body: str

    def markup(self, label: str) -> str:
        return drawing(self.width, self.height, label, self.body)


def figure(
    style: str, label: str, wide: Optional[Drawing], narrow: Optional[Drawing], caption: str, before: str = ""
) -> str:
    """A figure from one or two drawings of the same.

    style (str): The name of the style, which becomes a class.
    label (str): What is shown, for those who cannot see it.
    wide (Optional[Drawing]): For places that are wide enough for it.
    narrow (Optional[Drawing]): For all others.
    caption (str): Markup under the picture.
    before (str): Markup above it.
    RETURNS (str): The markup.
    """
    parts = [before]
    classes = f"paws-figure paws-{style}"
    inner = []
    if wide is not None:
        inner.append(tag("div", wide.markup(label), class_="paws-wide paws-scroll"))
    if narrow is not None:
        inner.append(tag("div", narrow.markup(label), class_="paws-narrow" if wide is not None else "paws-only"))
    step = next((step for step in STEPS if wide is not None and step >= wide.width), STEPS[-1])
    parts.append(tag("div", *inner, class_=f"paws-w{step}"))
    parts.append(tag("figcaption", caption))
    return tag("figure", *(part + "\n" for part in parts if part), class_=classes)
