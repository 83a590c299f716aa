"""Every way in: whatever holds pairs or texts, read in one way by every command."""

from .layouts import LAYOUTS, Layout, get_layout
from .pairs import Pairs, Source, open_pairs, read_pairs
from .row import Row
from .texts import Text, Texts, open_texts

__all__ = [
    "LAYOUTS",
    "Layout",
    "Pairs",
    "Row",
    "Source",
    "Text",
    "Texts",
    "get_layout",
    "open_pairs",
    "open_texts",
    "read_pairs",
]
