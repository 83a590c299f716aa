"""Trains models on mixes of QQP and PAWS-QQP, one after the other, with `spacy train`'s own function.

The config of each is put together from configs/base.cfg and configs/MODEL.cfg, and written in full beside what it gave:
`spacy train build/models/NAME/config.cfg` does the same. What is there already, trained with the same config on the
same files, is not trained again: a run that was stopped goes on with the model it was at. Prints a JSON object each.
"""

import argparse
import hashlib
import json
import time
from math import ceil
from pathlib import Path
from typing import Any, Dict, List, Optional

import spacy
from names import check_models, paws_pairs, run_name
from spacy.cli.train import train
from spacy.util import load_config, load_model_from_config
from thinc.api import Config


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help="names of configs/MODEL.cfg")
    parser.add_argument("--mixes", nargs="+", required=True, help="qqp, qqp+paws, or qqp+1000 for 1,000 PAWS pairs")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/models"))
    parser.add_argument("--epochs", nargs="*", default=[], metavar="MODEL=N", help="instead of the config's")
    parser.add_argument("--max-steps", type=int, default=0, help="stop each after so many batches; 0 for no limit")
    parser.add_argument("--encoder", help="the transformer, instead of the config's")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--gpu-id", type=int, default=-1)
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0 for its own choice")
    args = parser.parse_args()

    check_models(args.models)
    epochs = read_epochs(args.epochs)
    configs = {}
    for mix in args.mixes:
        for model in args.models:
            config = make_config(model, mix, args.corpus, args.seed, epochs.get(model))
            config["training"]["max_steps"] = args.max_steps
            if args.encoder and model == "transformer":
                config["components"]["textcat"]["model"]["name"] = args.encoder
            configs[run_name(model, mix)] = fill(config)
    if args.threads:
        import torch

        torch.set_num_threads(args.threads)
    for name, config in configs.items():
        print(json.dumps(train_one(name, config, args.output / name, args.gpu_id)), flush=True)


def read_epochs(values: List[str]) -> Dict[str, int]:
    epochs = {}
    for value in values:
        model, _, number = value.partition("=")
        check_models([model])
        if not number.isdecimal() or not int(number):
            raise SystemExit(f"--epochs {value}: write MODEL=N, with N at least 1")
        epochs[model] = int(number)
    return epochs


def make_config(model: str, mix: str, corpus: Path, seed: int, epochs: Optional[int] = None) -> Config:
    """The config of a model on a mix, without what is spaCy's default."""
    folder = Path(__file__).resolve().parents[1] / "configs"
    # Not interpolated, so that the seed of all parts follows that of [system].
    config = load_config(folder / "base.cfg").merge(load_config(folder / f"{model}.cfg"))
    config["system"]["seed"] = seed
    number = paws_pairs(mix)
    parts = ["qqp"] if number == 0 else ["qqp", "paws"]
    config["corpora"]["train"]["path"] = [str(corpus / f"{part}_train.jsonl") for part in parts]
    config["corpora"]["train"]["limit"] = [0, number or 0][: len(parts)]
    config["corpora"]["dev"]["path"] = [str(corpus / f"{part}_dev.jsonl") for part in parts]
    check_files(config)
    if epochs:
        config["training"]["max_epochs"] = epochs
    rate = config["training"]["optimizer"]["learn_rate"]
    if isinstance(rate, dict) and "total_steps" in rate:
        batches = ceil(count_pairs(config["corpora"]["train"]) / config["training"]["batcher"]["size"])
        rate["total_steps"] = batches * config["training"]["max_epochs"]
        rate["warmup_steps"] = min(rate["warmup_steps"], rate["total_steps"] // 10)
    return config


def count_pairs(reader: Dict[str, Any]) -> int:
    total = 0
    for path, limit in zip(reader["path"], reader["limit"]):
        with open(path, encoding="utf8") as lines:
            count = sum(1 for _ in lines)
        total += min(count, limit) if limit else count
    return total


def fill(config: Config) -> Config:
    """The config with everything that is a default, as `spacy init fill-config` writes it."""
    return load_model_from_config(config, auto_fill=True, validate=True).config


def check_files(config: Config) -> None:
    for path in files(config):
        if not path.is_file():
            raise SystemExit(f"{path} is not there: run prepare first")


def files(config: Config) -> List[Path]:
    """The files that are trained on and chosen by."""
    return [Path(path) for part in ("train", "dev") for path in config["corpora"][part]["path"]]


def file_hashes(config: Config) -> List[str]:
    return [hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest() for path in files(config)]


def train_one(name: str, config: Config, folder: Path, gpu_id: int) -> Dict[str, Any]:
    """Train, unless it was done before with the same config and files; what came of it is kept beside the model."""
    note = folder / "trained.json"
    made_from = {"config": config.to_str(), "files": file_hashes(config)}
    if note.is_file():
        done = json.loads(note.read_text(encoding="utf8"))
        if {name: done.pop(name, None) for name in made_from} == made_from:
            return {**done, "trained_before": True}
        note.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    config.to_disk(folder / "config.cfg")
    start = time.perf_counter()
    train(folder / "config.cfg", folder, use_gpu=gpu_id)
    meta = spacy.util.load_meta(folder / "model-best" / "meta.json")
    figures = {
        "model": name,
        "pairs": count_pairs(config["corpora"]["train"]),
        "epochs": config["training"]["max_epochs"],
        "seconds": round(time.perf_counter() - start),
        "dev_auc_pr": round(meta["performance"]["cats_auc_pr"], 4),
        "dev_accuracy": round(meta["performance"]["cats_accuracy"], 4),
    }
    note.write_text(json.dumps({**figures, **made_from}) + "\n", encoding="utf8")
    return figures


if __name__ == "__main__":
    main()
