"""Compares the verdicts of `paws_mi` with recorded ones: how often both say the same, and MCC.

Prints a JSON object. "always_mi" is what a judge would reach that finds mutual implication in every pair.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict

import numpy
import spacy

from paws_components import pipe_pairs
from paws_components.evaluation.measures import confusion, measure_answers
from paws_components.readers import read_pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attempts", type=Path, help="pairs with the recorded verdict as their label")
    parser.add_argument("--model", required=True, help="the NLI model, as paws_mi takes it")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the figures go (.json)")
    parser.add_argument("--samples", type=int, default=1000, help="of the bootstrap")
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0 for its own choice")
    parser.add_argument("--gpu-id", type=int, default=-1)
    args = parser.parse_args()

    if args.gpu_id >= 0:
        spacy.require_gpu(args.gpu_id)
    if args.threads:
        import torch

        torch.set_num_threads(args.threads)
    figures = compare(args.attempts, args.model, args.samples)
    args.output.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf8")
    print(json.dumps(figures))


def compare(attempts: Path, model: str, samples: int) -> Dict[str, Any]:
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_mi", config={"model": model})
    records = list(read_pairs(attempts))
    found = [doc._.paws_mi for doc, _ in pipe_pairs(nlp, records)]
    truths = numpy.array([record.label == 1 for record in records])
    answers = numpy.array([one["verdict"] for one in found])
    # How sure it is of both directions at once.
    scores = numpy.array([min(one["forward"], one["backward"]) for one in found])
    figures: Dict[str, Any] = {"pairs": len(records), "recorded_mi": round(float(truths.mean()), 4)}
    figures["said_mi"] = round(float(answers.mean()), 4)
    for name, measure in measure_answers(truths, scores, answers, samples=samples).items():
        figures[name] = {key: None if value is None else round(value, 4) for key, value in measure._asdict().items()}
    figures["confusion"] = dict(
        zip(("both", "only_ours", "only_recorded", "neither"), map(int, confusion(truths, answers)))
    )
    figures["always_mi"] = {"accuracy": figures["recorded_mi"], "mcc": 0.0}
    return figures


if __name__ == "__main__":
    main()
