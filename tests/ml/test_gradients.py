"""The gradients that reach the weights are those of the loss, by finite differences."""

import numpy
import pytest
from thinc.api import fix_random_seed

from ..training.configs import PAIRS, make_examples
from .cases import BLOCKS, make_pipeline

ROWS = [*PAIRS[:5], ("", "A dog.", "not_paraphrase"), ("A", "A", "paraphrase")]
STEPS = (1e-3, 3e-3, 3e-4)


def loss_of(name, scores, truths, positive):
    """The loss whose gradient `scores - truths` stands for, summed over the pairs."""
    if name.startswith(("bow", "bilstm")):
        c, truth = scores[:, positive], truths[:, positive]
        if name.endswith("squared"):
            return float((10 * (c - truth) ** 2 / 2).sum())
        p = 1 / (1 + numpy.exp(-10 * (c - 0.5)))
        return float(-(truth * numpy.log(p) + (1 - truth) * numpy.log(1 - p)).sum())
    return float(-(truths * numpy.log(scores)).sum())


def weights_of(model):
    """Every trained array: its name, the array, and the gradient that was left on it."""
    for node in model.walk():
        for name in node.param_names:
            if node.has_grad(name):
                yield f"{node.name}.{name}", node.get_param(name), node.get_grad(name)
        for shim in node.shims:
            for name, weights in shim._model.named_parameters():
                yield f"{node.name}.{name}", weights.data.numpy(), weights.grad.numpy()


@pytest.mark.parametrize("name, batch_size", [*((name, 64) for name in BLOCKS), ("bow", 2), ("esim-interaction", 2)])
def test_gradients(name, batch_size):
    # A softmax starts with weights of zero, which nothing flows back through.
    cosine = name.startswith(("bow", "bilstm"))
    nlp = make_pipeline({**BLOCKS[name], "batch_size": batch_size}, steps=0 if cosine else 2)
    textcat = nlp.get_pipe("textcat")
    examples = make_examples(nlp, ROWS)
    docs = [example.predicted for example in examples]
    scores, backprop = textcat.model.begin_update(docs)
    _, d_scores = textcat.get_loss(examples, scores)
    truths = textcat._examples_to_truth(examples)[0]
    positive = textcat.labels.index("paraphrase")
    # A negative cosine is shown as 0, so the loss can't be told from the scores there.
    assert not cosine or (scores[:5, positive] > 0).all()
    backprop(d_scores)
    fix_random_seed(0)

    def slope(weights, direction, step):
        before, values = weights.copy(), []
        for sign in (1, -1):
            weights[...] = before + sign * step * direction
            values.append(loss_of(name, textcat.model.predict(docs).astype("float64"), truths, positive))
        weights[...] = before
        return (values[0] - values[1]) / (2 * step)

    largest = 0.0
    for label, weights, gradient in weights_of(textcat.model):
        # All components in one sum; and upwards, where each counts.
        random = numpy.random.choice((-1.0, 1.0), weights.shape)
        if label == "hashembed.E":
            random[~gradient.any(axis=1)] = 0.0
        for direction in (random, numpy.sign(gradient)):
            direction = (direction / numpy.sqrt(max(1, (direction**2).sum()))).astype("float32")
            found = float((gradient * direction).sum())
            # Where a maximum jumps within a step, the slope is off; the smaller the step, the larger the rounding.
            slopes = (slope(weights, direction, step) for step in STEPS)
            assert any(value == pytest.approx(found, rel=0.03, abs=3e-3) for value in slopes), (label, found)
            largest = max(largest, abs(found))
    assert largest > 0.05
