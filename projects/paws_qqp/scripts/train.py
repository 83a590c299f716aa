"""Trains models on mixes of QQP and PAWS-QQP, one after the other, with `spacy train`'s own function.

The config of each is put together from configs/base.cfg and configs/MODEL.cfg, and written in full beside what it gave:
`spacy train build/models/NAME/config.cfg` does the same. What is there already, trained with the same config on the
same files, is not trained again: a run that was stopped goes on with the model it was at. Prints a JSON object each.
"""

import argparse
import json
from pathlib import Path
from typing import Dict, List, Optional

from names import check_models, paws_pairs, run_name
from thinc.api import Config

from paws_components.errors import PawsError
from paws_components.training.runs import corpus_files, fit_schedule, merge_configs, train_once


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
            configs[run_name(model, mix)] = config
    if args.threads:
        import torch

        torch.set_num_threads(args.threads)
    for name, config in configs.items():
        print(json.dumps(train_once(config, args.output / name, args.gpu_id)), flush=True)


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
    config = merge_configs(folder / "base.cfg", folder / f"{model}.cfg")
    config["system"]["seed"] = seed
    number = paws_pairs(mix)
    parts = ["qqp"] if number == 0 else ["qqp", "paws"]
    config["corpora"]["train"]["path"] = [str(corpus / f"{part}_train.jsonl") for part in parts]
    config["corpora"]["train"]["limit"] = [0, number or 0][: len(parts)]
    config["corpora"]["dev"]["path"] = [str(corpus / f"{part}_dev.jsonl") for part in parts]
    try:
        corpus_files(config)
    except PawsError as error:
        raise SystemExit(f"{error} Run prepare first") from error
    if epochs:
        config["training"]["max_epochs"] = epochs
    fit_schedule(config)
    return config


if __name__ == "__main__":
    main()
