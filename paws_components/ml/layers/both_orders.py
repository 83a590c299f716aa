"""The mean of what a classifier says of (a, b) and of (b, a)."""

from functools import partial
from typing import Any, Callable, Tuple

from thinc.api import Model
from thinc.types import Floats2d

from .pairs import Pairs


def both_orders(classifier: Model[Pairs, Floats2d], symmetric: bool) -> Model[Pairs, Floats2d]:
    """With `symmetric`, predictions are the mean over both orders. Training sees the order of the data.

    classifier (Model[Pairs, Floats2d]): Gives probabilities.
    symmetric (bool): Whether to ask it twice. The setting is not a part of what is saved, so that a trained pipeline
        can be loaded with either.
    """
    return Model("both_orders", partial(forward, symmetric), init=init, layers=[classifier], dims={"nO": None})


def forward(symmetric: bool, model: Model, pairs: Pairs, is_train: bool) -> Tuple[Floats2d, Callable]:
    classifier = model.layers[0]
    scores, backprop = classifier(pairs, is_train)
    if symmetric and not is_train:
        scores = (scores + classifier.predict(pairs.swapped())) / 2
    return scores, backprop


def init(model: Model, X: Any = None, Y: Any = None) -> None:
    model.layers[0].initialize(X=X, Y=Y)
    model.set_dim("nO", model.layers[0].get_dim("nO"))
