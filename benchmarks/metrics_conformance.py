"""Do WPD and LD agree with the authors' own numbers?

Takes the pairs of MRPC train with the WPD and LD that the authors released, computes both with `variant="released"`
and en_core_web_sm, and compares. `wpd_mae` and `ld_mae` are mean absolute differences; `equal_share` is the share of
the rows in which both values are equal to 1e-6. The authors' lemmatizer was another version: no code gets all of them.
"""

import argparse
import csv
import json
import time

from data import data_file

from paws_components.metrics.measure import measure_records, with_variant
from paws_components.records import PairRecord

SCORES = "mrpc/mrpc_train_scores.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="take this many rows only")
    args = parser.parse_args()
    with data_file(SCORES).open(encoding="utf8", newline="") as lines:
        rows = list(csv.DictReader(lines))[: args.limit]
    print(f"{SCORES}: {len(rows)} rows", flush=True)
    began = time.perf_counter()
    figures = {}
    for variant in ("released", "paper"):
        records = [PairRecord(row["og_s1"], row["og_s2"]) for row in rows]
        wpds, lds, equal = [], [], 0
        scores = measure_records(records, ["wpd", "ld"], settings=with_variant(["wpd", "ld"], variant))
        for done, (row, values) in enumerate(zip(rows, scores), 1):
            wpds.append(abs(values["wpd"] - float(row["og_wpd"])))
            lds.append(abs(values["ld"] - float(row["og_ld"])))
            equal += max(wpds[-1], lds[-1]) <= 1e-6
            if done % 1000 == 0:
                print(f"  {done} rows, {time.perf_counter() - began:.0f} s", flush=True)
        figures[variant] = {
            "rows": len(rows),
            "wpd_mae": round(sum(wpds) / len(rows), 5),
            "ld_mae": round(sum(lds) / len(rows), 5),
            "equal_share": round(equal / len(rows), 4),
        }
        print(f"variant {variant}: {figures[variant]}", flush=True)
    print(json.dumps(figures["released"]))


if __name__ == "__main__":
    main()
