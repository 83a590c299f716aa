"""The paper's Tables 5 and 6 with our figures (Markdown): MCC and F1, and whether a gain over Twitter alone is chance.

Prints a JSON object for each training set and test set, and one for each gain.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from names import APH, APH_TEST, BASE, MSRP_TEST, MSRP_TRAIN, SETS, TEST_TITLES, TESTS, title

from paws_components.curation.text import sentence_key
from paws_components.evaluation.comparison import read_results
from paws_components.evaluation.measures import Measure
from paws_components.evaluation.significance import Difference, mcc_difference
from paws_components.readers import read_pairs
from paws_components.tables import markdown_table

# Nighojkar and Licato (2021): MCC and F1 of RoBERTa-base by training set and test set; Table 5 and Table 6.
PAPER = {
    (BASE, MSRP_TRAIN): (0.349, 0.833),
    (BASE, MSRP_TEST): (0.358, 0.829),
    (BASE, APH): (0.222, 0.746),
    (BASE, APH_TEST): (0.218, 0.743),
    ("twitter+aph", APH_TEST): (0.440, 0.809),
    ("twitter+t5m", APH): (0.410, 0.725),
    ("twitter+t5m", APH_TEST): (0.369, 0.705),
    ("twitter+aph+t5m", APH_TEST): (0.516, 0.828),
    ("twitter+t5tw", APH): (0.433, 0.772),
    ("twitter+t5tw", APH_TEST): (0.422, 0.765),
    ("twitter+aph+t5tw", APH_TEST): (0.488, 0.812),
    ("twitter+t5m+t5tw", APH): (0.461, 0.731),
    ("twitter+t5m+t5tw", APH_TEST): (0.437, 0.716),
    ("twitter+aph+t5m+t5tw", APH_TEST): (0.525, 0.816),
}
# Thousands of training pairs, Table 6. Table 5 does not say; these are AP_H-train's row without its 3,746.
PAPER_SIZE = dict(zip(SETS, (42, 46, 106, 109, 117, 121, 180, 184)))
# The paper's column "Random", by F1; its MCC is 0.
PAPER_ALWAYS = {MSRP_TRAIN: 0.806, MSRP_TEST: 0.799, APH: 0.784, APH_TEST: 0.777}
NAMES = ("trained on TwitterPPDB +", "test set")
Figures = Dict[Tuple[str, str], Dict[str, Measure]]
Gains = Dict[Tuple[str, str], Difference]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder that evaluate.py wrote")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the tables go (.md)")
    parser.add_argument("--samples", type=int, default=5000, help="resamples of the bootstrap of a gain")
    parser.add_argument("--seed", type=int, default=0, help="of that bootstrap")
    args = parser.parse_args()

    counts = json.loads((args.corpus / "counts.json").read_text(encoding="utf8"))
    figures: Figures = {}
    gains: Gains = {}
    for test in TESTS:
        if (args.results / f"{test}.json").is_file():
            figures.update(read_results(args.results / f"{test}.json"))
            gains.update(read_gains(args.results / f"{test}.jsonl", test, args.samples, args.seed))
    if not figures:
        raise SystemExit(f"{args.results} has no results. Run evaluate first")
    said = [sentence(name, test, gain) for (name, test), gain in gains.items()]
    tables = [markdown_table(table6(figures, gains, counts), NAMES), markdown_table(table5(figures, counts), NAMES)]
    args.output.write_text("\n\n".join([*tables, *said, about(counts)]) + "\n", encoding="utf8")
    for line in summaries(figures, gains, counts):
        print(json.dumps(line))
    print("\n".join(said))


def read_gains(path: Path, test: str, samples: int, seed: int) -> Gains:
    """How much better every model is than that of the Twitter pairs alone, by the answers to the same pairs."""
    records = list(read_pairs(path))
    answers = [record.evidence["answers"] for record in records]
    if not answers or BASE not in answers[0]:
        return {}
    truths = [record.label == 1 for record in records]
    sources = [sentence_key(record.sentence1) for record in records]
    yes = {name: [answer[name]["label"] == "paraphrase" for answer in answers] for name in answers[0]}
    return {
        (name, test): mcc_difference(truths, yes[BASE], yes[name], sources, samples=samples, seed=seed)
        for name in SETS
        if name in yes and name != BASE
    }


def always(counts: Dict[str, int], test: str) -> float:
    """The F1 of calling every pair a paraphrase; its MCC is 0."""
    share = counts[f"{test}_paraphrases"] / counts[test]
    return 2 * share / (1 + share)


def pairs_of(name: str, counts: Dict[str, int]) -> int:
    return sum(counts[f"{part}_train"] for part in name.split("+"))


def cell(measure: Optional[Measure]) -> str:
    if measure is None or measure.value is None:
        return "–"
    within = "" if measure.low is None or measure.high is None else f" [{measure.low:.3f}, {measure.high:.3f}]"
    return f"{measure.value:.3f}{within}"


def table6(figures: Figures, gains: Gains, counts: Dict[str, int]) -> List[List[str]]:
    """Every training set, ours over the paper's; the first row is that of Table 5."""
    tests = (APH, APH_TEST)
    heads = [f"{TEST_TITLES[test]} {measure}" for test in tests for measure in ("MCC", "F1")]
    rows = [[NAMES[0], "pairs", *heads, f"gain in MCC on {TEST_TITLES[APH_TEST]}"]]
    for name in SETS:
        label = title(name).partition(" + ")[2] or "nothing"
        if any((name, test) in figures for test in tests):
            found = [figures.get((name, test), {}) for test in tests]
            cells = [cell(each.get(measure)) for each in found for measure in ("mcc", "f1")]
            gain = gains.get((name, APH_TEST))
            rows.append([label, f"{pairs_of(name, counts):,}", *cells, gain_cell(gain) if gain else "–"])
        theirs = [value for test in tests for value in PAPER.get((name, test), (None, None))]
        cells = ["–" if value is None else f"{value:.3f}" for value in theirs]
        more = PAPER[name, APH_TEST][0] - PAPER[BASE, APH_TEST][0]
        rows.append([f"*{label}, paper*", f"{PAPER_SIZE[name]}k", *cells, "–" if name == BASE else f"{more:+.3f}"])
    yes = [value for test in tests for value in ("0", f"{always(counts, test):.3f}")]
    rows.append(["always yes", "", *yes, "–"])
    return rows


def gain_cell(gain: Difference) -> str:
    return f"{gain.value:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}], {gain.words}"


def table5(figures: Figures, counts: Dict[str, int]) -> List[List[str]]:
    """The model of the Twitter pairs alone, beside calling every pair a paraphrase."""
    rows = [[NAMES[1], "pairs", "MCC", "F1", "always yes: MCC", "F1", "paper: MCC", "F1", "always yes: F1"]]
    for test in (MSRP_TRAIN, MSRP_TEST, APH, APH_TEST):
        found = figures.get((BASE, test), {})
        ours = ["0", f"{always(counts, test):.3f}"] if test in counts else ["–", "–"]
        theirs = [f"{value:.3f}" for value in (*PAPER[BASE, test], PAPER_ALWAYS[test])]
        size = f"{counts[test]:,}" if test in counts else "–"
        rows.append([TEST_TITLES[test], size, cell(found.get("mcc")), cell(found.get("f1")), *ours, *theirs])
    return rows


def sentence(name: str, test: str, gain: Difference) -> str:
    """What a gain is, and what it is worth, in words."""
    return (
        f"{title(name)} against {title(BASE)} on {TEST_TITLES[test]}: MCC {gain.value:+.3f}, 95 % interval "
        f"{gain.low:+.3f} to {gain.high:+.3f}, p = {gain.p:.4f}: {gain.words} (paired bootstrap over "
        f"{gain.groups:,} source sentences)."
    )


def about(counts: Dict[str, int]) -> str:
    taken = sum(value for name, value in counts.items() if "_shares_with_" in name)
    return (
        "In brackets 95 % intervals: of a model by pairs, of a gain by source sentences; how much a training with "
        "another seed would differ is not in them. Training pairs that left since a test set has a sentence of theirs: "
        f"{taken:,}."
    )


def summaries(figures: Figures, gains: Gains, counts: Dict[str, int]) -> Iterator[Dict[str, Any]]:
    for name, test in ((name, test) for name in SETS for test in TESTS if (name, test) in figures):
        ours = figures[name, test]
        line = {"trained_on": name, "pairs": pairs_of(name, counts), "test_set": test, "test_pairs": counts[test]}
        line.update({measure: numbers(ours[measure]) for measure in ("mcc", "f1")})
        line["always_yes"] = {"mcc": 0.0, "f1": round(always(counts, test), 4)}
        line["paper"] = dict(zip(("mcc", "f1"), PAPER[name, test]))
        if (name, test) in gains:
            gain = gains[name, test]
            line["mcc_gain"] = {**dict(zip(gain._fields, rounded(gain))), "verdict": gain.words}
        yield line


def numbers(measure: Measure) -> Dict[str, Optional[float]]:
    return dict(zip(Measure._fields, rounded(measure)))


def rounded(values: Sequence[Optional[float]]) -> List[Optional[float]]:
    return [None if value is None else round(value, 4) for value in values]


if __name__ == "__main__":
    main()
