"""Ask the neural judge's language model about every proposal: what the trees of both judges learn from."""

import argparse
import time
from pathlib import Path
from typing import Any, Dict, Iterator, Optional

import srsly
import torch

from paws_components.generation.judging import Proposal, Question
from paws_components.generation.neural import make_neural_judge


def measure(path: Path, model: Optional[str]) -> Iterator[Dict[str, Any]]:
    judge = make_neural_judge(model, dtype="float32")
    began = time.time()
    for done, row in enumerate(srsly.read_gzip_jsonl(path), 1):
        proposals = [Proposal(text, words, gap, None) for text, words, gap, _, _ in row["proposals"]]
        said = judge.measure(Question(row["text"], row["words"], None, proposals), proposals)
        # To five digits: what is left of a sum in another order is noise.
        row["measured"] = [one and [round(number, 5) for number in one] for one in said]
        yield row
        if done % 100 == 0:
            print(f"  {done:,} sentences, {(time.time() - began) / done:.2f} s each", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proposals", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--model", help="another causal language model [default: what `paws download judge` brings]")
    args = parser.parse_args()
    torch.set_num_threads(1)
    srsly.write_gzip_jsonl(args.output, measure(args.proposals, args.model or None))
