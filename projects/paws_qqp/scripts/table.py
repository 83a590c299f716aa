"""The paper's Table 7 with our figures: Markdown, in per cent, ours with their 95 % intervals over the paper's.

Prints a JSON object for each model: its accuracies, and what PAWS-QQP's training pairs gain and cost.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from names import BOTH, QQP, TITLES, run_name

from paws_components.evaluation.comparison import measure_cell, read_results
from paws_components.evaluation.measures import Measure
from paws_components.tables import markdown_table

SETS = {"qqp": "qqp_test", "paws": "paws_dev_test"}
# The columns: trained on, tested on, measure. The last is not in the paper's table; its text has "the same 90.5%" for
# BERT.
COLUMNS = [
    (QQP, "qqp", "accuracy"),
    (QQP, "qqp", "auc_pr"),
    (QQP, "paws", "accuracy"),
    (QQP, "paws", "auc_pr"),
    (BOTH, "paws", "accuracy"),
    (BOTH, "paws", "auc_pr"),
    (BOTH, "qqp", "accuracy"),
]
MEASURES = {"accuracy": "Acc", "auc_pr": "AUC-PR"}
# Zhang et al. (2019), Table 7, by column.
PAPER: Dict[str, List[Optional[float]]] = {
    "bow": [83.2, 89.5, 29.0, 27.1, 30.0, 27.3, None],
    "bilstm": [86.3, 91.6, 34.8, 37.9, 57.6, 52.3, None],
    "esim": [85.3, 92.8, 38.9, 26.9, 66.5, 48.1, None],
    "decatt": [87.8, 93.9, 33.3, 26.3, 67.4, 51.1, None],
    "diin": [89.2, 95.2, 32.8, 32.4, 83.8, 77.8, None],
    "transformer": [90.5, 96.3, 33.5, 35.1, 85.0, 83.1, 90.5],
}
Results = Dict[Tuple[str, str], Dict[str, Measure]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="what evaluate.py wrote (.json)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the table goes (.md)")
    args = parser.parse_args()

    results = read_results(args.results)
    models = [model for model in TITLES if (run_name(model, QQP), SETS["qqp"]) in results]
    if not models:
        raise SystemExit(f"{args.results} has no model that was trained on {QQP}")
    args.output.write_text("\n".join(table(results, models)) + "\n", encoding="utf8")
    for model in models:
        print(json.dumps(summary(results, model)))


def measure(results: Results, model: str, column: tuple) -> Optional[Measure]:
    mix, test_set, name = column
    return results.get((run_name(model, mix), SETS[test_set]), {}).get(name)


def table(results: Results, models: List[str]) -> List[str]:
    heads = [f"{mix.upper()}→{'PAWS-QQP' if on == 'paws' else 'QQP'} {MEASURES[name]}" for mix, on, name in COLUMNS]
    rows = [["model", *heads]]
    for model in models:
        cells = [measure_cell(measure(results, model, column)) for column in COLUMNS]
        rows.append([TITLES[model], *cells])
        if model in PAPER:
            title = "BERT" if model == "transformer" else TITLES[model]
            theirs = ["–" if value is None else f"{value:.1f}" for value in PAPER[model]]
            rows.append([f"*{title}, paper*", *theirs])
    return markdown_table(rows).splitlines()


def summary(results: Results, model: str) -> Dict[str, Any]:
    """What the paper's claims are about, in points."""
    values = {}
    for column in COLUMNS:
        found = measure(results, model, column)
        values[column] = None if found is None or found.value is None else 100 * found.value

    def gain(after: tuple, before: tuple) -> Optional[float]:
        one, other = values[after], values[before]
        return None if one is None or other is None else round(one - other, 1)

    return {
        "model": model,
        "qqp_accuracy": rounded(values[QQP, "qqp", "accuracy"]),
        "paws_accuracy": rounded(values[QQP, "paws", "accuracy"]),
        "paws_auc_pr_gain": gain((BOTH, "paws", "auc_pr"), (QQP, "paws", "auc_pr")),
        "qqp_accuracy_gain": gain((BOTH, "qqp", "accuracy"), (QQP, "qqp", "accuracy")),
    }


def rounded(value: Optional[float]) -> Optional[float]:
    return None if value is None else round(value, 1)


if __name__ == "__main__":
    main()
