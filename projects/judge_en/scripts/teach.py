"""Ask the neural judge about the proposals that the network does not find hopeless: labels for the embedded judge."""

import argparse
import random
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

import numpy
import srsly
import torch
from fit import MAX_GAP, MOST, asked, empty_judge
from paws_components.generation.neural import make_neural_judge

from paws_components.generation.embedded import FACTS
from paws_components.generation.judging import Proposal, Question

# The best of a sentence, and one of the others, so that bad ones are known too.
BEST, OTHERS = 3, 1
# Sentences whose best proposal is worse than this are hardly ever worth a question; one in so many is asked about.
HOPELESS, ONE_IN = 9.0, 12


def choose(row: Dict[str, Any], facts: numpy.ndarray, draw: random.Random) -> List[int]:
    """Which proposals of a sentence the teacher is asked about."""
    score = facts[:, FACTS.index("gap")] + 0.5 * facts[:, FACTS.index("losses")]
    order = numpy.argsort(score, kind="stable").tolist()
    if score[order[0]] > HOPELESS and draw.randrange(ONE_IN):
        return []
    rest = order[BEST:]
    return sorted(order[:BEST] + draw.sample(rest, min(OTHERS, len(rest))))


def labels(path: Path, network: Path, limit: int) -> Iterator[Dict[str, Any]]:
    judge = empty_judge(network)
    teacher = make_neural_judge(most=BEST + OTHERS, max_gap=None)
    draw = random.Random(0)
    began, done = time.time(), 0
    for row in srsly.read_gzip_jsonl(path):
        row["proposals"] = [proposal for proposal in row["proposals"] if proposal[2] <= MAX_GAP][:MOST]
        if not row["proposals"]:
            continue
        chosen = choose(row, judge.facts(asked(row, row["proposals"])), draw)
        if not chosen:
            continue
        proposals = [Proposal(*row["proposals"][k][:3], None) for k in chosen]
        (said,) = teacher([Question(row["text"], row["words"], None, row["plain"], proposals)])
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
    parser.add_argument("network", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--limit", type=int, default=6000, help="sentences")
    args = parser.parse_args()
    torch.set_num_threads(1)
    srsly.write_gzip_jsonl(args.output, labels(args.proposals, args.network, args.limit))
