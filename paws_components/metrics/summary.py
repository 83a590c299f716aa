"""The summary of a corpus: how each metric is distributed, and its mean by label."""

from array import array
from typing import Any, Dict, List, Mapping

import numpy

from ..tables import text_table

HEADER = ("metric", "mean", "sd", "min", "25 %", "median", "75 %", "max")


class Summary:
    """Takes the scores of pairs one by one and tells how they are distributed."""

    def __init__(self) -> None:
        self._values: Dict[str, array] = {}
        self._labels: List[Any] = []

    def add(self, scores: Mapping[str, float], label: Any = None) -> None:
        """Take the scores of one pair."""
        for name, value in scores.items():
            self._values.setdefault(name, array("d")).append(value)
        self._labels.append(None if label in (None, "") else str(label))

    def rows(self) -> List[Dict[str, Any]]:
        """A row for each metric, with its quartiles and its mean for each of up to four labels."""
        labels = sorted({label for label in self._labels if label is not None})
        of_label = {label: numpy.array([other == label for other in self._labels]) for label in labels[:5]}
        rows = []
        for name, held in self._values.items():
            values = numpy.array(held)
            numbers = [values.mean(), values.std(), *numpy.quantile(values, (0, 0.25, 0.5, 0.75, 1))]
            row: Dict[str, Any] = {"metric": name, **dict(zip(HEADER[1:], map(float, numbers)))}
            # Some corpora keep an id or a score where others have the label: that is not a table.
            if 1 < len(labels) < 5:
                row.update({f"label {label}": float(values[mask].mean()) for label, mask in of_label.items()})
            rows.append(row)
        return rows

    def __str__(self) -> str:
        rows = self.rows()
        if not rows:
            return "No pairs."
        header = list(rows[0])
        return text_table([header, *([row["metric"], *(f"{row[name]:.3f}" for name in header[1:])] for row in rows)])
