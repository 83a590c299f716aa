from typing import Callable, Tuple

from thinc.api import Model
from thinc.types import Floats2d

from .either_order import Sides


def matched_sides() -> Model[Sides, Floats2d]:
    """What two sentence vectors say of each other: [u; v; |u - v|; u * v], as Mou (2016) and InferSent have it."""
    return Model("matched_sides", forward)


def forward(model: Model[Sides, Floats2d], sides: Sides, is_train: bool) -> Tuple[Floats2d, Callable]:
    xp = model.ops.xp
    u, v = sides
    matched = xp.concatenate((u, v, xp.abs(u - v), u * v), axis=1)

    def backprop(d_matched: Floats2d) -> Sides:
        d_u, d_v, d_difference, d_product = xp.split(d_matched, 4, axis=1)
        d_difference = d_difference * xp.sign(u - v)
        return d_u + d_difference + d_product * v, d_v - d_difference + d_product * u

    return matched, backprop
