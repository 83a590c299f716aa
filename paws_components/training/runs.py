"""Trainings by config, one after the other. What was trained before is not trained again, so a run of many that was
stopped goes on with the one it was at. The projects are made of these."""

import hashlib
import json
import time
from math import ceil
from pathlib import Path
from typing import Any, Dict, List, Union

from spacy import blank
from spacy.cli.train import train
from spacy.util import get_sourced_components, load_meta, load_model_from_config, registry
from thinc.api import Config

from ..errors import Errors, PawsError
from ..writers import write_text
from .batchers import BATCHER
from .readers import PairCorpus

NOTE = "trained.json"
PathLike = Union[str, Path]


def innermost(corpus: Dict[str, Any]) -> Dict[str, Any]:
    """The block of the reader that reads files. Others, such as `paws.AdversarialCorpus.v1`, have it as `corpus`."""
    while "path" not in corpus and isinstance(corpus.get("corpus"), dict):
        corpus = corpus["corpus"]
    return corpus


def corpus_files(config: Config, *parts: str) -> List[Path]:
    """The files of some corpora of a config; our error for one that is not there.

    config (Config): The config.
    *parts (str): The corpora; none for "train" and "dev".
    RETURNS (List[Path]): The files, in the order of the config.
    """
    found: List[Path] = []
    for part in parts or ("train", "dev"):
        named = innermost(config.interpolate()["corpora"][part])["path"]
        found.extend(Path(path) for path in ([named] if isinstance(named, str) else named))
    for path in found:
        if not path.is_file():
            raise PawsError(Errors.P020.format(path=path, reason="it is not there"))
    return found


def count_pairs(config: Config) -> int:
    """How many pairs an epoch has: those of the training files, as far as and as often as the reader takes them."""
    corpus_files(config, "train")
    block = innermost(config.interpolate()["corpora"]["train"])
    reader = registry.resolve({"corpus": block})["corpus"]
    # Of other readers, such as spaCy's own, an Example is a pair.
    pairs = reader.read(1) if isinstance(reader, PairCorpus) else reader(blank(config["nlp"]["lang"]))
    return sum(1 for _ in pairs)


def fit_schedule(config: Config, warmup: float = 0.1) -> None:
    """Let a learning rate that falls reach its end with the last epoch, or the last step where epochs are not counted,
    and let an evaluation come then. A rate that does not fall is left alone.

    config (Config): The config, which is changed. Where epochs are counted, its batcher has so many pairs in a batch.
    warmup (float): The longest warm-up, as a part of all steps.
    """
    training = config["training"]
    rate = training["optimizer"]["learn_rate"]
    if isinstance(rate, dict) and "total_steps" in rate:
        if training["max_epochs"] > 0:
            steps = ceil(count_pairs(config) / _batch_size(config)) * training["max_epochs"]
        elif training["max_steps"] > 0:
            steps = training["max_steps"]
        else:
            return
        rate["total_steps"] = steps
        rate["warmup_steps"] = min(rate["warmup_steps"], int(warmup * steps))
        # What is learnt at the lowest rates is worth most, and spaCy evaluates at multiples of the frequency alone.
        evaluations = max(1, round((steps - 1) / training["eval_frequency"]))
        training["eval_frequency"] = max(1, (steps - 1) // evaluations)


def _batch_size(config: Config) -> int:
    """How many pairs each batch has; our error where that is not known."""
    batcher = config.interpolate()["training"]["batcher"]
    name, size = batcher.get("@batchers"), batcher.get("size")
    if name not in (BATCHER, "spacy.batch_by_sequence.v1") or not isinstance(size, int):
        what = f"{BATCHER} with a number as `size`, to count the steps of a learning rate with total_steps"
        raise PawsError(Errors.P015.format(name="training.batcher", what=what, value=name))
    return size


def train_once(config: Config, folder: PathLike, gpu_id: int = -1) -> Dict[str, Any]:
    """Train as `spacy train` does, unless that was done before with the same config on the same files.

    The config is written in full to FOLDER/config.cfg: `spacy train` on it does the same. What came of it is kept in
    FOLDER/trained.json, which is there only when the training went to its end.

    config (Config): The config; defaults are filled in. Other weights of a component that it takes from a trained
        pipeline make another training, and so does another model in a folder that `[paths]` names.
    folder (Union[str, Path]): Where `model-best` and `model-last` go; its name is the name of the run.
    gpu_id (int): The GPU, or -1 for the CPU.
    RETURNS (Dict[str, Any]): The name of the run, how many pairs and epochs it had, the seconds, and what the best
        checkpoint scores on the dev corpus: `dev_auc_pr` for `cats_auc_pr` and so on, for all that have a weight in
        `[training.score_weights]`, be it 0. With "trained_before" where it was there already.
    """
    folder = Path(folder)
    sourced = get_sourced_components(config)
    config = load_model_from_config(config, auto_fill=True, validate=True).config
    # spaCy writes out a component that has a source in full, as a new one. `spacy init fill-config` fixes it this way.
    config["components"].update(sourced)
    files = corpus_files(config) + [file for name, one in sourced.items() for file in _weights(one["source"], name)]
    files += _started_from(config)
    made_from = {"config": config.to_str(), "files": [_digest(path) for path in files], "models": _models(config)}
    if was_trained(folder):
        done = json.loads((folder / NOTE).read_text(encoding="utf8"))
        done.setdefault("models", made_from["models"])  # notes of before do not tell of them
        if {name: done.pop(name, None) for name in made_from} == made_from:
            return {**done, "trained_before": True}
        (folder / NOTE).unlink()
    folder.mkdir(parents=True, exist_ok=True)
    config.to_disk(folder / "config.cfg")
    start = time.perf_counter()
    train(folder / "config.cfg", folder, use_gpu=gpu_id)
    figures = {
        "model": folder.name,
        "pairs": count_pairs(config),
        "epochs": config["training"]["max_epochs"],
        "seconds": round(time.perf_counter() - start),
        **_dev_scores(config, folder / "model-best"),
    }
    write_text(folder / NOTE, json.dumps({**figures, **made_from}) + "\n")
    return figures


def was_trained(folder: PathLike) -> bool:
    """Whether a training went to its end: one that was stopped leaves a `model-best` too."""
    return (Path(folder) / NOTE).is_file()


def is_unfinished(folder: PathLike) -> bool:
    """Whether a training of `train_once` is going on in a folder, or was stopped."""
    return (
        (Path(folder) / "config.cfg").is_file() and (Path(folder) / "model-best").is_dir() and not was_trained(folder)
    )


def _dev_scores(config: Config, model: Path) -> Dict[str, float]:
    scores = load_meta(model / "meta.json")["performance"]
    weights = config["training"]["score_weights"]
    # spaCy writes null for the scores that a component has and nobody asked for.
    wanted = [name for name, weight in weights.items() if weight is not None and name.startswith("cats_")]
    return {f"dev_{name.removeprefix('cats_')}": round(scores[name], 4) for name in wanted}


def _started_from(config: Config) -> List[Path]:
    """The files of the weights that `paws.go_on_from.v1` starts a component with."""
    callback = config.interpolate()["initialize"].get("after_init") or {}
    if callback.get("@callbacks") != "paws.go_on_from.v1" or not callback.get("path"):
        return []
    trained = Path(callback["path"])
    if is_unfinished(trained.parent):
        raise PawsError(Errors.P314.format(names=trained.parent))
    return _weights(callback["path"], callback.get("component", "textcat"))


def _models(config: Config) -> Dict[str, List[str]]:
    """What is in the models that `[paths]` names by their folder, such as an encoder or vectors."""
    paths = config.interpolate().get("paths", {})
    folders = {name: Path(path) for name, path in paths.items() if path and isinstance(path, str)}
    return {
        name: [_digest(path) for path in sorted(folder.rglob("*")) if path.is_file()]
        for name, folder in folders.items()
        if any((folder / file).is_file() for file in ("config.cfg", "config.json"))
    }


def _weights(pipeline: str, component: str) -> List[Path]:
    """The files of a component that is taken from a trained pipeline."""
    return sorted(path for path in (Path(pipeline) / component).rglob("*") if path.is_file())


def _digest(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=8)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
