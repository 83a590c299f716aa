"""Ask the neural judge about proposals: labels for the embedded one."""

import argparse
import random
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

import srsly
import torch
from fit import MAX_GAP, MOST

from paws_components.generation.judging import Proposal, Question
from paws_components.generation.neural import make_neural_judge

# The best of a sentence, as the n-gram model has it, and one of the others, so that worse ones are known too.
BEST, OTHERS = 3, 1
# Where the gap of the best is larger, hardly anything is natural; one in so many of these sentences is asked about.
HOPELESS, ONE_IN = 6.0, 8


def choose(proposals: List[Any], draw: random.Random) -> List[int]:
    """Which proposals of a sentence the teacher is asked about."""
    if proposals[0][2] > HOPELESS and draw.randrange(ONE_IN):
        return []
    best, rest = list(range(len(proposals)))[:BEST], list(range(len(proposals)))[BEST:]
    return best + sorted(draw.sample(rest, min(OTHERS, len(rest))))


def labels(path: Path, limit: int) -> Iterator[Dict[str, Any]]:
    teacher = make_neural_judge(most=BEST + OTHERS, max_gap=None, first=None)
    draw = random.Random(0)
    began, done = time.time(), 0
    for row in srsly.read_gzip_jsonl(path):
        row["proposals"] = [proposal for proposal in row["proposals"] if proposal[2] <= MAX_GAP][:MOST]
        if not row["proposals"]:
            continue
        chosen = choose(row["proposals"], draw)
        if not chosen:
            continue
        proposals = [Proposal(*row["proposals"][k][:3], None) for k in chosen]
        (said,) = teacher([Question(row["text"], row["words"], None, proposals)])
        row["natural"] = [None] * len(row["proposals"])
        row["said"] = [None] * len(row["proposals"])
        for k, judgement in zip(chosen, said):
            row["natural"][k] = judgement.naturalness if judgement.sum is not None else None
            row["said"][k] = list(judgement)
        yield row
        done += 1
        if done % 100 == 0:
            print(f"  {done:,} sentences, {(time.time() - began) / done:.2f} s each", flush=True)
        if done == limit:
            return


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proposals", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--limit", type=int, default=1600, help="sentences")
    args = parser.parse_args()
    torch.set_num_threads(1)
    srsly.write_gzip_jsonl(args.output, labels(args.proposals, args.limit))
