"""The tables of section 5.3: a generator's paraphrases ranked by WPD and by LD, and what each filter keeps."""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Dict, List

from paws_components import PairRecord, read_pairs
from paws_components.tables import markdown_table

Table = List[List[str]]


def ranked(records: List[PairRecord], metric: str) -> List[PairRecord]:
    """The lowest, the middle and the highest by a metric: the paper shows three."""
    order = sorted(records, key=lambda record: (record.evidence[metric], record.sentence2))
    return [order[0], order[len(order) // 2], order[-1]]


def attempts_table(records: List[PairRecord], metric: str) -> Table:
    """T5's attempts at one sentence by a metric."""
    other = "ld" if metric == "wpd" else "wpd"
    cells = [[r.sentence2, f"{r.evidence[metric]:.2f}", f"{r.evidence[other]:.2f}"] for r in ranked(records, metric)]
    return [["Generated paraphrase", metric.upper(), other.upper()], *cells]


def figures(records: List[PairRecord]) -> Dict[str, float]:
    """What a set of attempts is like."""
    measured = {metric: [record.evidence[metric] for record in records] for metric in ("wpd", "ld")}
    return {
        "attempts": len(records),
        "sentences": len({record.source_id for record in records}),
        **{metric: mean(values or [0.0]) for metric, values in measured.items()},
        "mean_the_same": mean([record.label == 1 for record in records] or [0.0]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what `paws metrics` wrote")
    parser.add_argument("filters", nargs="+", help="the names of the filtered files")
    args = parser.parse_args()

    measured = list(read_pairs(args.folder / "measured.jsonl"))
    by_source = defaultdict(list)
    for record in measured:
        if record.label == 1:
            by_source[record.source_id].append(record)
    # The sentence whose paraphrases differ most, in word order and in words.
    widest = max(
        by_source.values(),
        key=lambda some: min(
            max(r.evidence[m] for r in some) - min(r.evidence[m] for r in some) for m in ("wpd", "ld")
        ),
    )
    sets = {"all": measured, **{name: list(read_pairs(args.folder / f"{name}.jsonl")) for name in args.filters}}
    results = {name: figures(records) for name, records in sets.items()}
    head = ["kept", "attempts", "sentences", "WPD", "LD", "mean the same"]
    shapes = (",", ",", ".3f", ".3f", ".1%")
    body = [[name, *map(format, found.values(), shapes)] for name, found in results.items()]
    parts = [f"T5 on: {widest[0].sentence1}"]
    parts += [markdown_table(attempts_table(widest, metric), ["Generated paraphrase"]) for metric in ("wpd", "ld")]
    parts.append(markdown_table([head, *body]))
    (args.folder / "tables.md").write_text("\n\n".join(parts) + "\n", encoding="utf8")
    print("\n\n".join(parts))
    print(json.dumps(results))


if __name__ == "__main__":
    main()
