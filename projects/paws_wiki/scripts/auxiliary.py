"""The auxiliary training set of Table 9: PAWS-Wiki-Swap where it is there, else our swaps without a back translation.

The published swaps are labelled by people, ours are silver and all of them count as no paraphrase. Pairs that share a
sentence with a test set, or with the pairs to choose a checkpoint by, are left out. Prints one JSON object of counts.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict

from names import SWAP

from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.training.splits import drop_shared, read_split, write_splits

PUBLISHED, SILVER = "PAWS-Wiki-Swap, human labels", "our own swaps, silver labels"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("published", type=Path, help="swap/train.tsv, which need not be there")
    parser.add_argument("--silver", type=Path, required=True, help="the swaps that silver.py left over (.jsonl)")
    parser.add_argument("--labelled", type=Path, required=True, help="the folder of the labelled pairs")
    parser.add_argument("--limit", type=int, default=0, help="no more than so many; 0 for all")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    args = parser.parse_args()

    published = args.published.is_file()
    counts: Dict[str, Any] = {"swap_is": PUBLISHED if published else SILVER}
    pairs = read_split(args.published if published else args.silver, SWAP, counts)
    unseen = [path for part in ("dev", "test") for path in sorted(args.labelled.glob(f"*_{part}.jsonl"))]
    kept = drop_shared(pairs, (pair for path in unseen for pair in read_pairs(path)), "swap_leaks", counts)
    try:
        write_splits({f"{SWAP}_train": kept[: args.limit or None]}, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
