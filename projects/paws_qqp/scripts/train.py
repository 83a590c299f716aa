"""Trains models on mixes of QQP and PAWS-QQP, one after the other, with `spacy train`'s own function.

The config of each is put together from configs/base.cfg and configs/MODEL.cfg, and written in full beside what it gave:
`spacy train build/models/NAME/config.cfg` does the same. What is there already, trained with the same config on the
same files, is not trained again: a run that was stopped goes on with the model it was at. Prints a JSON object each.
"""

import argparse
from pathlib import Path
from typing import Optional

from names import TITLES, check_models, paws_pairs, run_name
from thinc.api import Config

from paws_components.errors import PawsError
from paws_components.training.run_options import add_run_options, read_epochs, train_all
from paws_components.training.runs import corpus_files, fit_schedule, merge_configs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help="names of configs/MODEL.cfg")
    parser.add_argument("--mixes", nargs="+", required=True, help="qqp, qqp+paws, or qqp+1000 for 1,000 PAWS pairs")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    add_run_options(parser)
    args = parser.parse_args()

    check_models(args.models)
    try:
        epochs = read_epochs(args.epochs, list(TITLES))
    except PawsError as error:
        raise SystemExit(str(error)) from error
    configs = {
        run_name(model, mix): make_config(model, mix, args.corpus, args.seed, epochs.get(model))
        for mix in args.mixes
        for model in args.models
    }
    train_all(configs, args)


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
