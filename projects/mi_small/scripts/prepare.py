"""Writes what is trained, chosen and tested on as pair records: four corpora of NLI as one, a part of SNLI held back.

The held-back part of SNLI shares no sentence with the rest, case, spaces and punctuation aside. Nor does a pair that is
trained on share one with the attempts that the verdicts are compared on. Prints one JSON object of counts.
"""

import argparse
import json
from pathlib import Path
from typing import List

from paws_components.curation.splitting import set_apart
from paws_components.errors import PawsError
from paws_components.training.labelled import Pair
from paws_components.training.splits import Counts, drop_shared, read_split, write_splits

FILES = {
    "snli": "snli/validation.tsv",
    "mnli": "mnli_ni/mnli_train_subset.tsv",
    "sick": "sick/SICK.txt",
    "anli": "anli_ni/anli_r1_r2_r3.tsv",
}
ATTEMPTS = "apt/final_checks.tsv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder that holds snli/, mnli_ni/, sick/, anli_ni/ and apt/")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--test", type=int, default=2000, help="pairs of SNLI that are held back")
    parser.add_argument("--dev", type=int, default=1000, help="pairs of all four to choose the checkpoint by")
    parser.add_argument("--seed", type=int, default=0, help="of what is held back")
    args = parser.parse_args()

    counts: Counts = {}
    try:
        read = {name: read_split(args.data / path, name, counts) for name, path in FILES.items()}
        # Their label is the verdict that was recorded.
        attempts = read_split(args.data / ATTEMPTS, "attempts", counts)
        test, read["snli"] = set_apart(read["snli"], args.test, args.seed)
        train: List[Pair] = [pair for part in read.values() for pair in part]
        train = drop_shared(train, test, "train_shares_with_snli_test", counts)
        train = drop_shared(train, attempts, "train_shares_with_attempts", counts)
        dev, train = set_apart(train, args.dev, args.seed)
        parts = {"nli_train": train, "nli_dev": dev, "snli_test": test, "attempts": attempts}
        write_splits(parts, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
