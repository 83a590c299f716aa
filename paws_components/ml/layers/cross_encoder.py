from typing import Any, Callable, List, Optional, Tuple, cast

from thinc.api import Model, torch2xp
from thinc.types import Floats2d

from ..pair_batches import passes, run_passes
from .encoder_shim import EncoderShim
from .pair_texts import Texts


def cross_encoder(
    name: str, max_length: Optional[int], batch_size: Optional[int], pooling: str, mixed_precision: bool
) -> Model[Texts, Floats2d]:
    """A transformer that reads both sentences at once: a vector for each pair.

    name (str): A folder, an installed package that carries a model, or a name on the hub.
    max_length (Optional[int]): How many tokens of a pair the model sees; None for as many as it can.
    batch_size (Optional[int]): How many pairs one forward pass takes; None for what suits the device.
    pooling (str): "cls" or "mean".
    mixed_precision (bool): Whether a GPU computes in half precision, a CPU in bfloat16.
    """
    # The settings live in the shim and not in attrs: those come back from disk in place of what the config says.
    shim = EncoderShim(name, max_length, batch_size, pooling, mixed_precision)
    return Model("cross_encoder", forward, init=init, dims={"nO": None}, shims=[shim])


def forward(model: Model[Texts, Floats2d], texts: Texts, is_train: bool) -> Tuple[Floats2d, Callable]:
    shim = cast(EncoderShim, model.shims[0])
    encoded = shim.encode(texts)
    pooled = model.ops.alloc2f(len(encoded), model.get_dim("nO"))
    graphs: List[Tuple[List[int], Any]] = []
    if is_train:
        for part in passes(encoded, shim.batch_size, shim.device):
            graphs.append((part, shim.update_batch([encoded[i] for i in part])))
            pooled[part] = cast(Floats2d, torch2xp(graphs[-1][1].detach()))
    else:

        def predict(part: List[int]) -> Floats2d:
            return cast(Floats2d, shim.predict_batch([encoded[i] for i in part]))

        for part, found in run_passes(shim.name, encoded, shim.batch_size, shim.device, predict):
            pooled[part] = found

    def backprop(d_pooled: Floats2d) -> Texts:
        # The gradients of the parts add up to those of the batch; a graph is freed as soon as it is used.
        while graphs:
            part, output = graphs.pop()
            shim.backprop_batch(output, model.ops.xp.ascontiguousarray(d_pooled[part]))
        return [], []

    return pooled, backprop


def init(model: Model[Texts, Floats2d], X: Optional[Texts] = None, Y: Optional[Floats2d] = None) -> None:
    shim = cast(EncoderShim, model.shims[0])
    shim.load()
    model.set_dim("nO", shim.encoder.model.config.hidden_size, force=True)
