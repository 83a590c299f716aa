"""The paper's Table 8 with our figures: Markdown, in per cent, ours with their 95 % intervals over the paper's.

Below it stands what the models were trained on, and the paper's *BERT vs DIIN*: how many of the transformer's errors
has DIIN right? Prints a JSON object for each model, and one for each of these comparisons.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict, Iterator, List

from names import FINE_TUNED, SUPERVISED, TITLES, run_name

from paws_components.evaluation.comparison import measure_cell, read_results
from paws_components.tables import markdown_table

TEST_SET = "paws_wiki_test"
RUNS = {SUPERVISED: "supervised", FINE_TUNED: "pretrain + fine-tune"}
MEASURES = {"accuracy": "Acc", "auc_pr": "AUC-PR"}
COLUMNS = [(run, measure) for run in RUNS for measure in MEASURES]
# Zhang et al. (2019), Table 8, by column.
PAPER = {
    "bow": [55.8, 41.1, 55.6, 44.9],
    "bilstm": [71.1, 75.6, 80.8, 87.6],
    "esim": [67.2, 69.6, 81.9, 85.8],
    "decatt": [57.1, 52.6, 55.8, 45.4],
    "decatt_bilstm": [68.6, 70.6, 88.8, 92.3],
    "diin": [88.6, 91.1, 91.8, 94.4],
    "transformer": [90.4, 93.7, 91.9, 94.3],
}
# "of 687 of BERT's mistakes on the PAWS-Wiki test set, DIIN got 280 (41%) correct" (section 6.2).
PAPER_OVERLAP = "- *Of BERT's 687 errors DIIN has 280 right (41 %), paper.*"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="what `paws evaluate` wrote (.json)")
    parser.add_argument("--counts", type=Path, nargs="+", required=True, help="what prepare.py and silver.py counted")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the table goes (.md)")
    args = parser.parse_args()

    counts: Dict[str, Any] = {}
    for path in args.counts:
        counts.update(json.loads(path.read_text(encoding="utf8")))
    results = read_results(args.results)
    models = [model for model in TITLES if (run_name(model, SUPERVISED), TEST_SET) in results]
    if not models:
        raise SystemExit(f"{args.results} has no model that was trained on PAWS-Wiki")
    rows = [["model", *(f"{RUNS[run]} {MEASURES[name]}" for run, name in COLUMNS)]]
    summaries = []
    for model in models:
        found = [results.get((run_name(model, run), TEST_SET), {}).get(name) for run, name in COLUMNS]
        rows.append([TITLES[model], *map(measure_cell, found)])
        title = "BERT" if model == "transformer" else TITLES[model]
        rows.append([f"*{title}, paper*", *(f"{value:.1f}" for value in PAPER[model])])
        values = [None if one is None or one.value is None else round(100 * one.value, 1) for one in found]
        summaries.append({"model": model, **{f"{run}_{name}": v for (run, name), v in zip(COLUMNS, values)}})
    overlaps = list(read_overlaps(args.results))
    lines = [markdown_table(rows, ["model"]), "", *trained_on(counts), *map(overlap_line, overlaps)]
    if overlaps:
        lines.append(PAPER_OVERLAP)
    args.output.write_text("\n".join(lines) + "\n", encoding="utf8")
    for one in [*summaries, *overlaps]:
        print(json.dumps(one))


def trained_on(counts: Dict[str, Any]) -> List[str]:
    """Where the pairs are from and how many they are, a line each; the paper's are Table 5's and section 4's."""
    train, dev, test = (f"{counts[f'paws_wiki_{part}']:,}" for part in ("train", "dev", "test"))
    share = 100 * counts["silver_paraphrases"] / counts["silver"]
    return [
        f"- PAWS-Wiki ({counts['paws_wiki_is']}): {train} pairs to train on, {dev} to choose by, {test} to test on"
        " (paper: 49,401, 8,000, 8,000).",
        f"- Silver: {counts['silver']:,} pairs (paper: 656,000), {share:.1f} % of them paraphrases.",
    ]


def read_overlaps(path: Path) -> Iterator[Dict[str, Any]]:
    """How many errors of the transformer DIIN has right, both trained alike."""
    wanted = {(run_name("transformer", run), run_name("diin", run)): run for run in RUNS}
    for one in json.loads(path.read_text(encoding="utf8"))["overlaps"]:
        run = wanted.get((one["model"], one["other"]))
        if run and one["test_set"] == TEST_SET:
            yield {"trained": run, "transformer_errors": one["errors"], "diin_right": one["right"]}


def overlap_line(overlap: Dict[str, Any]) -> str:
    errors, right = overlap["transformer_errors"], overlap["diin_right"]
    share = f" ({100 * right / errors:.0f} %)" if errors else ""
    return f"- Of the transformer's {errors:,} errors ({RUNS[overlap['trained']]}) DIIN has {right:,} right{share}."


if __name__ == "__main__":
    main()
