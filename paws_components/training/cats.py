"""The labels of pairs as `doc.cats` has them."""

from typing import Dict, Optional

from ..curation.labels import NLI, Label

PARAPHRASE, NOT_PARAPHRASE = "paraphrase", "not_paraphrase"
# `textcat` takes its columns in the order in which it meets the labels. A model that computes one number, how alike the
# sentences are, gives it out as the second column: 1 - c, c.
BINARY_CATS = (NOT_PARAPHRASE, PARAPHRASE)


def label_name(label: Label) -> str:
    """The name of a label: an NLI judgement has its own."""
    return label if isinstance(label, str) else BINARY_CATS[label]


def family(name: str) -> tuple:
    """All labels that a pair could have had, in the order of `doc.cats`."""
    return NLI if name in NLI else BINARY_CATS


def make_cats(name: str) -> Dict[str, float]:
    """The `doc.cats` of a pair: every label that it could have had, with 1.0 for its own."""
    return {other: float(other == name) for other in family(name)}


def read_cats(cats: Dict[str, float]) -> Optional[str]:
    """The name of the label that `doc.cats` says; None if it says none or several."""
    said = [name for name, value in cats.items() if value == 1.0]
    return said[0] if len(said) == 1 else None
