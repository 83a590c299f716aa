"""Adversarial paraphrase data inside spaCy."""

from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from .api import audit, evaluate, generate, measure, write_pairs
    from .errors import PawsError
    from .hookspecs import hookimpl
    from .models import load_pipeline
    from .pairs import make_pair, pair_spans, pipe_pairs
    from .readers import open_pairs, open_texts, read_pairs
    from .records import PairRecord
    from .viz.render import render

__version__ = "0.1.0"

# The declared surface, and the module that each name lives in. They are looked up when first asked for: importing the
# package alone must stay light, and every pipeline of everybody imports it.
_LAZY = {
    "PairRecord": "records",
    "PawsError": "errors",
    "audit": "api",
    "evaluate": "api",
    "generate": "api",
    "hookimpl": "hookspecs",
    "load_pipeline": "models",
    "make_pair": "pairs",
    "measure": "api",
    "open_pairs": "readers",
    "open_texts": "readers",
    "pair_spans": "pairs",
    "pipe_pairs": "pairs",
    "read_pairs": "readers",
    "render": "viz.render",
    "write_pairs": "api",
}

__all__ = [
    "PairRecord",
    "PawsError",
    "__version__",
    "audit",
    "evaluate",
    "generate",
    "hookimpl",
    "load_pipeline",
    "make_pair",
    "measure",
    "open_pairs",
    "open_texts",
    "pair_spans",
    "pipe_pairs",
    "read_pairs",
    "render",
    "write_pairs",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted(__all__)
