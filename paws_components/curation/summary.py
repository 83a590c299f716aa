"""What a run of `paws correct` came to, in numbers."""

from collections import Counter
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple

from ..records import PairRecord

if TYPE_CHECKING:
    from .correct import Outcome

CORRECTED, RELABELLED, CONSISTENT, PASSED = KINDS = ("corrected", "relabelled", "consistent", "passed")


class Summary:
    """Counts outcomes as they come. The four kinds add up to the pairs that went in."""

    def __init__(self) -> None:
        self.pairs: Counter = Counter()
        self.records: Counter = Counter()
        self.labels: Counter = Counter()
        self.replaced: Counter = Counter()
        self.types: Counter = Counter()
        # Pairs whose entities differ and whose label the LD guard keeps.
        self.guarded = 0

    @property
    def called(self) -> int:
        """How many pairs are called paraphrases."""
        return sum(self.pairs.values()) - self.pairs[PASSED]

    @property
    def inconsistent(self) -> int:
        """How many of these have an entity that differs (section 5.2): corrected, relabelled, or kept by the guard."""
        return self.pairs[CORRECTED] + self.pairs[RELABELLED] + self.guarded

    def add(self, outcome: "Outcome") -> None:
        """Count one outcome."""
        self.count(outcome.kind, outcome.records, [difference.label for difference in outcome.differences])

    def count(self, kind: str, records: Sequence[PairRecord], types: Sequence[str]) -> None:
        """Count one outcome that is plain data.

        kind (str): What it is.
        records (Sequence[PairRecord]): What came out.
        types (Sequence[str]): The entity types that differed.
        """
        self.pairs[kind] += 1
        for record in records:
            self.records[kind] += 1
            self.labels[record.label] += 1
        if kind == CORRECTED:
            for record in records:
                for entry in record.evidence["correct"]["replaced"]:
                    self.replaced[(entry["label"], entry["from"], entry["to"])] += 1
        elif kind == RELABELLED:
            self.types.update(types)
        elif kind == CONSISTENT:
            # The lexical deviation is measured, and noted, only where the guard has to decide.
            self.guarded += any("ld" in record.evidence["correct"] for record in records)

    def rows(self) -> List[Tuple[str, int, int]]:
        """For each kind of outcome, and for all, the pairs in and the records out."""
        rows = [(kind, self.pairs[kind], self.records[kind]) for kind in KINDS]
        return [*rows, ("all", sum(self.pairs.values()), sum(self.records.values()))]

    def replacements(self, limit: int) -> List[Tuple[str, str, str, int]]:
        """The most frequent replacements: type, what went out, what came in, how often."""
        ranked = sorted(self.replaced.items(), key=lambda item: (-item[1], item[0]))
        return [(*words, count) for words, count in ranked[:limit]]

    def to_dict(self) -> Dict[str, Any]:
        """The counts as plain data."""
        counts: Dict[str, Any] = {kind: {"pairs": pairs, "records": records} for kind, pairs, records in self.rows()}
        return {**counts, "inconsistent": {"pairs": self.inconsistent, "of": self.called, "guarded": self.guarded}}
