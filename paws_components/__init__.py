"""Adversarial paraphrase data inside spaCy."""

import pluggy

__version__ = "0.1.0"

# Plugins mark their hooks with this: `from paws_components import hookimpl`.
hookimpl = pluggy.HookimplMarker("paws_components")

__all__ = ["__version__", "hookimpl"]
