"""Trains a detector on each training set, one after the other, with `spacy train`'s own function.

The config of each is written in full beside what it gave: `spacy train build/models/NAME/config.cfg` does the same.
What is there already, trained with the same config on the same files, is not trained again: a run that was stopped goes
on with the model it was at. Prints a JSON object each.
"""

import argparse
from pathlib import Path

from names import check_sets
from thinc.api import Config

from paws_components.errors import PawsError
from paws_components.training.run_options import add_run_options, read_epochs, train_all
from paws_components.training.runs import corpus_files, fit_schedule, merge_configs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", help="what to train on, such as twitter, twitter+aph, twitter+t5m+t5tw")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("--learn-rate", type=float, help="the highest, instead of the config's")
    add_run_options(parser)
    args = parser.parse_args()

    check_sets(args.sets)
    try:
        epochs = read_epochs(args.epochs, ["detector"])
    except PawsError as error:
        raise SystemExit(str(error)) from error
    configs = {name: make_config(name, args.corpus, args.seed) for name in args.sets}
    for config in configs.values():
        config["training"]["max_epochs"] = epochs.get("detector", config["training"]["max_epochs"])
        if args.learn_rate:
            config["training"]["optimizer"]["learn_rate"]["initial_rate"] = args.learn_rate
        fit_schedule(config)
    train_all(configs, args)


def make_config(name: str, corpus: Path, seed: int) -> Config:
    """The config of a training set, without what is spaCy's default."""
    config = merge_configs(Path(__file__).resolve().parents[1] / "configs" / "base.cfg")
    config["system"]["seed"] = seed
    for side in ("train", "dev"):
        config["corpora"][side]["path"] = [str(corpus / f"{part}_{side}.jsonl") for part in name.split("+")]
    try:
        corpus_files(config)
    except PawsError as error:
        raise SystemExit(f"{error} Run prepare first") from error
    return config


if __name__ == "__main__":
    main()
