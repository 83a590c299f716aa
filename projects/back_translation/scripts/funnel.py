"""How many of the k * k candidates of each sentence are left after each step of back translation?

Prints one JSON object: `candidates` (what came back, of k * k a sentence and pivot), `distinct` (each text once, and
not the source), `similar` (BOW cosine high enough), `sampled` (what a run keeps), `reordered` (the share of these with
an inversion rate over the threshold), the same before sampling, and `sentences_with_pairs`.
"""

import argparse
import json
from itertools import islice
from pathlib import Path

import spacy
from tqdm import tqdm

from paws_back_translation.sampling import choose
from paws_components.plugins import make_registered
from paws_components.records import PairRecord, normalise
from paws_components.settings import parse_assignments

# So many sentences are translated at once.
CHUNK = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sentences", type=Path, help="a sentence per line")
    parser.add_argument("--limit", type=int, default=1000, help="how many sentences (default 1000)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as in `paws generate`")
    parser.add_argument("--lang", default="en", help="the language of the sentences")
    parser.add_argument("--output", type=Path, help="where the figures go too")
    args = parser.parse_args()

    generator = make_registered("generators", "back_translation", parse_assignments(args.set), spacy.blank(args.lang))
    with args.sentences.open(encoding="utf8") as lines:
        texts = [normalise(line) for line in islice(lines, args.limit)]
    counts = {"sentences": len(texts), "candidates": 0, "distinct": 0, "similar": 0}
    records = []
    for start in tqdm(range(0, len(texts), CHUNK), unit="chunk"):
        chunk = texts[start : start + CHUNK]
        trips = generator.round_trips(chunk)
        distinct = [generator.distinct(text, found) for text, found in zip(chunk, trips)]
        measured = generator.measured(chunk, distinct)
        counts["candidates"] += sum(map(len, trips))
        counts["distinct"] += sum(map(len, distinct))
        for text, candidates in zip(chunk, measured):
            for candidate in generator.similar(candidates):
                records.append(PairRecord(text, candidate["text"], generator="back_translation", evidence=candidate))
    counts["similar"] = len(records)
    stays = choose(records, generator.reordered_above, generator.reordered_share, generator.seed)
    kept = [record for record in records if stays(record)]
    reordered = sum(record.evidence["inversion_rate"] > generator.reordered_above for record in kept)
    counts["sampled"] = len(kept)
    figures = {
        **counts,
        "reordered": round(reordered / len(kept), 4) if kept else None,
        "reordered_before_sampling": round(reordered / len(records), 4) if records else None,
        "sentences_with_pairs": len({record.sentence1 for record in kept}),
    }
    if args.output:
        args.output.write_text(json.dumps(figures) + "\n", encoding="utf8")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
