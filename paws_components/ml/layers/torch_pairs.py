"""A torch module over pairs of sentences of all lengths."""

from functools import partial
from typing import Any, Callable, List, Tuple, cast

from thinc.api import ArgsKwargs, Model, torch2xp, xp2torch
from thinc.types import Floats2d, Floats3d

from .pairs import Pairs
from .torch_shim import TorchShim


def torch_pairs(make: Callable[[], Any], batch_size: int) -> Model[Pairs, Floats2d]:
    """Run a torch module over pairs, which are sorted by length and padded in small batches.

    make (Callable): Makes the module. It is called with two padded tensors (pairs, tokens, width) and their two masks
        (pairs, tokens), and gives back one vector a pair; its attribute `width` says how wide that is.
    batch_size (int): How many pairs go through the module at once.
    """
    shim = TorchShim(make)
    # spaCy sets `dropout_rate` to `training.dropout` before each update.
    return Model(
        "torch_pairs",
        partial(forward, batch_size),
        init=init,
        dims={"nO": shim._model.width},
        attrs={"dropout_rate": 0.0},
        shims=[shim],
    )


def forward(batch_size: int, model: Model, pairs: Pairs, is_train: bool) -> Tuple[Floats2d, Callable]:
    shim = cast(TorchShim, model.shims[0])
    set_dropout(shim._model, model.attrs["dropout_rate"])
    order = sorted(range(len(pairs)), key=lambda i: (max(len(pairs.first[i]), len(pairs.second[i])), i))
    output = model.ops.alloc2f(len(pairs), model.get_dim("nO"))
    steps = []
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        first, mask1 = pad(model, [pairs.first[i] for i in chosen], is_train)
        second, mask2 = pad(model, [pairs.second[i] for i in chosen], is_train)
        result, callback = shim(ArgsKwargs((first, second, mask1, mask2), {}), is_train)
        output[chosen] = cast(Floats2d, torch2xp(result, ops=model.ops))
        steps.append((chosen, result, callback))

    def backprop(d_output: Floats2d) -> Pairs:
        d_pairs = Pairs([], [])
        d_pairs.first = [model.ops.alloc2f(*rows.shape) for rows in pairs.first]
        d_pairs.second = [model.ops.alloc2f(*rows.shape) for rows in pairs.second]
        for chosen, result, callback in steps:
            d_result = xp2torch(model.ops.as_contig(d_output[chosen]), device=shim.device)
            d_inputs = callback(ArgsKwargs(((result,),), {"grad_tensors": (d_result,)}))
            for d_padded, d_rows in zip(d_inputs.args[:2], (d_pairs.first, d_pairs.second)):
                unpad(model, d_padded, [d_rows[i] for i in chosen])
        return d_pairs

    return output, backprop


def pad(model: Model, sentences: List[Floats2d], is_train: bool) -> Tuple[Any, Any]:
    """One tensor of sentences and its mask. No sentence at all is one masked token: torch knows no empty ones."""
    import torch

    device = cast(TorchShim, model.shims[0]).device
    lengths = torch.tensor([len(rows) for rows in sentences], device=device)
    longest = max(1, int(lengths.max()))
    padded = model.ops.alloc3f(len(sentences), longest, sentences[0].shape[1])
    for i, rows in enumerate(sentences):
        padded[i, : len(rows)] = rows
    mask = torch.arange(longest, device=device)[None, :] < lengths[:, None]
    return xp2torch(padded, requires_grad=is_train, device=device), mask


def unpad(model: Model, d_padded: Any, d_sentences: List[Floats2d]) -> None:
    """Copy the gradient of a padded tensor to the sentences it was made of."""
    if d_padded is None:
        return
    gradient = cast(Floats3d, torch2xp(d_padded, ops=model.ops))
    for i, d_rows in enumerate(d_sentences):
        d_rows += gradient[i, : len(d_rows)]


def set_dropout(module: Any, rate: float) -> None:
    import torch

    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = rate


def init(model: Model, X: Any = None, Y: Any = None) -> None:
    cast(TorchShim, model.shims[0]).reset()
