"""Writes what is trained, chosen and tested on as pair records: corpora of NLI as one, SNLI's validation part apart.

No pair that is trained on shares a sentence with what is held back, with the attempts that the verdicts are compared
on, or with those that the threshold is fitted on; case, spaces and punctuation aside. Nor do these attempts share one.
Prints one JSON object of counts.
"""

import argparse
import json
from itertools import chain
from pathlib import Path
from random import Random

from paws_components.curation.splitting import set_apart
from paws_components.errors import PawsError
from paws_components.training.splits import Counts, drop_shared, read_split, write_splits

FILES = {
    "snli": "snli/train_100k.tsv",
    "mnli": "mnli_ni/mnli_train_subset.tsv",
    "sick": "sick/SICK.txt",
    "anli": "anli_ni/anli_r1_r2_r3.tsv",
}
HELD_BACK = "snli/validation.tsv"
# Their label is the verdict that was recorded: of attempts of people, and of T5.
ATTEMPTS = "apt/final_checks.tsv"
OTHER_ATTEMPTS = ("apt/msrp1-mi0.tsv", "apt/msrp1-nmi0.tsv")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder that holds snli/, mnli_ni/, sick/, anli_ni/ and apt/")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--test", type=int, default=0, help="pairs of SNLI's validation part to hold back; 0 for all")
    parser.add_argument("--dev", type=int, default=1000, help="pairs of all corpora to choose the checkpoint by")
    parser.add_argument("--fit", type=int, default=3000, help="attempts of T5 to fit the threshold on, at most")
    parser.add_argument("--seed", type=int, default=0, help="of every draw")
    args = parser.parse_args()

    counts: Counts = {}
    try:
        read = {name: read_split(args.data / path, name, counts) for name, path in FILES.items()}
        test = read_split(args.data / HELD_BACK, "snli_validation", counts)
        if args.test:
            test, read["snli_rest"] = set_apart(test, args.test, args.seed)
        attempts = read_split(args.data / ATTEMPTS, "attempts", counts)
        others = [pair for path in OTHER_ATTEMPTS for pair in read_split(args.data / path, Path(path).stem, counts)]
        fit = drop_shared(others, attempts, "fit_shares_with_attempts", counts)
        fit = Random(args.seed).sample(fit, min(args.fit, len(fit)))
        train = drop_shared(list(chain(*read.values())), test, "train_shares_with_snli_test", counts)
        train = drop_shared(train, [*attempts, *fit], "train_shares_with_attempts", counts)
        dev, train = set_apart(train, args.dev, args.seed)
        parts = {"nli_train": train, "nli_dev": dev, "snli_test": test, "attempts": attempts, "fit": fit}
        write_splits(parts, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
