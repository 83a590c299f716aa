"""Asks the best checkpoint of every run about the pairs to test on, and writes all figures of all runs (.json)."""

import argparse
import json
from pathlib import Path
from typing import Any, Dict

import numpy
from names import TEST, check_sets, run_name
from spacy.util import load_config

from paws_components.evaluation.comparison import compare
from paws_components.evaluation.judging import Answers, read_test_set
from paws_components.evaluation.measures import confusion, macro_f1
from paws_components.training.runs import NOTE, was_trained


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", help="what was trained on")
    parser.add_argument("--runs", type=int, default=5, help="how many seeds, from 0")
    parser.add_argument("--trained", type=Path, default=Path("build/models"), help="what train.py wrote")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the figures go (.json)")
    parser.add_argument("--gpu-id", type=int, default=-1)
    args = parser.parse_args()

    check_sets(args.sets)
    runs = {run_name(name, seed): (name, seed) for name in args.sets for seed in range(args.runs)}
    missing = [name for name in runs if not was_trained(args.trained / name)]
    if missing:
        raise SystemExit(f"not trained yet: {', '.join(missing)}. Run train first")
    comparison = compare(
        {name: str(args.trained / name / "model-best") for name in runs},
        [read_test_set(TEST, str(args.corpus / f"{TEST}.jsonl"))],
        both_orders=False,
        samples=0,
        gpu_id=args.gpu_id,
        quiet=True,
    )
    results = []
    for answers, measures in zip(comparison.answers, comparison.measures):
        trained_on, seed = runs[answers.model]
        test = {name: measures[name].value for name in ("f1", "accuracy", "auc_pr")}
        test.update(more_figures(answers))
        trained = json.loads((args.trained / answers.model / NOTE).read_text(encoding="utf8"))
        config = load_config(args.trained / answers.model / "config.cfg")
        setting = {"encoder": config["components"]["textcat"]["model"]["name"], "epochs": trained["epochs"]}
        setting["learn_rate"] = config["training"]["optimizer"]["learn_rate"]
        dev = {name.removeprefix("dev_"): value for name, value in trained.items() if name.startswith("dev_")}
        run = {"trained_on": trained_on, "seed": seed, "pairs": trained["pairs"], **setting}
        results.append({**run, "dev": dev, "test": test})
    args.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf8")


def more_figures(answers: Answers) -> Dict[str, Any]:
    """The F1 that is the mean of both labels' (spaCy's `macro_f`), and how much is called a paraphrase."""
    truths = numpy.array([record.label == 1 for record in answers.test_set.records])
    said = numpy.array([label == answers.positive_label for label in answers.labels])
    return {"macro_f": float(macro_f1(confusion(truths, said))), "said_yes": float(said.mean())}


if __name__ == "__main__":
    main()
