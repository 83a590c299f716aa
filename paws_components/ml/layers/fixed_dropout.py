from typing import Callable, Tuple

from thinc.api import Model
from thinc.types import Floats2d


def fixed_dropout(rate: float) -> Model[Floats2d, Floats2d]:
    """Dropout at a rate of its own. thinc's layer takes whatever rate `[training]` has, at every step.

    rate (float): The share of cells that are zeroed while training.
    """
    return Model("fixed_dropout", forward, attrs={"rate": rate})


def forward(model: Model[Floats2d, Floats2d], X: Floats2d, is_train: bool) -> Tuple[Floats2d, Callable]:
    if not is_train or not model.attrs["rate"]:
        return X, _unchanged
    mask = model.ops.get_dropout_mask(X.shape, model.attrs["rate"])

    def backprop(dY: Floats2d) -> Floats2d:
        return dY * mask

    return X * mask, backprop


def _unchanged(dY: Floats2d) -> Floats2d:
    return dY
