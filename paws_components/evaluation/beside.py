"""Our figures beside a paper's. What the paper has, and which of our runs stands beside each figure, is a JSON file:

{"title": "Table 7 of Zhang et al. (2019)",
 "columns": [{"title": "QQP→QQP Acc", "run": "{row}-qqp", "on": "qqp_test", "measure": "accuracy"}, …],
 "rows": [{"name": "bow", "title": "BOW", "paper": [83.2, …]}, …],
 "scale": 100, "places": 1, "notes": ["…"]}
"""

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import fmean, median
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..errors import Errors, PawsError
from ..records import PathLike
from ..tables import markdown_table, text_table
from .measures import Measure

# The measures of each model on each test set.
Results = Mapping[Tuple[str, str], Mapping[str, Measure]]
NEEDED = {"columns": ("title", "run", "on", "measure"), "rows": ("name",)}
DASH = "–"
# What `paws train` adds to the name of a run where there are several seeds.
SEED = re.compile(r"-\d+$")


class Cell(NamedTuple):
    """One figure: ours and the paper's, both on the paper's scale; None where there is none.

    low (Optional[float]), high (Optional[float]): The 95 % interval of one run; of several, the lowest and the highest.
    runs (int): How many runs `ours` is the median of.
    """

    row: str
    column: str
    ours: Optional[float]
    low: Optional[float]
    high: Optional[float]
    runs: int
    paper: Optional[float]


class PaperTable:
    """A table of a paper.

    data (Dict[str, Any]): What the JSON file holds. `run` of a column is the name of a model of `paws evaluate`; {row}
        in it is the name of the row. Runs of `paws train` that differ in their seed alone are several runs of one
        model, and so are those that match a `*`: their median counts.
    path (str): Where it is from, for messages.
    """

    def __init__(self, data: Dict[str, Any], path: str = "") -> None:
        for part, keys in NEEDED.items():
            entries = data.get(part) if isinstance(data, dict) else None
            if not isinstance(entries, list) or not entries:
                raise PawsError(Errors.P359.format(path=path, reason=f"`{part}` is not a list with entries"))
            for entry in entries:
                missing = [key for key in keys if not isinstance(entry, dict) or key not in entry]
                if missing:
                    raise PawsError(Errors.P359.format(path=path, reason=f"an entry of `{part}` has no {missing[0]!r}"))
        for row in data["rows"]:
            figures = row.get("paper", [None] * len(data["columns"]))
            if not isinstance(figures, list) or not all(isinstance(one, (int, float, type(None))) for one in figures):
                reason = f"`paper` of the row {row['name']!r} is not a list of numbers, or null where there is none"
                raise PawsError(Errors.P359.format(path=path, reason=reason))
            if len(figures) != len(data["columns"]):
                reason = f"the row {row['name']!r} has {len(figures)} figures for {len(data['columns'])} columns"
                raise PawsError(Errors.P359.format(path=path, reason=reason))
        self.title: str = data.get("title", "")
        self.columns: List[Dict[str, Any]] = data["columns"]
        self.rows: List[Dict[str, Any]] = data["rows"]
        self.scale: float = data.get("scale", 100)
        self.places: int = data.get("places", 1)
        self.notes: List[str] = data.get("notes", [])

    @classmethod
    def from_disk(cls, path: PathLike) -> "PaperTable":
        """Read the JSON file; our error for one that is not such a table."""
        try:
            return cls(json.loads(Path(path).read_text(encoding="utf8")), str(path))
        except OSError as error:
            raise PawsError(Errors.P020.format(path=str(path), reason=error.strerror or error)) from error
        except ValueError as error:
            raise PawsError(Errors.P359.format(path=str(path), reason=f"it is not JSON ({error})")) from error

    def beside(self, results: Results) -> "Beside":
        """Put our figures beside the paper's.

        results (Mapping): The measures by model and test set: see `read_results`.
        RETURNS (Beside): The table.
        """
        cells = []
        for row in self.rows:
            theirs = row.get("paper") or [None] * len(self.columns)
            for column, paper in zip(self.columns, theirs):
                cells.append(Cell(row["name"], column["title"], *self._ours(results, row, column), paper=paper))
        return Beside(self, cells)

    def _ours(
        self, results: Results, row: Dict[str, Any], column: Dict[str, Any]
    ) -> Tuple[Optional[float], Optional[float], Optional[float], int]:
        pattern, sets = column["run"].replace("{row}", row["name"]), column["on"]
        sets = sets if isinstance(sets, list) else [sets]
        runs = {model for model, _ in results if _is_run(model, pattern)}
        found = {run: _mean([results.get((run, name), {}).get(column["measure"]) for name in sets]) for run in runs}
        there = {run: measure for run, measure in found.items() if measure is not None and measure.value is not None}
        # A run by itself, before there were several seeds, is the same training as one of these: it counts once.
        seeded = {SEED.sub("", run) for run in there if SEED.search(run)}
        known = [measure for run, measure in sorted(there.items()) if run not in seeded]
        if not known:
            return None, None, None, 0
        if len(known) == 1:
            value, low, high = (None if one is None else self.scale * one for one in known[0])
            return value, low, high, 1
        values = [self.scale * measure.value for measure in known if measure.value is not None]
        return median(values), min(values), max(values), len(values)


class Beside(NamedTuple):
    """A paper's table with our figures."""

    paper: PaperTable
    cells: List[Cell]

    def show(self, shape: str) -> str:
        """The table as "text", "markdown" or "tsv"."""
        if shape == "tsv":
            rows = [Cell._fields, *self.cells]
            return "\n".join("\t".join("" if cell is None else str(cell) for cell in row) for row in rows)
        make = markdown_table if shape == "markdown" else text_table
        title = [f"**{self.paper.title}**" if shape == "markdown" else self.paper.title] if self.paper.title else []
        return "\n\n".join([*title, make(self.table(shape == "markdown")), *self.paper.notes])

    def table(self, markdown: bool = False) -> List[List[str]]:
        """The head and the rows, ours over the paper's."""
        columns = self.paper.columns
        rows = [["", *(column["title"] for column in columns)]]
        for i, row in enumerate(self.paper.rows):
            cells = self.cells[i * len(columns) : (i + 1) * len(columns)]
            title = row.get("title", row["name"])
            rows.append([title, *map(self._cell, cells)])
            if "paper" in row:
                theirs = f"{row.get('paper_title', title)}, paper"
                figures = [DASH if cell.paper is None else f"{cell.paper:.{self.paper.places}f}" for cell in cells]
                rows.append([f"*{theirs}*" if markdown else theirs, *figures])
        return rows

    def to_dict(self) -> Dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {"title": self.paper.title, "cells": [cell._asdict() for cell in self.cells], "notes": self.paper.notes}

    def _cell(self, cell: Cell) -> str:
        if cell.ours is None:
            return DASH
        places = self.paper.places
        text = f"{cell.ours:.{places}f}"
        if cell.low is not None and cell.high is not None:
            text += f" [{cell.low:.{places}f}, {cell.high:.{places}f}]"
        return text if cell.runs == 1 else f"{text} of {cell.runs}"


def merge_results(results: Sequence[Results]) -> Results:
    """Results of several evaluations as one; a later one counts where two are about the same."""
    merged: Dict[Tuple[str, str], Mapping[str, Measure]] = {}
    for each in results:
        merged.update(each)
    return merged


def _is_run(model: str, run: str) -> bool:
    """Whether a model is the run that a column names, or one of its runs with several seeds (`paws train --seeds`)."""
    # Nothing but the star means something else than itself.
    pattern = run.replace("[", "[[]").replace("?", "[?]")
    return fnmatchcase(model, pattern) or fnmatchcase(SEED.sub("", model), pattern)


def _mean(measures: Sequence[Optional[Measure]]) -> Optional[Measure]:
    """One measure as it is; of several the mean, without an interval, where all of them are there."""
    if len(measures) == 1:
        return measures[0]
    values = [one.value for one in measures if one is not None and one.value is not None]
    return Measure(fmean(values), None, None) if len(values) == len(measures) else None
