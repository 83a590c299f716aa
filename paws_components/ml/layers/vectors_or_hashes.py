"""The pipeline's vectors where it has any, else trained embeddings: which of the two is seen on initialising."""

from typing import Any, Callable, List, Optional, Tuple

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Ragged


def vectors_or_hashes(vectors: Model[List[Doc], Ragged], hashes: Model[List[Doc], Ragged]) -> Model[List[Doc], Ragged]:
    """Take one of two embeddings, for good. The other one gets no weights.

    vectors (Model[List[Doc], Ragged]): For a vocabulary with vectors.
    hashes (Model[List[Doc], Ragged]): For one without.
    """
    return Model("vectors_or_hashes", forward, init=init, layers=[vectors, hashes], attrs={"has_vectors": None})


def forward(model: Model, docs: List[Doc], is_train: bool) -> Tuple[Ragged, Callable]:
    return _chosen(model)(docs, is_train)


def init(model: Model, X: Optional[List[Doc]] = None, Y: Any = None) -> None:
    if X:
        model.attrs["has_vectors"] = all(X[0].vocab.vectors.shape)
        _chosen(model).initialize(X=X)


def _chosen(model: Model) -> Model[List[Doc], Ragged]:
    vectors, hashes = model.layers
    return vectors if model.attrs["has_vectors"] else hashes
