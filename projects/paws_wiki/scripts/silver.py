"""Silver pairs from word swaps and their back translations, put together as PAWS-Wiki was (PAWS, sections 3.2 and 4).

Every swap counts as no paraphrase and every back translation as one. A swap comes if one of its two sentences has a
back translation, with that and with the pairs between them; non-paraphrases are drawn where there are too many. The
swaps without a back translation are Table 9's auxiliary set, unless the published PAWS-Wiki-Swap is there, which has
labels of people. What shares a sentence with a labelled pair is left out. Prints one JSON object of counts.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, List

from paws_components.curation.balancing import balance, thin_out
from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord
from paws_components.training.splits import drop_shared, read_split, write_splits

PUBLISHED, SILVER = "PAWS-Wiki-Swap, human labels", "our own swaps, silver labels"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("swaps", type=Path, help="what `paws generate` made of the sentences")
    parser.add_argument(
        "back", type=Path, help="what `paws generate --pairs --generator back_translation` made of these"
    )
    parser.add_argument("--published", type=Path, required=True, help="swap/train.tsv, which need not be there")
    parser.add_argument("--labelled", type=Path, required=True, help="the folder of the labelled pairs (.jsonl)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--share", type=float, default=0.0, help="of paraphrases, at the least; 0 to draw nothing")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    args = parser.parse_args()

    swaps, back = read_silver(args.swaps, 0), read_silver(args.back, 1)
    done = balance(swaps, back)
    counts: Dict[str, Any] = {"swaps": len(swaps), "back_translations": len(back), **done.counts()}
    labelled = [pair for path in sorted(args.labelled.glob("*.jsonl")) for pair in read_pairs(path)]
    pairs = drop_shared(done.pairs, labelled, "silver_leaks", counts)
    kept = thin_out(pairs, args.share, args.seed)
    counts["silver_not_drawn"] = len(pairs) - len(kept)
    try:
        if args.published.is_file():
            counts["swap_is"] = PUBLISHED
            # They are labelled, and no more than the labelled pairs: only what is tested or chosen by is a leak.
            alone: list = read_split(args.published, "swap", counts)
            unseen = [
                pair
                for kind in ("dev", "test")
                for path in args.labelled.glob(f"*_{kind}.jsonl")
                for pair in read_pairs(path)
            ]
        else:
            counts["swap_is"] = SILVER
            alone, unseen = done.auxiliary, labelled
        alone = drop_shared(alone, unseen, "swap_leaks", counts)
        write_splits({"silver_train": kept, "swap_train": alone}, args.output, counts)
    except PawsError as error:
        raise SystemExit(f"{error} Or make them from more text") from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


def read_silver(path: Path, label: int) -> List[PairRecord]:
    return [replace(pair, label=label, label_source="silver") for pair in read_pairs(path)]


if __name__ == "__main__":
    main()
