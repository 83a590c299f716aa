"""Trains models for Table 9: on QQP alone, and with other corpora added.

The checkpoint is chosen by the dev parts of the corpora that are trained on; the auxiliary swaps have none. What was
trained already is not trained again. Prints a JSON object each.
"""

import argparse
from pathlib import Path

from configs import make_config
from names import MIXES, SWAP, TITLES, check_models, run_name

from paws_components.errors import PawsError
from paws_components.training.run_options import add_run_options, read_epochs, train_all


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help=", ".join(TITLES))
    parser.add_argument("--mixes", nargs="+", default=list(MIXES), help="all of them, if none is named")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("--auxiliary", type=Path, default=Path("build/auxiliary"), help="what auxiliary.py wrote")
    add_run_options(parser)
    args = parser.parse_args()

    check_models(args.models)
    unknown = [mix for mix in args.mixes if mix not in MIXES]
    if unknown:
        raise SystemExit(f"there is no mix '{unknown[0]}': take {', '.join(MIXES)}")
    configs = {}
    try:
        epochs = read_epochs(args.epochs, list(TITLES))
        for mix in args.mixes:
            folders = {part: args.auxiliary if part == SWAP else args.corpus for part in MIXES[mix]}
            train = [folder / f"{part}_train.jsonl" for part, folder in folders.items()]
            dev = [folder / f"{part}_dev.jsonl" for part, folder in folders.items() if part != SWAP]
            for model in args.models:
                configs[run_name(model, mix)] = make_config(model, train, dev, args.seed, epochs.get(model))
        train_all(configs, args)
    except PawsError as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
