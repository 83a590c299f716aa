"""Trains the classifier on each training set, once for each seed, with `spacy train`'s own function.

The config of a run is written in full beside what it gave: `spacy train build/models/NAME/config.cfg --code
scripts/callbacks.py` does the same. What is there already, trained with the same config on the same files, is not
trained again: a run that was stopped goes on where it was. Prints a JSON object each.
"""

import argparse
import json
from math import ceil
from pathlib import Path

import callbacks  # noqa: F401  registers what the config names
from names import DEV, check_sets, run_name
from thinc.api import Config

from paws_components.errors import PawsError
from paws_components.training.runs import corpus_files, count_pairs, merge_configs, train_once

CHOICES = ("cats_macro_f", "cats_f1", "cats_accuracy", "cats_auc_pr")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", help="what to train on: mrpc, mrpc_r1, mrpc_ours, paws")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/models"))
    parser.add_argument("--runs", type=int, default=5, help="how many seeds, from 0")
    parser.add_argument("--encoder", help="instead of the config's")
    parser.add_argument("--learn-rate", type=float, help="instead of the config's")
    parser.add_argument("--epochs", type=int, help="instead of the config's")
    parser.add_argument("--max-steps", type=int, default=0, help="stop each run after so many batches; 0 for no limit")
    parser.add_argument("--choose-by", choices=CHOICES, default=CHOICES[0], help="the score that picks the checkpoint")
    parser.add_argument("--gpu-id", type=int, default=-1)
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0 for its own choice")
    args = parser.parse_args()

    check_sets(args.sets)
    configs = {}
    # Seed by seed, so that a run that is stopped early has something of every set.
    for seed in range(args.runs):
        for name in args.sets:
            config = make_config(name, args.corpus, seed)
            change(config, args)
            fit_evaluation(config)
            configs[run_name(name, seed)] = config
    if args.threads:
        import torch

        torch.set_num_threads(args.threads)
    for name, config in configs.items():
        print(json.dumps(train_once(config, args.output / name, args.gpu_id)), flush=True)


def make_config(trained_on: str, corpus: Path, seed: int) -> Config:
    """The config of a run in the paper's setting, without what is spaCy's default."""
    folder = Path(__file__).resolve().parents[1] / "configs"
    config = merge_configs(folder / "base.cfg", *([folder / "paws.cfg"] if trained_on == "paws" else []))
    config["system"]["seed"] = seed
    config["corpora"]["train"]["path"] = str(corpus / f"{trained_on}.jsonl")
    config["corpora"]["dev"]["path"] = str(corpus / f"{DEV}.jsonl")
    try:
        corpus_files(config)
    except PawsError as error:
        raise SystemExit(f"{error} Run prepare first") from error
    return config


def change(config: Config, args: argparse.Namespace) -> None:
    """Put what was asked for in place of the paper's setting."""
    training = config["training"]
    training["max_steps"] = args.max_steps
    training["score_weights"][args.choose_by] = 1.0
    if args.epochs:
        training["max_epochs"] = args.epochs
    if args.learn_rate:
        training["optimizer"]["learn_rate"] = args.learn_rate
    if args.encoder:
        config["components"]["textcat"]["model"]["name"] = args.encoder


def fit_evaluation(config: Config) -> None:
    """Let a training that is too short for the config's steps between evaluations have one at its end."""
    training = config["training"]
    # Steps count from 0, and spaCy stops after the step with the number max_steps.
    last = training["max_epochs"] * ceil(count_pairs(config) / training["batcher"]["size"]) - 1
    last = min(last, training["max_steps"] or last)
    if last < 1:
        raise SystemExit("a run of one batch has nothing to choose from: take more epochs or more pairs")
    training["eval_frequency"] = min(training["eval_frequency"], last)


if __name__ == "__main__":
    main()
