"""Compares the verdicts of `paws_mi` with recorded ones: how often both say the same, and MCC.

Prints a JSON object. "always_mi" is what a judge would reach that finds mutual implication in every pair. "fitted" has
the same figures for another verdict: the entailment score of the weaker direction is above a threshold, the one with
the best MCC on other pairs.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict, Tuple

import numpy
import spacy

from paws_components import pipe_pairs
from paws_components.evaluation.measures import confusion, mcc, measure_answers
from paws_components.readers import read_pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attempts", type=Path, help="pairs with the recorded verdict as their label")
    parser.add_argument("--fit", type=Path, help="other such pairs, to fit the threshold on")
    parser.add_argument("--model", required=True, help="the NLI model, as paws_mi takes it")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the figures go (.json)")
    parser.add_argument("--samples", type=int, default=1000, help="of the bootstrap")
    parser.add_argument("--gpu-id", type=int, default=-1)
    args = parser.parse_args()

    if args.gpu_id >= 0:
        spacy.require_gpu(args.gpu_id)
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_mi", config={"model": args.model})
    truths, scores, answers = ask(nlp, args.attempts)
    found: Dict[str, Any] = {"pairs": len(truths), "recorded_mi": round(float(truths.mean()), 4)}
    found.update(figures(truths, scores, answers, args.samples))
    found["always_mi"] = {"accuracy": found["recorded_mi"], "mcc": 0.0}
    if args.fit:
        others, other_scores, _ = ask(nlp, args.fit)
        threshold = best_threshold(others, other_scores)
        found["fitted"] = {"threshold": round(threshold, 4), "pairs": len(others)}
        found["fitted"]["mcc_where_fitted"] = round(float(mcc(confusion(others, other_scores > threshold))), 4)
        found["fitted"].update(figures(truths, scores, scores > threshold, args.samples))
    args.output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf8")
    print(json.dumps(found))


def ask(nlp: spacy.Language, path: Path) -> Tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """What was recorded for each pair, how sure the model is of both directions at once, and its verdict."""
    records = list(read_pairs(path))
    said = [doc._.paws_mi for doc, _ in pipe_pairs(nlp, records)]
    weaker = numpy.array([min(one["forward"], one["backward"]) for one in said])
    return numpy.array([one.label == 1 for one in records]), weaker, numpy.array([one["verdict"] for one in said])


def best_threshold(truths: numpy.ndarray, scores: numpy.ndarray) -> float:
    """The threshold with the highest MCC; each score is tried, and the lowest of equals is taken."""
    tried = numpy.unique(scores)
    return float(max(tried, key=lambda one: (float(mcc(confusion(truths, scores > one))), -one)))


def figures(truths: numpy.ndarray, scores: numpy.ndarray, answers: numpy.ndarray, samples: int) -> Dict[str, Any]:
    found: Dict[str, Any] = {"said_mi": round(float(answers.mean()), 4)}
    for name, measure in measure_answers(truths, scores, answers, samples=samples).items():
        found[name] = {key: None if value is None else round(value, 4) for key, value in measure._asdict().items()}
    cells = map(int, confusion(truths, answers))
    return {**found, "confusion": dict(zip(("both", "only_ours", "only_recorded", "neither"), cells))}


if __name__ == "__main__":
    main()
