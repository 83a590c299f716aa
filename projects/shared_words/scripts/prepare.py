"""Cuts MRPC's training part in three that share no sentence: to test on, to choose the checkpoint by, to train on.

Case, spaces and punctuation make no difference. MRPC's own test part is not needed. Prints one JSON object of counts.
"""

import argparse
import json
from pathlib import Path

from paws_components.curation.splitting import set_apart
from paws_components.errors import PawsError
from paws_components.training.splits import Counts, read_split, write_splits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mrpc", type=Path, help="msr_paraphrase_train.txt")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--test", type=int, default=800, help="pairs to test on, at most")
    parser.add_argument("--dev", type=int, default=300, help="pairs to choose the checkpoint by, at most")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    args = parser.parse_args()

    counts: Counts = {}
    try:
        pairs = read_split(args.mrpc, "mrpc", counts, "mrpc")
        test, rest = set_apart(pairs, args.test, args.seed)
        dev, train = set_apart(rest, args.dev, args.seed)
        write_splits({"mrpc_train": train, "mrpc_dev": dev, "mrpc_test": test}, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts_mrpc.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
