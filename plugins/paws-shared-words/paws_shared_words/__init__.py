"""Attacks on paraphrase classifiers by modification with shared words, for paws-components.

The sections and tables that comments name are those of Shi and Huang, "Robustness to Modification with Shared Words in
Paraphrase Identification" (Findings of EMNLP 2020).
"""

from typing import Any, Callable

from paws_components.plugin import hookimpl

__version__ = "0.1.0"


@hookimpl
def paws_register_generators(register: Callable[..., Any]) -> None:
    # Imports neither torch nor transformers: that waits for the first pair.
    from .generator import SharedWords

    register("shared_words", SharedWords, needs=["tagger", "attribute_ruler"], chunk=32, takes_pairs=True)
