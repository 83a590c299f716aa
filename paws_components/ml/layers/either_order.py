from typing import Any, Callable, List, Optional, Tuple

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

# The first sentences and the second ones, as texts or as vectors.
Sides = Tuple[Any, Any]
Swap = Callable[[Model[List[Doc], Sides], List[Doc], Sides], Sides]


def either_order(
    sides: Model[List[Doc], Sides], scored: Model[Sides, Floats2d], swap: Swap
) -> Model[List[Doc], Floats2d]:
    """Predict the mean of what a model says of (a, b) and of (b, a); training sees the pairs as they come.

    sides (Model[List[Doc], Sides]): Takes pair Docs apart.
    scored (Model[Sides, Floats2d]): Gives the scores of the labels.
    swap (Callable): Gives the sides of the swapped Docs, from the layer, the Docs and their own sides.
    RETURNS (Model[List[Doc], Floats2d]): The two in a chain, with an answer that does not depend on the order.
    """
    # The dimension is there for thinc to hand down the labels when it initialises.
    attrs = {"swap": swap}
    return Model("either_order", forward, init=init, layers=[sides, scored], dims={"nO": None}, attrs=attrs)


def swap_sides(layer: Model[List[Doc], Sides], docs: List[Doc], sides: Sides) -> Sides:
    """Let the sides change places: right where each was made from its own sentence alone."""
    return sides[1], sides[0]


def forward(model: Model[List[Doc], Floats2d], docs: List[Doc], is_train: bool) -> Tuple[Floats2d, Callable]:
    taken, scored = model.layers
    sides, bp_sides = taken(docs, is_train)
    scores, bp_scores = scored(sides, is_train)
    if not is_train:
        scores = (scores + scored.predict(model.attrs["swap"](taken, docs, sides))) / 2

    def backprop(d_scores: Floats2d) -> List[Doc]:
        return bp_sides(bp_scores(d_scores))

    return scores, backprop


def init(model: Model[List[Doc], Floats2d], X: Optional[List[Doc]] = None, Y: Optional[Floats2d] = None) -> None:
    taken, scored = model.layers
    taken.initialize(X=X)
    scored.initialize(X=None if X is None else taken.predict(X), Y=Y)
    if scored.has_dim("nO"):
        model.set_dim("nO", scored.get_dim("nO"))
