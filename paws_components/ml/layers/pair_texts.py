from typing import Callable, List, Tuple

from spacy.tokens import Doc
from thinc.api import Model

from ...pairs import pair_spans

Texts = Tuple[List[str], List[str]]


def pair_texts() -> Model[List[Doc], Texts]:
    """The texts of pair Docs: of the first sentences and, in the same order, of the second ones."""
    return Model("pair_texts", forward)


def forward(model: Model[List[Doc], Texts], docs: List[Doc], is_train: bool) -> Tuple[Texts, Callable]:
    spans = [pair_spans(doc) for doc in docs]
    return ([first.text for first, _ in spans], [second.text for _, second in spans]), backprop


def backprop(d_texts: Texts) -> List[Doc]:
    return []
