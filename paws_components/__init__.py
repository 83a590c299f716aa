"""Adversarial paraphrase data inside spaCy."""

from importlib import import_module
from typing import Any

import pluggy

__version__ = "0.1.0"

# Plugins mark their hooks with this: `from paws_components import hookimpl`.
hookimpl = pluggy.HookimplMarker("paws_components")

# Where the functions live that users import from here; looked up when first asked for, so that plugins and the
# command start without spaCy.
_FUNCTIONS = {"render": "paws_components.viz.render"}

__all__ = ["__version__", "hookimpl", "render"]


def __getattr__(name: str) -> Any:
    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
