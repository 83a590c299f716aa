"""The paper's table with our figures (Markdown, in per cent): the median of the runs with the lowest and the highest.

Below stand the paper's figures, and what saying yes or no to every pair gives. Prints a JSON object for each training
set.
"""

import argparse
import json
from pathlib import Path
from statistics import median
from typing import Any, Dict, List, Sequence, Tuple

from names import DEV, TEST, TITLES

from paws_components.tables import markdown_table

# The columns: the part of PAWS, the measure, the head.
COLUMNS = (
    ("dev", "macro_f", "Dev F1"),
    ("test", "macro_f", "Test F1"),
    ("test", "f1", "Test F1 of paraphrases"),
    ("test", "accuracy", "Test accuracy"),
    ("test", "auc_pr", "Test AUC-PR"),
    ("test", "said_yes", "Test, called paraphrases"),
)
# "Towards Better Characterization of Paraphrases", section 5.2.2: dev F1 and test F1, medians of 5 runs.
PAPER = {
    "paws": {"DeBERTa-base": (92.77, 91.98), "DeBERTa-large": (95.12, 94.32)},
    "mrpc": {"DeBERTa-base": (35.67, 35.07), "DeBERTa-large": (30.80, 30.80)},
    "mrpc_r1": {"DeBERTa-base": (52.25, 50.83), "DeBERTa-large": (56.04, 55.22)},
}
NOTE = """\
F1 is the mean of the F1 of both labels. The paper does not say which F1 it has; its 30.80 for MRPC, on dev and on test,
is about what calling all pairs paraphrases gives in this one. F1 of paraphrases alone is bought by saying yes: see the
last rows."""
Counts = Dict[str, int]
Run = Dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="what evaluate.py wrote (.json)")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the table goes (.md)")
    args = parser.parse_args()

    counts = json.loads((args.corpus / "counts.json").read_text(encoding="utf8"))
    runs: Dict[str, List[Run]] = {}
    for run in json.loads(args.results.read_text(encoding="utf8")):
        runs.setdefault(run["trained_on"], []).append(run)
    if not runs:
        raise SystemExit(f"{args.results} has no runs. Run evaluate first")
    runs = {name: runs[name] for name in TITLES if name in runs}
    text = "\n".join([*table(runs, counts), "", about_runs(runs), about_data(counts), "", NOTE, ""])
    args.output.write_text(text, encoding="utf8")
    for name in runs:
        print(json.dumps(summary(name, runs[name], counts)))


def spread(runs: Sequence[Run], part: str, measure: str) -> Tuple[float, float, float]:
    """The median of the runs, the lowest and the highest, in per cent."""
    values = [100 * run[part][measure] for run in runs]
    return median(values), min(values), max(values)


def table(runs: Dict[str, List[Run]], counts: Counts) -> List[str]:
    rows = [["trained on", "pairs", *(head for _, _, head in COLUMNS)]]
    for name, found in runs.items():
        cells = [
            f"{middle:.1f} [{low:.1f}, {high:.1f}]" for middle, low, high in (spread(found, *c[:2]) for c in COLUMNS)
        ]
        rows.append([TITLES[name], f"{found[0]['pairs']:,}", *cells])
        for model, figures in PAPER.get(name, {}).items():
            theirs = [f"{value:.2f}" for value in figures]
            rows.append([f"*{TITLES[name]}, {model}, paper*", "", *theirs, *[""] * (len(COLUMNS) - 2)])
    for answer in (True, False):
        given = {"dev": always(answer, counts, DEV), "test": always(answer, counts, TEST)}
        cells = [f"{given[part][measure]:.1f}" for part, measure, _ in COLUMNS]
        rows.append([f"none: {'yes' if answer else 'no'} to all pairs", "", *cells])
    return markdown_table(rows).splitlines()


def always(answer: bool, counts: Counts, part: str) -> Dict[str, float]:
    """What giving all pairs of a part the same answer comes to, in per cent."""
    positive = counts[f"{part}_paraphrases"] / counts[part]
    right = positive if answer else 1 - positive
    # The F1 of the answer that is given; that of the other is 0.
    f1 = 2 * right / (1 + right)
    figures = {"macro_f": f1 / 2, "f1": f1 if answer else 0.0, "accuracy": right, "auc_pr": positive}
    figures["said_yes"] = float(answer)
    return {name: 100 * value for name, value in figures.items()}


def about_runs(runs: Dict[str, List[Run]]) -> str:
    found = [run for group in runs.values() for run in group]
    encoders, rates, epochs = (sorted({run[name] for run in found}) for name in ("encoder", "learn_rate", "epochs"))
    numbers = sorted({len(group) for group in runs.values()})
    said = [" or ".join(map(str, values)) for values in (encoders, rates, epochs, numbers)]
    return (
        f"Ours: {said[0]}, Adam with a rate of {said[1]}, at most {said[2]} epochs; the median of {said[3]} runs, in "
        "brackets the lowest and the highest, in per cent."
    )


def about_data(counts: Counts) -> str:
    whole = "PAWS-Wiki's published parts"
    cut = "parts of PAWS-Wiki's dev.tsv that share no sentence, for want of its other files (the paper has these)"
    shares = {part: 100 * counts[f"{part}_paraphrases"] / counts[part] for part in (DEV, TEST)}
    return (
        f"Chosen by and tested on {whole if counts['paws_published_parts'] else cut}. Dev: {counts[DEV]:,} pairs, "
        f"{shares[DEV]:.1f} % of them paraphrases; test: {counts[TEST]:,}, {shares[TEST]:.1f} %."
    )


def summary(name: str, runs: Sequence[Run], counts: Counts) -> Dict[str, Any]:
    row: Dict[str, Any] = {"trained_on": name, "pairs": runs[0]["pairs"], "runs": len(runs)}
    for part, measure, _ in COLUMNS:
        middle, low, high = spread(runs, part, measure)
        row[f"{part}_{measure}"] = {"median": round(middle, 2), "low": round(low, 2), "high": round(high, 2)}
    row["paper"] = {model: {"dev_f1": dev, "test_f1": test} for model, (dev, test) in PAPER.get(name, {}).items()}
    row["test_always_yes"] = {one: round(value, 2) for one, value in always(True, counts, TEST).items()}
    return row


if __name__ == "__main__":
    main()
