from typing import Callable, List, Optional, Tuple

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ...pairs import pair_spans, swap_words
from .either_order import Sides

POOLING = ("mean", "max")


def pooled_sides(tok2vec: Model[List[Doc], List[Floats2d]], pooling: str) -> Model[List[Doc], Sides]:
    """A vector for each sentence of pair Docs. The tab between them goes unused, an empty sentence is zeros.

    tok2vec (Model[List[Doc], List[Floats2d]]): The vectors of the tokens; a layer, or a listener to a component.
    pooling (str): "mean" or "max".
    """
    return Model("pooled_sides", forward, init=init, layers=[tok2vec], attrs={"pooling": pooling})


def predict_swapped(model: Model[List[Doc], Sides], docs: List[Doc], sides: Sides) -> Sides:
    """What the layer would say of the Docs with their second sentence first.

    A layer that looks at a word's neighbours sees others across the tab then, so it reads the swapped Docs. A listener
    has nothing to say of Docs that its component never saw: the two sides change places.

    model (Model[List[Doc], Sides]): The layer.
    docs (List[Doc]): The Docs as they are.
    sides (Sides): What it said of these.
    RETURNS (Sides): The sides, swapped.
    """
    if any(hasattr(node, "upstream_name") for node in model.walk()):
        return sides[1], sides[0]
    return model.predict([swap_words(doc) for doc in docs])


def forward(model: Model[List[Doc], Sides], docs: List[Doc], is_train: bool) -> Tuple[Sides, Callable]:
    vectors, bp_vectors = model.layers[0](docs, is_train)
    spans = [pair_spans(doc) for doc in docs]
    bounds = [[(side.start, side.end) for side in sides] for sides in zip(*spans)] if docs else [[], []]
    (first, bp_first), (second, bp_second) = (_pool(model, vectors, side) for side in bounds)

    def backprop(d_sides: Sides) -> List[Doc]:
        d_vectors = [model.ops.alloc2f(*rows.shape) for rows in vectors]
        bp_first(d_sides[0], d_vectors)
        bp_second(d_sides[1], d_vectors)
        bp_vectors(d_vectors)
        return []

    return (first, second), backprop


def _pool(
    model: Model, vectors: List[Floats2d], bounds: List[Tuple[int, int]]
) -> Tuple[Floats2d, Callable[[Floats2d, List[Floats2d]], None]]:
    """Pool a span of each array, and how to add the gradient of that to the gradients of the arrays."""
    xp = model.ops.xp
    largest = model.attrs["pooling"] == "max"
    pooled = model.ops.alloc2f(len(vectors), vectors[0].shape[1] if vectors else 0)
    for row, (rows, (start, end)) in enumerate(zip(vectors, bounds)):
        if end > start:
            pooled[row] = rows[start:end].max(axis=0) if largest else rows[start:end].mean(axis=0)

    def backprop(d_pooled: Floats2d, d_vectors: List[Floats2d]) -> None:
        for row, (start, end) in enumerate(bounds):
            if end > start and largest:
                where = vectors[row][start:end].argmax(axis=0) + start
                d_vectors[row][where, xp.arange(where.shape[0])] += d_pooled[row]
            elif end > start:
                d_vectors[row][start:end] += d_pooled[row] / (end - start)

    return pooled, backprop


def init(model: Model[List[Doc], Sides], X: Optional[List[Doc]] = None, Y: Optional[Floats2d] = None) -> None:
    model.layers[0].initialize(X=X)
