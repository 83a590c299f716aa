"""Joins the authors' files of T5's attempts; the label of one says whether it means the same as its source."""

import argparse
from pathlib import Path
from typing import Dict

from paws_components import PairRecord, read_pairs
from paws_components.writers import RecordWriter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where msrp1-apt.tsv, msrp1-mi0.tsv and msrp1-nmi0.tsv are")
    parser.add_argument("-o", "--output", required=True, help="where the attempts go (.jsonl)")
    parser.add_argument("--limit", type=int, default=0, help="take this many source sentences only; 0 for all")
    args = parser.parse_args()

    found: Dict[str, PairRecord] = {}
    # The authors ran three shares of the sentences: the last file has all three, the others have the first.
    for name in ("msrp1-mi0.tsv", "msrp1-nmi0.tsv", "msrp1-apt.tsv"):
        share = {record.source_id for record in found.values()}
        for record in read_pairs(args.folder / name):
            if name != "msrp1-apt.tsv" or record.source_id in share:
                found.setdefault(record.id, record)
    sources = list(dict.fromkeys(record.source_id for record in found.values()))
    kept = set(sources[: args.limit or None])
    with RecordWriter(args.output) as writer:
        for record in found.values():
            if record.source_id in kept:
                writer.write(record)
    print(f"{writer.count:,} different attempts at {len(kept):,} sentences")


if __name__ == "__main__":
    main()
