"""What attacks came to: the layout of the paper's Table 1, what they took, and examples side by side."""

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Sequence

from paws_components.plugin import PairRecord

from .search import FAILED, SKIPPED, SUCCEEDED

GROUPS = ("positive", "negative", "all")
COLUMNS = {"full": "original full", "sampled": "original sampled", "modified": "modified"}
STATUSES = (SUCCEEDED, FAILED, SKIPPED)


@dataclass
class Tally:
    """How many answers are right, for positive and for negative examples."""

    right: Dict[str, int] = field(default_factory=lambda: dict.fromkeys(GROUPS, 0))
    total: Dict[str, int] = field(default_factory=lambda: dict.fromkeys(GROUPS, 0))

    def add(self, label: int, right: bool) -> None:
        for group in (GROUPS[0] if label else GROUPS[1], GROUPS[2]):
            self.right[group] += right
            self.total[group] += 1

    def accuracy(self, group: str) -> float:
        return self.right[group] / self.total[group] if self.total[group] else float("nan")

    def to_dict(self) -> Dict[str, Any]:
        return {
            group: {
                "right": self.right[group],
                "total": self.total[group],
                "accuracy": self.accuracy(group) if self.total[group] else None,
            }
            for group in GROUPS
        }

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> "Tally":
        return cls(*({group: data[group][name] for group in GROUPS} for name in ("right", "total")))


@dataclass
class Report:
    """A summary of outcomes.

    settings (Dict[str, Any]): What was attacked, and how.
    tallies (Dict[str, Tally]): The answers by column: "full" where the whole corpus was asked about, "sampled" and
        "modified". Examples that the target had wrong already count as wrong in both.
    statuses (Dict[str, Dict[str, int]]): How many examples of each group came to what.
    reasons (Dict[str, int]): Why examples were skipped.
    changed (Dict[str, float]): How many pairs of words were replaced in an example that succeeded, on average.
    queries (Dict[str, float]): How often the target was asked.
    shown (List[PairRecord]): Some outcomes to look at, those that succeeded first.
    """

    settings: Dict[str, Any]
    tallies: Dict[str, Tally]
    statuses: Dict[str, Dict[str, int]]
    reasons: Dict[str, int]
    changed: Dict[str, float]
    queries: Dict[str, float]
    shown: List[PairRecord]

    def to_dict(self) -> Dict[str, Any]:
        return {
            "settings": self.settings,
            "accuracy": {name: tally.to_dict() for name, tally in self.tallies.items()},
            "outcomes": self.statuses,
            "reasons": self.reasons,
            "pairs_of_words_changed": self.changed,
            "queries": self.queries,
            "examples": [record.to_dict() for record in self.shown],
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)


def summarise(
    records: Iterable[PairRecord], settings: Dict[str, Any], full: Dict[str, Any], examples: int = 10
) -> Report:
    """Summarise the outcomes of a run.

    records (Iterable[PairRecord]): The outcomes, as `paws attack` writes them.
    settings (Dict[str, Any]): What was attacked, and how.
    full (Dict[str, Any]): The tally of the whole corpus; empty if that was not asked about.
    examples (int): How many outcomes are shown.
    RETURNS (Report): The summary.
    """
    tallies = {"sampled": Tally(), "modified": Tally()}
    statuses = {group: dict.fromkeys(STATUSES, 0) for group in GROUPS}
    reasons: Dict[str, int] = {}
    steps: Dict[str, List[int]] = {group: [] for group in GROUPS}
    asked = cached = count = 0
    good: Dict[int, List[PairRecord]] = {1: [], 0: []}
    rest: List[PairRecord] = []
    for record in records:
        evidence = record.evidence
        label = int(bool(record.label))
        count += 1
        tallies["sampled"].add(label, evidence["right_before"])
        tallies["modified"].add(label, evidence["right_after"])
        asked, cached = asked + evidence["queries"], cached + evidence["cached"]
        if evidence["status"] == SKIPPED:
            reasons[evidence["reason"]] = reasons.get(evidence["reason"], 0) + 1
        for group in (GROUPS[0] if label else GROUPS[1], GROUPS[2]):
            statuses[group][evidence["status"]] += 1
            if evidence["status"] == SUCCEEDED:
                steps[group].append(len(evidence["changes"]))
        shelf = good[label] if evidence["status"] == SUCCEEDED else rest
        if len(shelf) < examples and evidence["changes"]:
            shelf.append(record)
    changed = {group: sum(found) / len(found) for group, found in steps.items() if found}
    queries = {"asked": asked, "cached": cached, "an_example": asked / count if count else 0.0}
    shown = _alternating(good[1], good[0], rest)[:examples]
    # Looked at after the outcomes: the first of them may only come when the whole corpus was asked about.
    tallies = {**({"full": Tally.from_dict(full)} if full else {}), **tallies}
    return Report(settings, tallies, statuses, reasons, changed, queries, shown)


def _alternating(first: Sequence[PairRecord], second: Sequence[PairRecord], rest: Sequence[PairRecord]) -> List[Any]:
    both = min(len(first), len(second))
    turns = [record for pair in zip(first, second) for record in pair]
    return [*turns, *first[both:], *second[both:], *rest]


def accuracy_table(report: Report, target: str) -> List[List[str]]:
    """Table 1's line for a target, under its header."""
    header, line = ["target"], [target]
    for name, tally in report.tallies.items():
        for group in GROUPS:
            header.append(f"{COLUMNS[name]}: {group}")
            line.append(f"{100 * tally.accuracy(group):.1f}" if tally.total[group] else "-")
    return [header, line]


def outcome_table(report: Report) -> List[List[str]]:
    """How many examples came to what, and how many pairs of words that took."""
    lines = [["examples", *STATUSES, "word pairs changed in those that succeeded"]]
    for group in GROUPS:
        mean = f"{report.changed[group]:.2f}" if group in report.changed else "-"
        lines.append([group, *(f"{report.statuses[group][status]:,}" for status in STATUSES), mean])
    return lines


def closing(report: Report) -> str:
    """What the run took, in a sentence."""
    budget = report.settings.get("max_queries")
    limit = f"at most {budget:,} an example" if budget else "without a limit"
    skipped = "; ".join(f"{count:,} {reason}" for reason, count in sorted(report.reasons.items()))
    return (
        f"{report.queries['asked']:,} queries ({report.queries['an_example']:,.1f} an example, {limit}), "
        f"{report.queries['cached']:,} more answered from the cache." + (f" Skipped: {skipped}." if skipped else "")
    )
