"""Cuts QQP in two, takes leaks out of what is trained on, and writes everything as pair records.

The test sets (the held-back part of QQP, and PAWS-QQP's dev_and_test) stay whole. A pair leaves the training data if it
shares a sentence with them; case, spaces and punctuation make no difference. From what is left some pairs are set
apart, on which the best checkpoint is chosen; they share no sentence with those that are trained on. Prints one JSON
object of counts.
"""

import argparse
import json
from pathlib import Path
from random import Random

from paws_components.curation.splitting import set_apart
from paws_components.errors import PawsError
from paws_components.training.splits import Counts, drop_shared, read_split, write_splits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qqp", type=Path, help="the file of QQP's pairs")
    parser.add_argument("paws", type=Path, help="the folder with train.tsv and dev_and_test.tsv of PAWS-QQP")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--train", type=int, default=18000, help="rows of QQP to train on, the rest is held back")
    parser.add_argument("--qqp-dev", type=int, default=1000, help="QQP pairs to choose the checkpoint by")
    parser.add_argument("--paws-dev", type=int, default=500, help="PAWS-QQP pairs to choose the checkpoint by")
    parser.add_argument("--seed", type=int, default=0, help="of the shuffle")
    args = parser.parse_args()

    counts: Counts = {}
    qqp = read_split(args.qqp, "qqp", counts)
    paws = read_split(args.paws / "train.tsv", "paws_train", counts)
    paws_test = read_split(args.paws / "dev_and_test.tsv", "paws_test", counts)
    if not 0 < args.train < len(qqp):
        raise SystemExit(f"--train is {args.train}, but QQP has {len(qqp):,} pairs: some must be held back")
    Random(args.seed).shuffle(qqp)
    train, held_back = qqp[: args.train], qqp[args.train :]
    train = drop_shared(train, paws_test, "qqp_train_shares_with_paws_test", counts)
    train = drop_shared(train, held_back, "qqp_train_shares_with_qqp_test", counts)
    paws = drop_shared(paws, paws_test, "paws_train_shares_with_paws_test", counts)
    paws = drop_shared(paws, held_back, "paws_train_shares_with_qqp_test", counts)
    # The pairs to choose by must be new to both mixes, and a PAWS pair is often made from a question of QQP.
    qqp_dev, train = set_apart(train, args.qqp_dev, args.seed)
    paws_dev, paws = set_apart(paws, args.paws_dev, args.seed)
    paws = drop_shared(paws, qqp_dev, "paws_train_shares_with_qqp_dev", counts)
    train = drop_shared(train, paws_dev, "qqp_train_shares_with_paws_dev", counts)

    parts = {"qqp_train": train, "qqp_dev": qqp_dev, "qqp_test": held_back}
    parts.update(paws_train=paws, paws_dev=paws_dev, paws_dev_test=paws_test)
    try:
        write_splits(parts, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
