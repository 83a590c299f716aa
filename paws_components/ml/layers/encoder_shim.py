from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional

import srsly
from thinc.api import PyTorchGradScaler, PyTorchShim, torch2xp, xp2torch
from thinc.optimizers import Optimizer

from ...errors import Errors, PawsError
from ..encoders import WHAT, load_encoder, pack_encoder, unpack_encoder
from ..hub import ForkGuard, Pretrained, longest_input, require_torch, spacy_device
from ..pair_batches import Tokens, encode_pairs, pad_pairs, tell_of_cut
from .pair_texts import Texts

POOLING = ("cls", "mean")


class EncoderShim(PyTorchShim):
    """A transformer and its tokenizer inside a thinc model.

    What it saves is all it needs to come back: the config, the tokenizer's files, and the weights as safetensors. So a
    saved pipeline loads where the model it was made from is gone.

    name (str): Where the encoder is loaded from when the pipeline is initialised.
    max_length (Optional[int]): How many tokens of a pair the model sees; None for as many as it can.
    batch_size (Optional[int]): How many pairs one forward pass takes; None for what suits the device.
    pooling (str): "cls" or "mean".
    mixed_precision (bool): Whether a GPU computes in half precision, a CPU in bfloat16.
    """

    def __init__(
        self, name: str, max_length: Optional[int], batch_size: Optional[int], pooling: str, mixed_precision: bool
    ) -> None:
        require_torch(WHAT, "transformers")
        half = mixed_precision and spacy_device().startswith("cuda")
        # bfloat16 reaches as far as single precision: its gradients need no scale.
        super().__init__(None, mixed_precision=half, grad_scaler=PyTorchGradScaler(half))
        self.autocast = mixed_precision
        self.name = name
        self.max_length = max_length
        self.batch_size = batch_size
        self.pooling = pooling
        self.tokenizer: Any = None
        self.limit: Optional[int] = None
        # How many pairs were cut to the limit, of how many that were seen.
        self.truncated = self.seen = 0
        self._settle = ForkGuard()

    @property
    def encoder(self) -> Pretrained:
        if self._model is None:
            raise PawsError(Errors.P346.format(name=self.name))
        return Pretrained(self._model, self.tokenizer)

    def load(self) -> None:
        """Load the pretrained encoder."""
        self._set(load_encoder(self.name))

    def encode(self, texts: Texts) -> List[Tokens]:
        """The tokens of each pair. Those that are longer than the model may see are cut, the longer sentence first."""
        encoded, cut = encode_pairs(self.encoder.tokenizer, *texts, self.limit)
        before, self.truncated, self.seen = self.truncated, self.truncated + cut, self.seen + len(encoded)
        setting = "`max_length` in `[components.textcat.model]`"
        tell_of_cut(before, self.truncated, seen=self.seen, limit=self.limit, name=self.name, setting=setting)
        return encoded

    def predict_batch(self, batch: List[Tokens]) -> Any:
        """The pooled vectors of some pairs."""
        import torch

        self._settle()
        if self._model.training:
            self._model.eval()
        with torch.inference_mode():
            return torch2xp(self._pooled(batch))

    def update_batch(self, batch: List[Tokens]) -> Any:
        """The pooled vectors of some pairs as a torch tensor that knows where it came from."""
        self._settle()
        if not self._model.training:
            self._model.train()
        return self._pooled(batch)

    def backprop_batch(self, pooled: Any, gradient: Any) -> None:
        """Add to the gradients of the weights. Gradients of half precision stay scaled until `finish_update`."""
        pooled.backward(self._grad_scaler.scale(xp2torch(gradient, device=pooled.device)))

    def finish_update(self, optimizer: Optimizer) -> None:
        # Here and not after each part of a batch: what is unscaled twice is lost.
        self._grad_scaler.unscale([weight.grad for weight in self._model.parameters() if weight.grad is not None])
        super().finish_update(optimizer)

    @contextmanager
    def use_params(self, params: Dict) -> Iterator[None]:
        """Work with averaged weights for a while, as thinc's own layers do."""
        weights = dict(self._model.named_parameters()) if self._model is not None else {}
        kept = {name: weight.data for name, weight in weights.items() if (self.id, name) in params}
        for name in kept:
            weights[name].data = xp2torch(params[(self.id, name)], device=self.device)
        try:
            yield
        finally:
            for name, data in kept.items():
                weights[name].data = data

    @property
    def device(self) -> Any:
        import torch

        return torch.device(spacy_device()) if self._model is None else next(self._model.parameters()).device

    def to_device(self, device_type: str, device_id: int) -> None:
        if self._model is not None:
            super().to_device(device_type, device_id)

    def to_bytes(self) -> bytes:
        files = {} if self._model is None else pack_encoder(self.encoder)
        return srsly.msgpack_dumps({"files": files})

    def from_bytes(self, bytes_data: bytes) -> "EncoderShim":
        files = srsly.msgpack_loads(bytes_data)["files"]
        if files:
            self._set(unpack_encoder(files))
        return self

    def _set(self, encoder: Pretrained) -> None:
        limit = longest_input(encoder)
        if self.max_length and limit and self.max_length > limit:
            raise PawsError(Errors.P347.format(name=self.name, limit=limit, value=self.max_length))
        self._model = encoder.model.to(spacy_device())
        self.tokenizer = encoder.tokenizer
        self.limit = self.max_length or limit

    def _pooled(self, batch: List[Tokens]) -> Any:
        import torch

        inputs = pad_pairs(batch, self.tokenizer, self.device)
        with torch.autocast(self.device.type, enabled=self.autocast and self.device.type in ("cuda", "cpu")):
            output = self._model(**inputs)
        if self.pooling == "mean":
            mask = inputs["attention_mask"].unsqueeze(-1)
            return (output.last_hidden_state.float() * mask).sum(1) / mask.sum(1)
        # BERT and others have a layer of their own for this token; what pretraining taught it is kept.
        pooled = getattr(output, "pooler_output", None)
        return (output.last_hidden_state[:, 0] if pooled is None else pooled).float()
