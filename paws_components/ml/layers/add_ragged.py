"""The sum of several embeddings of the same tokens."""

from typing import Any, Callable, List, Tuple

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Ragged


def add_ragged(*parts: Model[List[Doc], Ragged]) -> Model[List[Doc], Ragged]:
    """Add up what the parts say of each token (thinc's `add` knows no Ragged).

    *parts (Model[List[Doc], Ragged]): The embeddings, all of one width.
    """
    return Model("add_ragged", forward, init=init, layers=list(parts))


def forward(model: Model, docs: List[Doc], is_train: bool) -> Tuple[Ragged, Callable]:
    results = [part(docs, is_train) for part in model.layers]
    lengths = results[0][0].lengths
    total = results[0][0].dataXd.copy()
    for ragged, _ in results[1:]:
        total += ragged.dataXd

    def backprop(d_sum: Ragged) -> List[Doc]:
        for _, callback in results:
            # A part may change its gradient in place, as dropout does.
            callback(Ragged(d_sum.dataXd.copy(), lengths))
        return []

    return Ragged(total, lengths), backprop


def init(model: Model, X: Any = None, Y: Any = None) -> None:
    for part in model.layers:
        part.initialize(X=X)
