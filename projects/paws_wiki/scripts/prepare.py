"""PAWS-Wiki in three parts, and no sentence of a test set in what is trained on, whichever corpus it comes from.

Where train.tsv, dev.tsv and test.tsv are all there, they are the parts. Where there is dev.tsv alone, it is cut in
three; pairs that share a sentence stay together. QQP and PAWS-QQP come from ../paws_qqp/scripts/prepare.py. The test
sets stay whole. A pair leaves the pairs to choose a checkpoint by if it shares a sentence with any test set, and the
training pairs if it shares one with any test set or any pair to choose by; case, spaces and punctuation make no
difference. Prints one JSON object of counts.
"""

import argparse
import json
from itertools import chain
from pathlib import Path
from typing import Any, Dict, List

from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.training.splits import AnyPair, drop_shared, published_or_cut, write_splits

# Our names for the parts that the other project writes.
QUORA = {
    "qqp_train": "qqp_train",
    "qqp_dev": "qqp_dev",
    "qqp_test": "qqp_test",
    "paws_qqp_train": "paws_train",
    "paws_qqp_dev": "paws_dev",
    "paws_qqp_test": "paws_dev_test",
}
Parts = Dict[str, List[AnyPair]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of PAWS-Wiki")
    parser.add_argument("--quora", type=Path, required=True, help="what ../paws_qqp/scripts/prepare.py wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--dev", type=int, default=500, help="pairs to choose the checkpoint by, where dev.tsv is cut")
    parser.add_argument("--test", type=int, default=1500, help="pairs to test on, where dev.tsv is cut")
    parser.add_argument("--seed", type=int, default=0, help="of the cut")
    args = parser.parse_args()

    counts: Dict[str, Any] = {}
    try:
        sizes = {"dev": args.dev, "test": args.test}
        wiki = published_or_cut(args.data, "paws_wiki", sizes, args.seed, counts, "paws_wiki")
        parts: Parts = {f"paws_wiki_{name}": [*pairs] for name, pairs in wiki.items()}
        parts.update({name: list(read_pairs(args.quora / f"{other}.jsonl")) for name, other in QUORA.items()})
        take_out_leaks(parts, counts)
        write_splits(parts, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


def take_out_leaks(parts: Parts, counts: Dict[str, Any]) -> None:
    """Leave pairs out of the parts that are not tested on; how many each part loses is counted."""
    for kind, unseen in (("dev", ("test",)), ("train", ("test", "dev"))):
        others = list(chain.from_iterable(parts[name] for name in parts if name.endswith(unseen)))
        for name in [name for name in parts if name.endswith(kind)]:
            parts[name] = drop_shared(parts[name], others, f"{name}_leaks", counts)


if __name__ == "__main__":
    main()
