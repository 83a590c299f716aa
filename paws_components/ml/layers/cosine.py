"""The cosine of two sentence encodings as scores of two labels, with a loss of its own."""

from typing import Any, Callable, Tuple

from thinc.api import Model
from thinc.types import Floats2d

from ...errors import Errors, PawsError

LOSSES = ("cross_entropy", "squared")
EPSILON = 1e-8


def cosine(loss: str, scale: float) -> Model[Floats2d, Floats2d]:
    """The columns 1 - c and c, where c is the cosine of the two halves of a row, and 0 where it is negative.

    `textcat` gives back `scores - truths`, which is the gradient of the cross-entropy at the logits of a softmax. There
    are none here; so the truths are recovered from it, and the gradient is that of the loss that is asked for:

    "cross_entropy": of the probability sigmoid(scale * (c - 0.5)), which is even where the papers draw the line.
    "squared": of scale * (c - truth) ** 2 / 2.

    loss (str): One of the two.
    scale (float): How steep the loss is.
    """
    if loss not in LOSSES:
        raise PawsError(Errors.P015.format(name="loss", what=f"one of {', '.join(LOSSES)}", value=loss))
    if not scale > 0:
        raise PawsError(Errors.P015.format(name="scale", what="more than 0", value=scale))
    # Which column c is in depends on the order of the labels, which is known when training begins.
    attrs = {"positive": 1, "loss": loss, "scale": float(scale)}
    return Model("cosine", forward, attrs=attrs)


def forward(model: Model, encodings: Floats2d, is_train: bool) -> Tuple[Floats2d, Callable]:
    xp, positive, scale = model.ops.xp, model.attrs["positive"], model.attrs["scale"]
    width = encodings.shape[1] // 2
    u, v = encodings[:, :width], encodings[:, width:]
    norm_u, norm_v = _norms(xp, u), _norms(xp, v)
    unit_u, unit_v = u / norm_u, v / norm_v
    c: Any = (unit_u * unit_v).sum(axis=1)
    scores = model.ops.alloc2f(len(c), 2)
    scores[:, positive] = xp.clip(c, 0.0, 1.0)
    scores[:, 1 - positive] = 1.0 - scores[:, positive]

    def backprop(d_scores: Floats2d) -> Floats2d:
        truths = (scores - d_scores)[:, positive]
        if model.attrs["loss"] == "cross_entropy":
            d_c = scale * (1.0 / (1.0 + xp.exp(-scale * (c - 0.5))) - truths)
        else:
            d_c = scale * (c - truths)
        # An empty sentence has no direction that could be turned.
        d_c = d_c * (norm_u > EPSILON)[:, 0] * (norm_v > EPSILON)[:, 0]
        d_u = (d_c[:, None] * (unit_v - c[:, None] * unit_u)) / norm_u
        d_v = (d_c[:, None] * (unit_u - c[:, None] * unit_v)) / norm_v
        return model.ops.asarray2f(xp.concatenate((d_u, d_v), axis=1))

    return scores, backprop


def _norms(xp: Any, rows: Floats2d) -> Floats2d:
    return xp.maximum(xp.sqrt((rows * rows).sum(axis=1, keepdims=True)), EPSILON)
