"""What other training pairs gain over the Twitter pairs alone, in MCC on the same test pairs, and if it is chance: a
paired bootstrap that draws whole source sentences. Writes the sentences that it prints, and a JSON object for each.
"""

import argparse
import json
from pathlib import Path

from paws_components.curation.text import sentence_key
from paws_components.evaluation.significance import mcc_difference
from paws_components.readers import read_pairs

BASE = "twitter"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers", type=Path, help="what `paws evaluate --examples` wrote (.jsonl)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the sentences go (.md)")
    parser.add_argument("--samples", type=int, default=5000, help="resamples of the bootstrap")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    args = parser.parse_args()

    records = list(read_pairs(args.answers))
    answers = [record.evidence.get("answers", {}) for record in records]
    if not answers or BASE not in answers[0]:
        raise SystemExit(f"{args.answers} has no answers of {BASE}. Run evaluate first")
    truths = [record.label == 1 for record in records]
    sources = [sentence_key(record.sentence1) for record in records]
    yes = {name: [answer[name]["label"] == "paraphrase" for answer in answers] for name in answers[0]}
    lines = []
    for name in sorted(set(yes) - {BASE}):
        gain = mcc_difference(truths, yes[BASE], yes[name], sources, samples=args.samples, seed=args.seed)
        figures = {field: round(value, 4) for field, value in gain._asdict().items()}
        print(json.dumps({"trained_on": name, "mcc_gain": {**figures, "verdict": gain.words}}))
        lines.append(
            f"{name} against {BASE}: MCC {gain.value:+.3f}, 95 % interval {gain.low:+.3f} to {gain.high:+.3f}, "
            f"p = {gain.p:.4f}: {gain.words} (paired bootstrap over {gain.groups:,} source sentences)."
        )
    args.output.write_text("\n\n".join(lines) + "\n", encoding="utf8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
