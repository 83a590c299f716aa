"""What the answers of a model depend on besides the question: the fingerprint under which a cache keeps them."""

import json
import os
import platform
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from spacy.language import Language
from spacy.util import registry

from ..engine.cache import KeptAnswers

VERSIONS = ("torch", "transformers", "numpy", "thinc", "spacy")
# What stands in a config and tells nothing of the answers: where the model was loaded from.
PLACES = ("_name_or_path", "name_or_path")
READ = 2**20
# What libraries read from the environment that changes how they compute.
THREADS = ("OMP_", "MKL_", "CT2_")


class TorchAnswers(KeptAnswers):
    """What a model of transformers answers.

    name (str): What it is called.
    model (Any): The model, where and in the number format in which it answers. Its weights must not change any more.
    **settings: What else its answers depend on.
    """

    def __init__(self, name: str, model: Any, **settings: Any) -> None:
        super().__init__(name, partial(about_torch, model, settings))

    def key(self, asked: Sequence[Any]) -> Optional[bytes]:
        # A forked worker works with one thread; what the model says differs in its last digits.
        return super().key([torch_state(), *asked])


class PipelineAnswers(KeptAnswers):
    """What a spaCy pipeline answers. Of one that somebody else has too nothing is kept: it may change.

    name (str): What it is called.
    nlp (Language): The pipeline.
    loaded (bool): Whether nobody else has it.
    """

    def __init__(self, name: str, nlp: Language, loaded: bool) -> None:
        super().__init__(name, partial(about_pipeline, nlp) if loaded else nothing_known)

    def key(self, asked: Sequence[Any]) -> Optional[bytes]:
        return super().key([torch_state(), *asked])


class FileAnswers(KeptAnswers):
    """What a model answers that is known by its files. It is made before the model is loaded: where a file changes from
    then on until they are hashed, nothing is kept.

    name (str): What it is called.
    folder (str): Where the files are: all of them count.
    *packages (str): What runs the model.
    **settings: What else its answers depend on; what is only known when it is loaded can be added then.
    """

    def __init__(self, name: str, folder: str, *packages: str, **settings: Any) -> None:
        super().__init__(name, self._about)
        self.folder = Path(folder)
        self.packages = packages
        self.settings = settings
        # What it runs on, "cpu" or "cuda".
        self.device = "cpu"
        self._files = file_states(self.folder)

    def _about(self) -> Optional[Dict[str, Any]]:
        """All that the answers depend on; None on a GPU that nobody knows, and where files were changed."""
        weights = hash_files(self.folder)
        on_cpu = self.device == "cpu"
        if file_states(self.folder) != self._files or (not on_cpu and find_spec("torch") is None):
            return None
        return {
            "kind": "/".join(self.packages),
            "weights": weights,
            "device": f"{cpu_name()}, {core_count()} cores" if on_cpu else device_name(self.device),
            "environment": {name: os.environ[name] for name in sorted(os.environ) if name.startswith(THREADS)},
            "versions": versions(*self.packages),
            **self.settings,
        }


def nothing_known() -> Optional[Dict[str, Any]]:
    """Of a model whose answers must not be kept."""
    return None


def about_torch(model: Any, settings: Dict[str, Any]) -> Dict[str, Any]:
    """All that the answers of a model of transformers depend on, its weights by their hash.

    The weights are hashed as they are in memory: no file can be replaced between reading it and hashing it, no time of
    a file can lie, and it does not matter where the model came from.
    """
    generation = getattr(model, "generation_config", None)
    configs = {"config": model.config, **({"generation": generation} if generation is not None else {})}
    return {
        "kind": f"{type(model).__module__}.{type(model).__qualname__}",
        "weights": hash_weights(model),
        "dtype": str(getattr(model, "dtype", "")),
        "device": device_name(str(getattr(model, "device", "cpu"))),
        "attention": getattr(model.config, "_attn_implementation", None),
        **{name: without_places(config.to_dict()) for name, config in configs.items()},
        "versions": versions(*VERSIONS),
        **settings,
    }


def about_pipeline(nlp: Language) -> Optional[Dict[str, Any]]:
    """All that the answers of a saved pipeline depend on; None where it has code of no package with a version, and on a
    GPU that nobody knows."""
    from thinc.api import get_current_ops

    packages, ops = code_of(nlp), get_current_ops().name
    on_gpu = ops == "cupy"
    if packages is None or (on_gpu and find_spec("torch") is None):
        return None
    # As it is in memory; without the strings, to which every text adds.
    weights = blake2b(nlp.to_bytes(exclude=["strings"]), digest_size=16).hexdigest()
    return {
        "kind": "spacy pipeline",
        "weights": weights,
        "device": f"{ops}, {device_name('cuda') if on_gpu else cpu_name()}",
        "pipes": nlp.pipe_names,
        "versions": versions(*packages, *VERSIONS),
    }


def code_of(nlp: Language) -> Optional[List[str]]:
    """The packages whose code a pipeline runs; None where some of it is of none, such as a file given with `--code`."""
    modules = {type(pipe).__module__ for _, pipe in nlp.components}
    modules |= {type(nlp.tokenizer).__module__, type(nlp).__module__}
    for kind, name in _registered(json.loads(json.dumps(nlp.config.interpolate(), default=str))):
        if registry.has(kind, name):
            modules.add(getattr(registry.get(kind, name), "__module__", "") or "")
    owners = packages_distributions()
    tops = {module.partition(".")[0] for module in modules} - {"paws_components"}
    if any(top not in owners for top in tops):
        return None
    return sorted({"paws-components", *(name for top in tops for name in owners[top])})


def _registered(config: Any) -> Iterator[Tuple[str, str]]:
    """The functions that a config names, and the registries that they are in."""
    if isinstance(config, dict):
        for key, value in config.items():
            if key.startswith("@") and isinstance(value, str):
                yield key[1:], value
            else:
                yield from _registered(value)


def hash_weights(model: Any) -> str:
    """A hash of the weights of a torch model: their names, shapes and bytes."""
    import torch

    def one(named: Tuple[str, Any]) -> bytes:
        name, tensor = named
        plain = tensor.detach().cpu().contiguous()
        head = json.dumps([name, str(plain.dtype), list(plain.shape)]).encode("utf8")
        return blake2b(
            plain.reshape(-1).view(torch.uint8).numpy().data, digest_size=32, key=blake2b(head, digest_size=32).digest()
        ).digest()

    # Hashing leaves other threads their time.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(one, sorted(model.state_dict().items())))
    return blake2b(b"".join(parts), digest_size=16).hexdigest()


def hash_files(folder: Path) -> str:
    """A hash of all files of a folder: their names and bytes."""
    found = blake2b(digest_size=16)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        told = blake2b(digest_size=32)
        with open(path, "rb") as file:
            while block := file.read(READ):
                told.update(block)
        found.update(json.dumps([path.relative_to(folder).as_posix(), told.hexdigest()]).encode("utf8"))
    return found.hexdigest()


def file_states(folder: Path) -> List[Tuple[str, ...]]:
    """What of the files of a folder changes when they are written to: nobody can set the time of the last change."""
    states = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            state = path.stat()
            numbers = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
            states.append((str(path), *map(str, numbers)))
    return states


def without_places(config: Dict[str, Any]) -> Dict[str, Any]:
    """A config without what tells where the model was loaded from."""
    return {
        key: without_places(value) if isinstance(value, dict) else value
        for key, value in config.items()
        if key not in PLACES
    }


def torch_state() -> List[Any]:
    """What a process can change at any time, and what the last digits depend on."""
    import sys

    torch = sys.modules.get("torch")
    if torch is None:
        return []
    return [torch.get_num_threads(), torch.get_float32_matmul_precision()]


@lru_cache
def versions(*packages: str) -> Dict[str, str]:
    """The versions of packages, as far as they are installed, and that of Python."""
    found = {"python": platform.python_version()}
    for name in sorted(set(packages)):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            pass
    return found


def device_name(device: str) -> str:
    """What a model works on: the same weights say something else on other hardware, in the last digits."""
    import torch

    if device.startswith("cuda"):
        return str(torch.cuda.get_device_name(device))
    return f"{cpu_name()}, {torch.backends.cpu.get_cpu_capability()}" if device == "cpu" else device


def core_count() -> Optional[int]:
    """How many cores this process may use: as many threads work where nobody says how many, and a job of a cluster may
    have fewer than the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


@lru_cache
def cpu_name() -> str:
    """The processor, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf8", errors="replace") as lines:
            names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
