"""Finds AP_H-test, takes leaks out of what is trained on, sets pairs to choose by apart, and writes pair records.

The human attempts that are not in AP_H-train are AP_H-test. The test sets stay whole. A pair leaves the training data
if it shares a sentence, on either side, with a test set: AP_H-train with AP_H-test, all others with AP_H, the Twitter
pairs with MSRP as well; case, spaces and punctuation make no difference. Prints one JSON object of counts.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Dict, List, Tuple

from paws_components.curation.splitting import set_apart
from paws_components.errors import PawsError
from paws_components.training.labelled import Pair
from paws_components.training.splits import Counts, drop_shared, read_split, write_splits

PARTS = ("twitter", "aph", "t5m", "t5tw")
# The test sets: human attempts that were held back, all of them, and MSRP's two parts.
APH_TEST, APH, MSRP_TRAIN, MSRP_TEST = "aph_test", "aph_all", "msrp_train", "msrp_test"
# AP_T5 as it was released: a file has the attempts that passed, or those that are MI or not without having passed.
T5_FILES = {
    "t5m": ("msrp1-apt.tsv", "msrp1-mi0.tsv", "msrp1-nmi0.tsv"),
    "t5tw": ("twitterppdb1-apt.tsv", "twitterppdb1-mi.tsv"),
}
Parts = Dict[str, List[Pair]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder that holds apt/, twitter_url/ and mrpc/")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--dev-share", type=float, default=0.1, help="of the training pairs, to choose by (paper: 0.1)")
    parser.add_argument("--t5-rows", type=int, default=0, help="of each half of AP_T5, drawn at random; 0 for all")
    parser.add_argument("--test-share", type=float, default=0.25, help="of AP_H, where train.tsv is none of its parts")
    parser.add_argument("--seed", type=int, default=0, help="of every draw")
    args = parser.parse_args()

    counts: Counts = {}
    try:
        tests, aph_train = read_human(args.data / "apt", args.test_share, args.seed, counts)
        tests.update(read_msrp(args.data / "mrpc", counts))
        parts = read_training(args.data, args.t5_rows, args.seed, counts)
        parts["aph"] = drop_shared(aph_train, tests[APH_TEST], "aph_shares_with_aph_test", counts)
        for name in ("twitter", "t5m", "t5tw"):
            parts[name] = drop_shared(parts[name], tests[APH], f"{name}_shares_with_aph", counts)
        msrp = [pair for name in (MSRP_TRAIN, MSRP_TEST) for pair in tests.get(name, [])]
        parts["twitter"] = drop_shared(parts["twitter"], msrp, "twitter_shares_with_msrp", counts)
        write_splits({**tests, **choose_dev(parts, args.dev_share, args.seed)}, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


def read_human(folder: Path, share: float, seed: int, counts: Counts) -> Tuple[Parts, List[Pair]]:
    """All human attempts and those to test on, and those to train on.

    The authors' train.tsv is AP_H-train: csv-quoted where final_checks.tsv is not, otherwise row by row the same. What
    it leaves of the 5,007 attempts is AP_H-test, but for those in which nothing was written. With a train.tsv that has
    other rows, AP_H is cut by source sentence.
    """
    attempts = read_split(folder / "final_checks.tsv", "aph_all", counts)
    left = Counter(map(row, read_split(folder / "train.tsv", "aph", counts)))
    train, test = [], []
    for pair in attempts:
        known = left[row(pair)] > 0
        left[row(pair)] -= known
        (train if known else test).append(pair)
    counts["aph_train_not_in_aph"] = sum(left.values())
    if counts["aph_train_not_in_aph"]:
        print("train.tsv has rows that final_checks.tsv has not: AP_H is cut by source sentence", file=sys.stderr)
        test, train = set_apart(attempts, round(share * len(attempts)), seed)
    return {APH_TEST: test, APH: attempts}, train


def row(pair: Pair) -> Tuple[str, str, str]:
    return pair.sentence1, pair.sentence2, pair.label


def read_msrp(folder: Path, counts: Counts) -> Parts:
    """MSRP's parts as far as they are there; the paper has both."""
    found = {}
    for name, file in ((MSRP_TRAIN, "msr_paraphrase_train.txt"), (MSRP_TEST, "msr_paraphrase_test.txt")):
        if (folder / file).is_file():
            found[name] = read_split(folder / file, name, counts, "mrpc")
        else:
            print(f"No {file} in {folder}: the row of {name} stays empty", file=sys.stderr)
    return found


def read_training(data: Path, t5_rows: int, seed: int, counts: Counts) -> Parts:
    """The Twitter pairs, and both halves of AP_T5, each pair once."""
    twitter = data / "twitter_url" / "Twitter_URL_Corpus_test.txt"
    parts = {"twitter": read_split(twitter, "twitter", counts, "twitter_url")}
    for name, files in T5_FILES.items():
        read = [pair for file in files for pair in read_split(data / "apt" / file, Path(file).stem, counts)]
        pairs = list({row(pair): pair for pair in read}.values())
        counts[f"{name}_repeated"] = len(read) - len(pairs)
        parts[name] = Random(seed).sample(pairs, min(t5_rows or len(pairs), len(pairs)))
    return parts


def choose_dev(parts: Parts, share: float, seed: int) -> Parts:
    """Each part as NAME_train and NAME_dev. No sentence is on both sides, whichever parts are put together: AP_T5^Tw
    was written from Twitter sentences, and AP_T5^M from MSRP's, as half of AP_H was."""
    pairs = [pair for name in PARTS for pair in parts[name]]
    part_of = {id(pair): name for name in PARTS for pair in parts[name]}
    sides = dict(zip(("dev", "train"), set_apart(pairs, round(share * len(pairs)), seed)))
    return {
        f"{name}_{side}": [pair for pair in chosen if part_of[id(pair)] == name]
        for name in PARTS
        for side, chosen in sides.items()
    }


if __name__ == "__main__":
    main()
