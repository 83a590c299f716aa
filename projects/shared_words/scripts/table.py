"""The paper's Table 1 with our figures (Markdown, in per cent), and what adversarial training has won back.

Prints a JSON object for each target and data set.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict, List, Optional

from names import ADVERSARIAL, NORMAL, SETS, TITLES, run_name
from won_back import Figures, change, interval, left, won_back

from paws_components.tables import markdown_table
from paws_shared_words.report import COLUMNS, GROUPS

# Table 1: original full, original sampled, modified; positive, negative, all in each. The transformer has BERT's.
PAPER = {
    ("bimpm", "qqp", NORMAL): (88.5, 87.8, 88.1, 88.0, 99.4, 93.7, 14.4, 7.8, 11.1),
    ("diin", "qqp", NORMAL): (91.5, 85.9, 88.7, 89.6, 99.6, 94.6, 31.0, 8.2, 19.6),
    ("transformer", "qqp", NORMAL): (90.7, 91.3, 91.0, 89.0, 99.6, 94.3, 33.4, 14.8, 24.1),
    ("bimpm", "qqp", ADVERSARIAL): (89.6, 88.0, 88.9, 89.4, 99.8, 94.6, 15.0, 27.8, 21.4),
    ("diin", "qqp", ADVERSARIAL): (82.1, 91.7, 86.9, 81.2, 99.8, 90.5, 35.0, 72.2, 53.6),
    ("transformer", "qqp", ADVERSARIAL): (87.6, 92.5, 90.1, 86.8, 99.8, 93.3, 53.0, 79.0, 66.0),
    ("bimpm", "mrpc", NORMAL): (90.2, 40.0, 73.4, 87.2, 97.4, 92.3, 3.2, 0.2, 1.7),
    ("diin", "mrpc", NORMAL): (89.9, 49.5, 76.3, 90.4, 100.0, 95.2, 48.2, 0.4, 24.3),
    ("transformer", "mrpc", NORMAL): (93.2, 66.4, 84.2, 94.0, 100.0, 97.0, 45.6, 2.0, 23.8),
    ("bimpm", "mrpc", ADVERSARIAL): (96.8, 26.3, 73.2, 95.6, 100.0, 97.8, 73.2, 0.6, 36.9),
    ("diin", "mrpc", ADVERSARIAL): (85.8, 58.0, 76.5, 82.8, 100.0, 91.4, 59.8, 67.6, 63.7),
    ("transformer", "mrpc", ADVERSARIAL): (95.3, 55.2, 81.9, 95.0, 100.0, 97.5, 81.0, 93.0, 87.0),
}
# Those are the accuracies in the order of the columns and groups.
KEYS = [(column, group) for column in COLUMNS for group in GROUPS]
NOTE = """\
In per cent. {ours} {asked} The paper: 500 positives and 500 negatives, S = 5 and K = B = 25 on QQP (3,125 queries an
example for substitutes alone), twice these on MRPC.

The second table: the accuracy that the attack leaves a normally trained target, as a share of that on the same examples
before; the share of the loss that adversarial training wins back, with the interval of all of it over other samples
of examples (bootstrap; another training would differ too); and what it does to the accuracy on clean pairs, in points.
A target that gives all pairs one answer would keep half of the examples: so positives and negatives stand apart."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", type=Path, help="the folder that attack.py wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the table goes (.md)")
    args = parser.parse_args()

    reports = read_reports(args.attacks)
    if not reports:
        raise SystemExit(f"{args.attacks} has no reports. Run attack first")
    cases = [(model, name) for name in SETS for model in TITLES if (model, name, NORMAL) in reports]
    done = [case for case in cases if (*case, ADVERSARIAL) in reports]
    intervals = {case: interval_of(args.attacks, *case) if case in done else None for case in cases}
    parts = [main_table(reports), won_back_table(reports, intervals), about(reports)]
    args.output.write_text("\n\n".join(parts) + "\n", encoding="utf8")
    for case in cases:
        print(json.dumps(summary(reports, *case, intervals[case])))


def read_reports(folder: Path) -> Dict[tuple, Dict[str, Any]]:
    """The reports of `paws attack`, by model, data set and training."""
    found = {}
    for name in SETS:
        for training in (NORMAL, ADVERSARIAL):
            for model in TITLES:
                path = folder / f"{run_name(model, name, training)}.json"
                if path.is_file():
                    found[model, name, training] = json.loads(path.read_text(encoding="utf8"))
    return found


def figures_of(report: Dict[str, Any]) -> Figures:
    """The accuracies of a report in per cent, by column and group."""
    found: Figures = {}
    for column, group in KEYS:
        value = report["accuracy"].get(column, {}).get(group, {}).get("accuracy")
        found[column, group] = None if value is None else 100 * value
    return found


def paper_of(case: tuple) -> Figures:
    return dict(zip(KEYS, PAPER[case]))


def cell(value: Optional[float], places: int = 1) -> str:
    return "–" if value is None else f"{value:.{places}f}"


def main_table(reports: Dict[tuple, Dict[str, Any]]) -> str:
    rows = [["data set", "target", "training", *(f"{COLUMNS[column]}: {group}" for column, group in KEYS)]]
    for case, report in reports.items():
        model, name, training = case
        rows.append([SETS[name], TITLES[model], training, *(cell(value) for value in figures_of(report).values())])
        theirs = "BERT" if model == "transformer" else TITLES[model]
        rows.append([SETS[name], f"*{theirs}, paper*", training, *(cell(value) for value in PAPER[case])])
    return markdown_table(rows, ("data set", "target", "training"))


def interval_of(folder: Path, model: str, name: str) -> Optional[List[float]]:
    """Where the share that was won back may lie."""
    return interval(*(folder / f"{run_name(model, name, training)}.jsonl" for training in (NORMAL, ADVERSARIAL)))


def won_back_table(reports: Dict[tuple, Dict[str, Any]], intervals: Dict[tuple, Optional[List[float]]]) -> str:
    heads = [*(f"won back: {group}" for group in GROUPS), "95 % interval", "clean full", "clean sampled"]
    rows = [["data set", "target", "accuracy left", *heads]]
    for (model, name), between in intervals.items():
        keys = [(model, name, training) for training in (NORMAL, ADVERSARIAL)]
        ours = [figures_of(reports[key]) if key in reports else None for key in keys]
        theirs = "BERT" if model == "transformer" else TITLES[model]
        for title, (normal, adversarial), bounds in (
            (TITLES[model], ours, between),
            (f"*{theirs}, paper*", [paper_of(key) for key in keys], None),
        ):
            cells = [cell(left(normal), 2)] if normal else ["–"]
            for group in GROUPS:
                cells.append(cell(won_back(normal, adversarial, group), 2) if normal and adversarial else "–")
            cells.append("{:.2f} to {:.2f}".format(*bounds) if bounds else "–")
            for column in ("full", "sampled"):
                moved = change(normal, adversarial, column) if normal and adversarial else None
                cells.append("–" if moved is None else f"{moved:+.1f}")
            rows.append([SETS[name], title, *cells])
    return markdown_table(rows, ("data set", "target"))


def about(reports: Dict[tuple, Dict[str, Any]]) -> str:
    """The budgets, and how to read the second table."""
    budgets = sorted({budget(report) for report in reports.values()})
    queries = [report["queries"]["an_example"] for report in reports.values()]
    ours = " ".join(f"Ours: {each}." for each in budgets)
    asked = f"The mean of the queries an example: {min(queries):,.0f} to {max(queries):,.0f}, by target."
    return NOTE.format(ours=ours, asked=asked)


def budget(report: Dict[str, Any]) -> str:
    made = report["settings"]
    most = f"at most {made['max_queries']:,}" if made["max_queries"] else "any number of"
    return (
        f"{made['positives']} positives and {made['negatives']} negatives a target, S = {made['steps']}, "
        f"K = {made['top_k']}, B = {made['beam']}, {most} queries an example, masked language model {made['mlm']}"
    )


def summary(
    reports: Dict[tuple, Dict[str, Any]], model: str, name: str, between: Optional[List[float]]
) -> Dict[str, Any]:
    normal = reports[model, name, NORMAL]
    figures = figures_of(normal)
    row: Dict[str, Any] = {"target": model, "data_set": name, "examples": normal["accuracy"]["sampled"]["all"]["total"]}
    row["normal"] = {f"{column}_{group}": rounded(value) for (column, group), value in figures.items()}
    row["accuracy_left"] = rounded(left(figures), 3)
    row["queries_an_example"] = rounded(normal["queries"]["an_example"])
    report = reports.get((model, name, ADVERSARIAL))
    if report:
        other = figures_of(report)
        row["adversarial"] = {f"{column}_{group}": rounded(value) for (column, group), value in other.items()}
        row["won_back"] = {group: rounded(won_back(figures, other, group), 3) for group in GROUPS}
        row["won_back_interval"] = between
        row["clean_change"] = {column: rounded(change(figures, other, column)) for column in ("full", "sampled")}
    return row


def rounded(value: Optional[float], places: int = 1) -> Optional[float]:
    return None if value is None else round(value, places)


if __name__ == "__main__":
    main()
