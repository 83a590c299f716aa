"""Trains the targets: models on data sets, one after the other, with `spacy train`'s own function.

What was trained already with the same config on the same files is not trained again: here, or by ../paws_qqp, whose
models are copied. Prints a JSON object each.
"""

import argparse
import shutil
from pathlib import Path
from typing import Dict, Iterable

from configs import make_config
from names import SETS, TITLES, check_names, run_name
from spacy.util import load_config

from paws_components.errors import PawsError
from paws_components.training.run_options import add_run_options, read_epochs, train_all
from paws_components.training.runs import NOTE, was_trained

KEPT = ("model-best", "config.cfg", NOTE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help="bimpm, diin, transformer")
    parser.add_argument("--sets", nargs="+", required=True, help="qqp, mrpc")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare wrote")
    parser.add_argument("--trained", type=Path, help="a folder of models that may have been trained already")
    parser.add_argument("--mixed-precision", action="store_true", help="let transformers answer in it from now on")
    add_run_options(parser)
    args = parser.parse_args()

    check_names(args.models, args.sets)
    epochs = epochs_of(args.epochs)
    configs = {
        run_name(model, name): make_config(model, name, args.corpus, args.seed, epochs.get(run_name(model, name)))
        for name in args.sets
        for model in args.models
    }
    if args.trained:
        take_over(configs, args.trained, args.output)
    train_all(configs, args)
    if args.mixed_precision:
        for name in configs:
            quicken(args.output / name / "model-best")


def epochs_of(values: Iterable[str]) -> Dict[str, int]:
    """How many epochs each run has, from entries such as "diin-qqp=4"."""
    try:
        return read_epochs(list(values), [run_name(model, name) for model in TITLES for name in SETS])
    except PawsError as error:
        raise SystemExit(str(error)) from error


def take_over(names: Iterable[str], trained: Path, folder: Path) -> None:
    """Copy what was trained elsewhere and is not here. Whether it is the same training is seen to later, from its note;
    another one is done anew."""
    for name in names:
        if was_trained(trained / name) and not (folder / name).exists():
            for kept in KEPT:
                source, target = trained / name / kept, folder / name / kept
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)


def quicken(pipeline: Path) -> None:
    """Let a trained transformer answer in mixed precision, whatever it was trained in: an attack asks it thousands of
    times, and a CPU with bfloat16 takes half as long. Adversarial training goes on in it, too."""
    config = load_config(pipeline / "config.cfg")
    settings = config["components"]["textcat"]["model"]
    if settings.get("mixed_precision") is False:
        settings["mixed_precision"] = True
        config.to_disk(pipeline / "config.cfg")


if __name__ == "__main__":
    main()
