"""Trains the NLI model with `spacy train`'s own function.

The config is configs/base.cfg with what is said here, and is written in full beside what it gave. What was trained with
the same config on the same files is not trained again. Prints a JSON object.
"""

import argparse
from pathlib import Path

from paws_components.errors import PawsError
from paws_components.training.run_options import add_run_options, read_epochs, train_all
from paws_components.training.runs import corpus_files, fit_schedule, merge_configs

NAME = "nli"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    add_run_options(parser)
    args = parser.parse_args()

    config = merge_configs(Path(__file__).resolve().parents[1] / "configs" / "base.cfg")
    config["system"]["seed"] = args.seed
    for part in ("train", "dev"):
        config["corpora"][part]["path"] = [str(args.corpus / f"nli_{part}.jsonl")]
    try:
        corpus_files(config)
        epochs = read_epochs(args.epochs, [NAME])
    except PawsError as error:
        raise SystemExit(str(error)) from error
    config["training"]["max_epochs"] = epochs.get(NAME, config["training"]["max_epochs"])
    fit_schedule(config)
    train_all({NAME: config}, args)


if __name__ == "__main__":
    main()
