"""Writes what is trained, chosen and tested on as pair records.

MRPC and MRPC-R1 keep the pairs that both were made of. PAWS-Wiki's published parts are used where all three are there;
where only dev.tsv is, it is cut into three parts that share no sentence. A pair leaves the training data if it shares a
sentence with the pairs to choose by or to test on; case, spaces and punctuation make no difference. Prints one JSON
object of counts.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict, List, Tuple

from paws_components.curation.text import sentence_key
from paws_components.errors import PawsError
from paws_components.training.labelled import Pair
from paws_components.training.splits import drop_shared, published_or_cut, read_split, write_splits

Parts = Dict[str, List[Pair]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder that holds mrpc/ and paws_wiki/")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--corrected", default="", help="MRPC as `paws correct` left it, as a set of its own")
    parser.add_argument("--paws-dev", type=int, default=2000, help="pairs to choose by, where dev.tsv is cut")
    parser.add_argument("--paws-test", type=int, default=3000, help="pairs to test on, where dev.tsv is cut")
    parser.add_argument("--seed", type=int, default=0, help="of the cut")
    args = parser.parse_args()

    counts: Dict[str, Any] = {}
    sizes = {"dev": args.paws_dev, "test": args.paws_test}
    try:
        paws = published_or_cut(args.data / "paws_wiki", "paws", sizes, args.seed, counts, "paws_wiki")
        trained = {"paws": paws["train"], **read_mrpc(args.data / "mrpc", counts)}
        if args.corrected:
            trained["mrpc_ours"] = read_split(args.corrected, "mrpc_ours", counts)
        parts: Parts = {"paws_dev": paws["dev"], "paws_test": paws["test"]}
        for name, pairs in trained.items():
            left_out = f"{name}_shares_with_paws_dev_or_test"
            parts[f"{name}_train"] = drop_shared(pairs, paws["dev"] + paws["test"], left_out, counts)
        write_splits(parts, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


def read_mrpc(folder: Path, counts: Dict[str, Any]) -> Parts:
    """MRPC, and MRPC-R1 as its authors released it, of the same pairs.

    The release has a row for each pair of MRPC's training part, and two for a pair that was corrected, once with the
    values of either sentence. Some of its quotation marks are others than in MRPC.
    """
    mrpc = read_split(folder / "msr_paraphrase_train.txt", "mrpc", counts, "mrpc")
    release = folder / "mrpc_train_corrected.csv"
    revised = read_split(release, "mrpc_r1", counts, "mrpc_r1")
    made_of = {pair.number: key(pair) for pair in read_split(release, "mrpc_r1_original", counts, "mrpc_r1_original")}
    known, used = set(map(key, mrpc)), set(made_of.values())
    parts = {
        "mrpc": [pair for pair in mrpc if key(pair) in used],
        "mrpc_r1": [pair for pair in revised if made_of.get(pair.number) in known],
    }
    counts["mrpc_not_in_mrpc_r1"] = len(mrpc) - len(parts["mrpc"])
    counts["mrpc_r1_not_in_mrpc"] = len(revised) - len(parts["mrpc_r1"])
    return parts


def key(pair: Pair) -> Tuple[str, str]:
    return sentence_key(pair.sentence1), sentence_key(pair.sentence2)


if __name__ == "__main__":
    main()
