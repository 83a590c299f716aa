"""What attacks take from targets, and how much of it training against them wins back: reports of `paws attack` as
results that `paws evaluate --results` reads, to show them beside a paper's."""

import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy

from paws_components.plugin import PathLike, PawsError, read_pairs

from .errors import Errors
from .report import COLUMNS, GROUPS

RESAMPLES = 10_000
AFTER = "-adversarial"
# The groups of results besides the columns of the report.
LEFT, WON_BACK, CHANGE = "left", "won_back", "change"
LOW, HIGH = 0.025, 0.975


class Attacked(NamedTuple):
    """A report of `paws attack`.

    name (str): The name of its file, which is the name of the target.
    path (Path): The file; the outcomes are beside it as .jsonl.
    report (Dict[str, Any]): What it holds.
    """

    name: str
    path: Path
    report: Dict[str, Any]

    def accuracy(self, column: str, group: str = "all") -> Optional[float]:
        """The accuracy of a column ("full", "sampled" or "modified") and a group; None where there is none."""
        value = self.report["accuracy"].get(column, {}).get(group, {}).get("accuracy")
        return None if value is None else float(value)


def read_report(path: PathLike) -> Attacked:
    """Read a report of `paws attack` (.json); our error for a file that is not one."""
    path = Path(path)
    try:
        report = json.loads(path.read_text(encoding="utf8"))
        missing = [key for key in ("accuracy", "settings", "queries") if key not in report]
    except (OSError, ValueError, TypeError) as error:
        raise PawsError(Errors.S020.format(path=str(path), reason=error)) from error
    if missing:
        raise PawsError(Errors.S020.format(path=str(path), reason=f"it has no {missing[0]!r}"))
    return Attacked(path.stem, path, report)


def left(attacked: Attacked) -> Optional[float]:
    """The accuracy on modified examples over that on the same examples before."""
    before, after = attacked.accuracy("sampled"), attacked.accuracy("modified")
    return None if not before or after is None else after / before


def won_back(normal: Attacked, trained: Attacked, group: str = "all") -> Optional[float]:
    """The share of the accuracy lost to an attack that training against it wins back.

    normal (Attacked): The attack on the target as it was.
    trained (Attacked): The attack on it after adversarial training, on the same examples.
    group (str): "positive", "negative" or "all".
    RETURNS (Optional[float]): The gain on modified examples over the loss; None where nothing was lost.
    """
    clean, before = normal.accuracy("sampled", group), normal.accuracy("modified", group)
    after = trained.accuracy("modified", group)
    if clean is None or before is None or after is None or clean == before:
        return None
    return (after - before) / (clean - before)


def change(normal: Attacked, trained: Attacked, column: str) -> Optional[float]:
    """What adversarial training does to the accuracy on pairs that nobody attacked."""
    before, after = normal.accuracy(column), trained.accuracy(column)
    return None if before is None or after is None else after - before


def interval(normal: PathLike, trained: PathLike, seed: int = 0) -> Optional[List[float]]:
    """A 95 % bootstrap interval of the share that is won back: examples are drawn again, positives and negatives apart.

    normal (Union[str, Path]), trained (Union[str, Path]): The outcomes of the attacks, on the same examples.
    seed (int): Of the draws.
    RETURNS (Optional[List[float]]): Both ends; None if some draw has nothing to win back.
    """
    ours, theirs = list(read_pairs(normal)), list(read_pairs(trained))
    if [record.evidence["pair_id"] for record in ours] != [record.evidence["pair_id"] for record in theirs]:
        raise PawsError(Errors.S021.format(one=str(normal), other=str(trained)))
    lost = numpy.array([record.evidence["right_before"] - record.evidence["right_after"] for record in ours])
    gained = numpy.array([b.evidence["right_after"] - a.evidence["right_after"] for a, b in zip(ours, theirs)])
    labels = numpy.array([record.label for record in ours])
    draws = numpy.random.default_rng(seed)
    totals = numpy.zeros((2, RESAMPLES))
    for label in set(labels.tolist()):
        rows = numpy.flatnonzero(labels == label)
        drawn = rows[draws.integers(0, len(rows), (RESAMPLES, len(rows)))]
        totals += [gained[drawn].sum(axis=1), lost[drawn].sum(axis=1)]
    if not totals[1].all():
        return None
    return [float(end) for end in numpy.quantile(totals[0] / totals[1], (LOW, HIGH))]


def attack_results(attacks: Sequence[Attacked], after: str = AFTER, seed: int = 0) -> Dict[str, Any]:
    """The figures of attacks in the layout of `paws evaluate -o results.json`.

    attacks (Sequence[Attacked]): The reports. One whose name is that of another with `after` at its end is about
        the same target after training against the attack.
    after (str): That ending.
    seed (int): Of the intervals.
    RETURNS (Dict[str, Any]): "results": for each target the "test sets" full, sampled and modified, whose measures are
        the accuracy of positive, negative and all; left, with all; and for those after training won_back (positive,
        negative, and all with its interval) and change (full and sampled). "budgets": the settings of each attack.
    """
    known = {attacked.name: attacked for attacked in attacks}
    rows: List[Dict[str, Any]] = []
    for one in attacks:
        for column in COLUMNS:
            found = {group: _measure(one.accuracy(column, group)) for group in GROUPS}
            if column in one.report["accuracy"]:
                count = one.report["accuracy"][column]["all"]["total"]
                rows.append({"model": one.name, "test_set": column, "pairs": count, **found})
        rows.append({"model": one.name, "test_set": LEFT, "all": _measure(left(one))})
        normal = known.get(one.name.removesuffix(after)) if one.name.endswith(after) else None
        if normal is not None and after:
            before, later = (each.path.with_suffix(".jsonl") for each in (normal, one))
            bounds = interval(before, later, seed) if before.is_file() and later.is_file() else None
            found = {group: _measure(won_back(normal, one, group)) for group in GROUPS}
            found["all"] = _measure(won_back(normal, one), bounds)
            rows.append({"model": one.name, "test_set": WON_BACK, **found})
            moved = {column: _measure(change(normal, one, column)) for column in ("full", "sampled")}
            rows.append({"model": one.name, "test_set": CHANGE, **moved})
    return {"results": rows, "budgets": {one.name: one.report["settings"] for one in attacks}}


def _measure(value: Optional[float], bounds: Optional[Sequence[float]] = None) -> Dict[str, Optional[float]]:
    low, high = bounds or (None, None)
    return {"value": value, "low": low, "high": high}


def result_rows(found: Dict[str, Any]) -> List[List[str]]:
    """What `attack_results` gives as a table for a screen, in per cent."""
    measures = {(one["model"], one["test_set"]): one for one in found["results"]}
    sides = ", ".join(GROUPS[:2])
    rows = [["target", *COLUMNS, sides, "won back", sides, "change"]]
    for model in found["budgets"]:
        cells = [measures.get((model, name), {}) for name in (*COLUMNS, WON_BACK, CHANGE)]
        full, sampled, modified, back = (_cell(one.get("all")) for one in cells[:-1])
        after, won = (", ".join(_cell(one.get(group)) for group in GROUPS[:2]) for one in cells[2:4])
        rows.append([model, full, sampled, modified, after, back, won, _cell(cells[-1].get("full"))])
    return rows


def _cell(measure: Optional[Dict[str, Optional[float]]]) -> str:
    if measure is None or measure["value"] is None:
        return "–"
    low, high = measure["low"], measure["high"]
    ends = "" if low is None or high is None else f" [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{100 * measure['value']:.1f}{ends}"


def budget(settings: Dict[str, Any]) -> str:
    """What an attack was allowed, in words."""
    most = f"at most {settings['max_queries']:,}" if settings["max_queries"] else "any number of"
    return (
        f"{settings['positives']:,} positives and {settings['negatives']:,} negatives, S = {settings['steps']}, "
        f"K = {settings['top_k']}, B = {settings['beam']}, masked language model {settings['mlm']}, {most} queries per "
        "example"
    )
