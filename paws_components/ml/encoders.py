"""The encoders of pipelines: loaded once, and carried along as bytes ever after."""

import tempfile
from pathlib import Path
from typing import Any, Dict

from ..errors import Errors, PawsError
from .hub import WEIGHTS, Messages, Pretrained, load_pretrained, require_torch, single_precision

WHAT = "encoder of `paws.Transformer.v1`"


def load_encoder(name: str) -> Pretrained:
    """Load a pretrained encoder.

    name (str): A folder written by `save_pretrained`, an installed package that carries one, or a name on the hub.
    RETURNS (Pretrained): The encoder, in single precision.
    """
    return load_pretrained("AutoModel", name, WHAT, Messages(failed=Errors.P343, unfit=Errors.P344))


def pack_encoder(encoder: Pretrained) -> Dict[str, bytes]:
    """The files of an encoder by name: its config, its tokenizer's files, and its weights as safetensors."""
    from safetensors.torch import save

    with tempfile.TemporaryDirectory() as folder:
        encoder.model.config.save_pretrained(folder)
        encoder.tokenizer.save_pretrained(folder)
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir()) if path.is_file()}
    tensors: Dict[str, Any] = {}
    seen = set()
    for name, tensor in encoder.model.state_dict().items():
        # Tied weights are one tensor under several names: it is kept once, and tied again when the model is built.
        if tensor.numel() and tensor.data_ptr() in seen:
            continue
        seen.add(tensor.data_ptr())
        tensors[name] = tensor.detach().cpu().contiguous()
    return {**files, WEIGHTS: save(tensors, metadata={"format": "pt"})}


def unpack_encoder(files: Dict[str, bytes]) -> Pretrained:
    """The encoder that `pack_encoder` packed. Nothing but these bytes is needed, and the random state is left alone."""
    require_torch(WHAT, "transformers")
    import torch
    from safetensors.torch import load
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            if name != WEIGHTS:
                (Path(folder) / Path(name).name).write_bytes(data)
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    with torch.random.fork_rng(devices=[]):
        model = single_precision(AutoModel.from_config(config, trust_remote_code=False))
    tensors = load(files[WEIGHTS])
    shared = {tensor.data_ptr() for name, tensor in model.state_dict().items() if name in tensors}
    missing = [
        name
        for name, tensor in model.state_dict().items()
        if name not in tensors and tensor.numel() and tensor.data_ptr() not in shared
    ]
    extra = sorted(set(tensors) - set(model.state_dict()))
    if missing or extra:
        raise PawsError(Errors.P345.format(names=", ".join([*missing, *extra][:3])))
    model.load_state_dict(tensors, strict=False)
    return Pretrained(model, tokenizer)
