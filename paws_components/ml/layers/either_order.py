from typing import Any, Callable, Optional, Tuple

from thinc.api import Model
from thinc.types import Floats2d

# The first sentences and the second ones, as texts or as vectors.
Sides = Tuple[Any, Any]


def either_order(layer: Model[Sides, Floats2d]) -> Model[Sides, Floats2d]:
    """Predict the mean of what a layer says of (a, b) and of (b, a); training sees the pairs as they come.

    layer (Model[Sides, Floats2d]): Takes the two sides of many pairs, gives the scores of the labels.
    RETURNS (Model[Sides, Floats2d]): The same, with an answer that does not depend on the order.
    """
    # The dimension is there for thinc to hand down the labels when it initialises.
    return Model("either_order", forward, init=init, layers=[layer], dims={"nO": None})


def forward(model: Model[Sides, Floats2d], sides: Sides, is_train: bool) -> Tuple[Floats2d, Callable]:
    layer = model.layers[0]
    if is_train:
        return layer(sides, is_train)
    first, second = sides
    return (layer.predict((first, second)) + layer.predict((second, first))) / 2, _no_backprop


def _no_backprop(d_scores: Floats2d) -> Sides:
    return [], []


def init(model: Model[Sides, Floats2d], X: Optional[Sides] = None, Y: Optional[Floats2d] = None) -> None:
    model.layers[0].initialize(X=X, Y=Y)
    if model.layers[0].has_dim("nO"):
        model.set_dim("nO", model.layers[0].get_dim("nO"))
