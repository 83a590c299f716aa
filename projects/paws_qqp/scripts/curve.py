"""The paper's Figure 4 with our figures: AUC-PR on PAWS-QQP over the number of its pairs in the training set, as SVG.

Prints a JSON object for each point.
"""

import argparse
import json
from pathlib import Path
from typing import Dict, List

from paws_components.evaluation.comparison import read_results
from paws_components.viz.curve import Point, draw_curve

TEST_SET = "paws_dev_test"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="what `paws evaluate` wrote (.json)")
    parser.add_argument("models", nargs="+", help="the models to draw")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the drawing goes (.svg)")
    args = parser.parse_args()

    everything = json.loads((args.corpus / "counts.json").read_text(encoding="utf8"))["paws_train"]
    lines: Dict[str, List[Point]] = {}
    for (run, test_set), measures in read_results(args.results).items():
        # DIIN's runs are diin-qqp, diin-qqp+paws1500 and so on, and diin-qqp+paws with all of them.
        model, _, mix = run.partition("-")
        auc = measures["auc_pr"]
        if model in args.models and "-" not in mix and test_set == TEST_SET and auc.value is not None:
            paws = mix.partition("+")[2]
            pairs = min(int(paws.removeprefix("paws") or everything), everything) if paws else 0
            # With too few pairs there is no interval.
            low, high = (auc.value if end is None else end for end in (auc.low, auc.high))
            lines.setdefault(model, []).append(Point(pairs, auc.value, low, high))
    if not lines:
        raise SystemExit(f"{args.results} has no AUC-PR of {', '.join(args.models)} on {TEST_SET}")
    lines = {model: sorted(points) for model, points in lines.items()}
    args.output.write_text(draw_curve(lines, "pairs of PAWS-QQP in the training set"), encoding="utf8")
    for model, points in lines.items():
        for point in points:
            print(json.dumps({"model": model, **point._asdict()}))


if __name__ == "__main__":
    main()
