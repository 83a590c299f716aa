"""Trains models for Table 8: on labelled pairs; and on silver pairs, then from there on the same labelled pairs.

Each has a folder: MODEL-wiki, MODEL-silver, MODEL-silver-wiki. The labelled pairs to choose a checkpoint by are the
same for all three. The config of each is written in full beside what it gave: `spacy train
build/models/NAME/config.cfg` does the same. What was trained already is not trained again. Prints a JSON object each.
"""

import argparse
from pathlib import Path

from configs import make_config
from names import FINE_TUNED, PRETRAINED, SUPERVISED, TITLES, check_models, run_name

from paws_components.errors import PawsError
from paws_components.training.run_options import add_run_options, read_epochs, train_all
from paws_components.training.runs import go_on_from


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help=", ".join(TITLES))
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("--silver", type=Path, default=Path("build/silver/pairs"), help="what silver.py wrote")
    parser.add_argument("--silver-epochs", nargs="*", default=[], metavar="MODEL=N", help="of pretraining")
    add_run_options(parser)
    args = parser.parse_args()

    check_models(args.models)
    labelled, silver = args.corpus / "paws_wiki_train.jsonl", args.silver / "silver.jsonl"
    dev = [args.corpus / "paws_wiki_dev.jsonl"]
    try:
        epochs, silver_epochs = (read_epochs(given, list(TITLES)) for given in (args.epochs, args.silver_epochs))
        for model in args.models:
            supervised = make_config(model, [labelled], dev, args.seed, epochs.get(model))
            fine_tuned = supervised.copy()
            pretrained = make_config(model, [silver], dev, args.seed, silver_epochs.get(model))
            train_all({run_name(model, SUPERVISED): supervised, run_name(model, PRETRAINED): pretrained}, args)
            go_on_from(fine_tuned, args.output / run_name(model, PRETRAINED) / "model-best")
            train_all({run_name(model, FINE_TUNED): fine_tuned}, args)
    except PawsError as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
