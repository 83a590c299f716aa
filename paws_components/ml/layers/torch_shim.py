"""torch inside thinc, fixed where thinc's own shim falls short of what spaCy does with it."""

import contextlib
from typing import Any, Callable, Dict, Iterator, Tuple

from thinc.api import PyTorchShim, xp2torch
from thinc.types import ArgsKwargs, FloatsXd

from ..hub import ForkGuard


class TorchShim(PyTorchShim):
    """A torch module in a thinc model: weights are saved as safetensors, averages reach it, forked workers don't hang.

    make (Callable): Makes the module, with weights of its own; it is made at once, and anew when a pipeline is
        initialised again.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__(make(), serialize_model=to_safetensors, deserialize_model=from_safetensors)
        self._make = make
        self._settle = ForkGuard()

    def __call__(self, inputs: ArgsKwargs, is_train: bool) -> Tuple[Any, Callable]:
        self._settle()
        return super().__call__(inputs, is_train)

    def reset(self) -> None:
        """Forget what was learnt: training that starts anew starts from new weights."""
        self._model.load_state_dict(self._make().state_dict())

    @contextlib.contextmanager
    def use_params(self, params: Dict[Tuple[int, str], FloatsXd]) -> Iterator[None]:
        """Put other weights in place for a while. The optimizer keys its averages by id and name; thinc's shim looks
        for keys that it never makes, and would leave torch alone with the last weights among averaged ones."""
        own = dict(self._model.named_parameters())
        backup = {name: weights.data for name, weights in own.items() if (self.id, name) in params}
        for name in backup:
            own[name].data = xp2torch(params[(self.id, name)], device=own[name].device)
        try:
            yield
        finally:
            for name, weights in backup.items():
                own[name].data = weights


def to_safetensors(module: Any) -> bytes:
    from safetensors.torch import save

    return save({name: weights.contiguous() for name, weights in module.state_dict().items()})


def from_safetensors(module: Any, data: bytes, device: Any) -> Any:
    from safetensors.torch import load

    module.load_state_dict(load(data))
    return module.to(device)
