"""Silver pairs from word swaps and their back translations, put together as PAWS-Wiki was (PAWS, sections 3.2 and 4).

Every swap counts as no paraphrase and every back translation as one. A swap comes if one of its two sentences has a
back translation, with that and with the pairs between them. What shares a sentence with a labelled pair is left out,
and non-paraphrases are drawn where there are too many of them. Prints one JSON object of counts.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import List

from paws_components.curation.balancing import by_source, has_counterpart, recombine, thin_out
from paws_components.curation.splitting import sentence_keys
from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord
from paws_components.training.splits import write_splits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("swaps", type=Path, help="what `paws generate` made of the sentences")
    parser.add_argument(
        "back", type=Path, help="what `paws generate --pairs --generator back_translation` made of these"
    )
    parser.add_argument("--labelled", type=Path, required=True, help="the folder of the labelled pairs (.jsonl)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--share", type=float, default=0.0, help="of paraphrases, at the least; 0 to draw nothing")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    args = parser.parse_args()

    swaps, back = read_silver(args.swaps, 0), read_silver(args.back, 1)
    translations = by_source(back)
    pairs = recombine(swaps, back)
    counts = {
        "swaps": len(swaps),
        "back_translations": len(back),
        "swaps_with_back_translation": sum(has_counterpart(swap, translations) for swap in swaps),
        "recombined": len(pairs),
    }
    labelled = set()
    for path in sorted(args.labelled.glob("*.jsonl")):
        labelled |= sentence_keys(read_pairs(path))
    unseen = [pair for pair in pairs if not sentence_keys([pair]) & labelled]
    counts["silver_leaks"] = len(pairs) - len(unseen)
    kept = thin_out(unseen, args.share, args.seed)
    counts["silver_not_drawn"] = len(unseen) - len(kept)
    # PAWS-Wiki-Swap is what has no back translation: it is made of the same swaps.
    alone = [swap for swap in swaps if not has_counterpart(swap, translations)]
    parts = {"silver": kept, "swaps_alone": [swap for swap in alone if not sentence_keys([swap]) & labelled]}
    try:
        write_splits(parts, args.output, counts)
    except PawsError as error:
        raise SystemExit(f"{error} Or make them from more sentences") from error
    (args.output / "counts.json").write_text(json.dumps(counts) + "\n", encoding="utf8")
    print(json.dumps(counts))


def read_silver(path: Path, label: int) -> List[PairRecord]:
    return [replace(pair, label=label, label_source="silver") for pair in read_pairs(path)]


if __name__ == "__main__":
    main()
