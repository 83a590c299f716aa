"""Adversarial paraphrase data inside spaCy."""

from typing import Any

__version__ = "0.1.0"

# What is worth a short name, and the module it lives in. Looked up when first asked for: importing the package alone
# must stay light, and every pipeline of everybody imports it.
_LAZY = {
    "hookimpl": "hookspecs",
    "render": "viz.render",
    "make_pair": "pairs",
    "pair_spans": "pairs",
    "pipe_pairs": "pairs",
}

__all__ = ["__version__", *_LAZY]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_LAZY[name]}", __name__), name)
