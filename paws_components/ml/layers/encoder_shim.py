import os
import warnings
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional

import numpy
import srsly
from thinc.api import PyTorchGradScaler, PyTorchShim, get_torch_default_device, torch2xp, xp2torch
from thinc.optimizers import Optimizer

from ...errors import Errors, PawsError, Warnings
from ..pretrained import Encoder, load_encoder, longest_input, pack_encoder, require_torch, unpack_encoder
from .pair_texts import Texts

# The tokens of a pair: input_ids, and token_type_ids where the model tells the two sentences apart by them.
Tokens = Dict[str, List[int]]
POOLING = ("cls", "mean")


class EncoderShim(PyTorchShim):
    """A transformer and its tokenizer inside a thinc model.

    What it saves is all it needs to come back: the config, the tokenizer's files, and the weights as safetensors. So a
    saved pipeline loads where the model it was made from is gone.

    name (str): Where the encoder is loaded from when the pipeline is initialised.
    max_length (Optional[int]): How many tokens of a pair the model sees; None for as many as it can.
    batch_size (Optional[int]): How many pairs one forward pass takes; None for what suits the device.
    pooling (str): "cls" or "mean".
    mixed_precision (bool): Whether a GPU computes in half precision.
    """

    def __init__(
        self, name: str, max_length: Optional[int], batch_size: Optional[int], pooling: str, mixed_precision: bool
    ) -> None:
        require_torch()
        half = mixed_precision and get_torch_default_device().type == "cuda"
        super().__init__(None, mixed_precision=half, grad_scaler=PyTorchGradScaler(half))
        self.name = name
        self.max_length = max_length
        self.batch_size = batch_size
        self.pooling = pooling
        self.tokenizer: Any = None
        self.limit: Optional[int] = None
        # How many pairs were cut to the limit, of how many that were seen.
        self.truncated = self.seen = 0
        self._process = os.getpid()

    @property
    def encoder(self) -> Encoder:
        if self._model is None:
            raise PawsError(Errors.P346.format(name=self.name))
        return Encoder(self._model, self.tokenizer)

    def load(self) -> None:
        """Load the pretrained encoder."""
        self._set(load_encoder(self.name))

    def encode(self, texts: Texts) -> List[Tokens]:
        """The tokens of each pair. Those that are longer than the model may see are cut, the longer sentence first."""
        first, second = texts
        if not first:
            return []
        with _one_thread_tokenizing():
            encoded = self._tokenize(first, second)
            long = [i for i, tokens in enumerate(encoded) if self.limit and len(tokens["input_ids"]) > self.limit]
            if long:
                cut = {"truncation": "longest_first", "max_length": self.limit}
                shorter = self._tokenize([first[i] for i in long], [second[i] for i in long], **cut)
                for i, tokens in zip(long, shorter):
                    encoded[i] = tokens
        self._count(len(encoded), len(long))
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
        return get_torch_default_device() if self._model is None else next(self._model.parameters()).device

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

    def _set(self, encoder: Encoder) -> None:
        limit = longest_input(encoder)
        if self.max_length and limit and self.max_length > limit:
            raise PawsError(Errors.P347.format(name=self.name, limit=limit, value=self.max_length))
        self._model = encoder.model.to(get_torch_default_device())
        self.tokenizer = encoder.tokenizer
        self.limit = self.max_length or limit

    def _tokenize(self, first: List[str], second: List[str], **settings: Any) -> List[Tokens]:
        found = self.encoder.tokenizer(first, second, return_attention_mask=False, verbose=False, **settings)
        names = [name for name in ("input_ids", "token_type_ids") if name in found]
        return [dict(zip(names, row)) for row in zip(*(found[name] for name in names))]

    def _pooled(self, batch: List[Tokens]) -> Any:
        import torch

        inputs = self._inputs(batch)
        with torch.autocast("cuda", enabled=self._mixed_precision):
            output = self._model(**inputs)
        if self.pooling == "mean":
            mask = inputs["attention_mask"].unsqueeze(-1)
            return (output.last_hidden_state.float() * mask).sum(1) / mask.sum(1)
        # BERT and others have a layer of their own for this token; what pretraining taught it is kept.
        pooled = getattr(output, "pooler_output", None)
        return (output.last_hidden_state[:, 0] if pooled is None else pooled).float()

    def _inputs(self, batch: List[Tokens]) -> Dict[str, Any]:
        import torch

        lengths = [len(tokens["input_ids"]) for tokens in batch]
        shape = (len(batch), max(lengths))
        padding = {"input_ids": self.tokenizer.pad_token_id, "token_type_ids": self.tokenizer.pad_token_type_id}
        arrays = {name: numpy.full(shape, padding[name], dtype="i8") for name in batch[0]}
        for name, array in arrays.items():
            for row, tokens in enumerate(batch):
                array[row, : lengths[row]] = tokens[name]
        arrays["attention_mask"] = (numpy.arange(shape[1]) < numpy.array(lengths)[:, None]).astype("i8")
        return {name: torch.from_numpy(array).to(self.device) for name, array in arrays.items()}

    def _settle(self) -> None:
        if os.getpid() != self._process:
            import torch

            # A forked worker inherits torch's threads as dead ones, and would wait for them for ever.
            torch.set_num_threads(1)
            self._process = os.getpid()

    def _count(self, seen: int, truncated: int) -> None:
        """Tell of the first pair that is cut, and again whenever there are ten times as many."""
        before, self.truncated, self.seen = self.truncated, self.truncated + truncated, self.seen + seen
        if len(str(self.truncated)) > len(str(before)) or (truncated and not before):
            warnings.warn(
                Warnings.W341.format(count=self.truncated, seen=self.seen, limit=self.limit, name=self.name),
                stacklevel=2,
            )


@contextmanager
def _one_thread_tokenizing() -> Iterator[None]:
    """Tokenizers that have once used threads warn at every later fork, and spaCy forks for `n_process`."""
    name = "TOKENIZERS_PARALLELISM"
    if name in os.environ:
        yield
        return
    os.environ[name] = "false"
    try:
        yield
    finally:
        os.environ.pop(name, None)
