"""Writes what is trained, chosen and tested on as pair records.

MRPC and MRPC-R1 keep the pairs that both were made of. PAWS-Wiki's published parts are used where all three are there;
where only dev.tsv is, it is cut into three parts that share no sentence. A pair leaves the training data if it shares a
sentence with the pairs to choose by or to test on; case, spaces and punctuation make no difference. Prints one JSON
object of counts.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Dict, List, Tuple

from names import DEV, TEST

from paws_components.curation.splitting import set_apart
from paws_components.curation.text import sentence_key
from paws_components.errors import PawsError
from paws_components.training.labelled import Pair
from paws_components.training.splits import Counts, drop_shared, read_split, write_splits

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

    counts: Counts = {}
    parts = read_paws(args.data / "paws_wiki", (args.paws_dev, args.paws_test), args.seed, counts)
    parts.update(read_mrpc(args.data / "mrpc", counts))
    if args.corrected:
        parts["mrpc_ours"] = read_split(args.corrected, "mrpc_ours", counts)
    unseen = parts[DEV] + parts[TEST]
    for name in [name for name in parts if name not in (DEV, TEST)]:
        parts[name] = drop_shared(parts[name], unseen, f"{name}_shares_with_paws_dev_or_test", counts)
    try:
        write_splits(parts, args.output, counts)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


def read_paws(folder: Path, sizes: Tuple[int, int], seed: int, counts: Counts) -> Parts:
    """The pairs to choose by, to test on, and to train the baseline on."""
    files = {DEV: "dev.tsv", TEST: "test.tsv", "paws": "train.tsv"}
    missing = [name for name in files.values() if not (folder / name).is_file()]
    counts["paws_published_parts"] = int(not missing)
    if not missing:
        return {part: read_split(folder / name, part, counts, "paws_wiki") for part, name in files.items()}
    if "dev.tsv" in missing:
        raise SystemExit(f"{folder / 'dev.tsv'} is not there: see the description of project.yml")
    print(f"No {' and no '.join(missing)} in {folder}: dev.tsv is cut into three parts", file=sys.stderr)
    pairs = read_split(folder / "dev.tsv", "paws_cut", counts, "paws_wiki")
    dev, rest = set_apart(pairs, sizes[0], seed)
    test, train = set_apart(rest, sizes[1], seed)
    return {DEV: dev, TEST: test, "paws": train}


def read_mrpc(folder: Path, counts: Counts) -> Parts:
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
