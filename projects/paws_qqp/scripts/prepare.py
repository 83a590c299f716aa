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
from typing import Dict, List, Sequence

from paws_components.curation.splitting import set_apart, without_shared, write_parts
from paws_components.errors import PawsError
from paws_components.records import PairRecord
from paws_components.training.labelled import read_labelled_records

Counts = Dict[str, int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder that holds qqp/ and paws_qqp/")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--train", type=int, default=18000, help="rows of QQP to train on, the rest is held back")
    parser.add_argument("--qqp-dev", type=int, default=1000, help="QQP pairs to choose the checkpoint by")
    parser.add_argument("--paws-dev", type=int, default=500, help="PAWS-QQP pairs to choose the checkpoint by")
    parser.add_argument("--seed", type=int, default=0, help="of the shuffle")
    args = parser.parse_args()

    counts: Counts = {}
    qqp = read(args.data / "qqp" / "quora-dev.tsv", "qqp", counts)
    paws = read(args.data / "paws_qqp" / "train.tsv", "paws_train", counts)
    paws_test = read(args.data / "paws_qqp" / "dev_and_test.tsv", "paws_test", counts)
    if not 0 < args.train < len(qqp):
        raise SystemExit(f"--train is {args.train}, but QQP has {len(qqp):,} pairs: some must be held back")
    Random(args.seed).shuffle(qqp)
    train, held_back = qqp[: args.train], qqp[args.train :]
    train = without(train, paws_test, "qqp_train_shares_with_paws_test", counts)
    train = without(train, held_back, "qqp_train_shares_with_qqp_test", counts)
    paws = without(paws, paws_test, "paws_train_shares_with_paws_test", counts)
    paws = without(paws, held_back, "paws_train_shares_with_qqp_test", counts)
    # The pairs to choose by must be new to both mixes, and a PAWS pair is often made from a question of QQP.
    qqp_dev, train = set_apart(train, args.qqp_dev, args.seed)
    paws_dev, paws = set_apart(paws, args.paws_dev, args.seed)
    paws = without(paws, qqp_dev, "paws_train_shares_with_qqp_dev", counts)
    train = without(train, paws_dev, "qqp_train_shares_with_paws_dev", counts)

    parts = {"qqp_train": train, "qqp_dev": qqp_dev, "qqp_test": held_back}
    parts.update(paws_train=paws, paws_dev=paws_dev, paws_dev_test=paws_test)
    try:
        counts.update(write_parts(parts, args.output))
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


def read(path: Path, name: str, counts: Counts) -> List[PairRecord]:
    """The labelled pairs of a file; rows without a label are counted and left out."""
    pairs, account = read_labelled_records(path)
    counts[f"{name}_rows"] = account.rows
    counts[f"{name}_rows_left_out"] = account.rows - account.pairs
    return pairs


def without(pairs: Sequence[PairRecord], others: Sequence[PairRecord], name: str, counts: Counts) -> List[PairRecord]:
    """The pairs that share no sentence with some others; how many do is counted."""
    kept = without_shared(pairs, others)
    counts[name] = len(pairs) - len(kept)
    return kept


if __name__ == "__main__":
    main()
