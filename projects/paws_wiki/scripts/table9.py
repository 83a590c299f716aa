"""The paper's Table 9 with our figures: AUC-PR of models on six training mixes, with 95 % intervals over the paper's.

Prints a JSON object for each model and mix.
"""

import argparse
import json
from pathlib import Path

from names import MIXES, PAWS_QQP, PAWS_WIKI, QQP, SWAP, TEST_SETS, TITLES, run_name

from paws_components.evaluation.comparison import measure_cell, read_results
from paws_components.tables import markdown_table

PARTS = {QQP: "QQP", PAWS_QQP: "PAWS-QQP", PAWS_WIKI: "PAWS-Wiki", SWAP: "swaps"}
# Zhang et al. (2019), Table 9: DIIN, by mix and test set.
PAPER = dict(
    zip(
        MIXES,
        (
            [95.2, 32.4, 46.0],
            [95.3, 77.8, 70.5],
            [95.3, 58.5, 92.9],
            [95.3, 70.6, 93.5],
            [95.1, 87.0, 93.4],
            [95.3, 89.9, 93.8],
        ),
    )
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="what `paws evaluate` wrote (.json)")
    parser.add_argument("--counts", type=Path, required=True, help="what auxiliary.py counted")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the table goes (.md)")
    args = parser.parse_args()

    counts = json.loads(args.counts.read_text(encoding="utf8"))
    results = read_results(args.results)
    rows = [["model", "trained on", *TEST_SETS.values()]]
    summaries = []
    for model in TITLES:
        for mix, parts in MIXES.items():
            found = [results.get((run_name(model, mix), name), {}).get("auc_pr") for name in TEST_SETS]
            if not any(found):
                continue
            title = " + ".join(PARTS[part] for part in parts)
            rows.append([TITLES[model], title, *map(measure_cell, found)])
            if model == "diin":
                rows.append(["*DIIN, paper*", f"*{title}*", *(f"{value:.1f}" for value in PAPER[mix])])
            values = [None if one is None or one.value is None else round(100 * one.value, 1) for one in found]
            summaries.append({"model": model, "mix": mix, **dict(zip(TEST_SETS, values))})
    if not summaries:
        raise SystemExit(f"{args.results} has no model that was trained on a mix")
    swaps = f"{counts['swap_is']}, {counts['swap_train']:,} pairs (paper: human labels, 30,397 pairs)"
    note = f"AUC-PR in per cent; in brackets the 95 % interval. Swaps: {swaps}."
    table = markdown_table(rows, ["model", "trained on"])
    args.output.write_text(f"{table}\n\n{note}\n", encoding="utf8")
    for one in summaries:
        print(json.dumps(one))


if __name__ == "__main__":
    main()
