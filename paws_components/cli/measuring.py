"""A run of `paws metrics`: rows in, scores beside them, some kept, all accounted for."""

import json
from collections import deque
from itertools import chain, islice
from pathlib import Path
from typing import Any, Deque, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from tqdm import tqdm

from ..engine.local import Result, run
from ..engine.metrics_job import MetricsJob
from ..engine.sources import Line
from ..errors import Errors, PawsError
from ..metrics.measure import known_metrics
from ..metrics.summary import Summary
from ..metrics.where import as_number, parse_where
from ..pairs import pair_text
from ..tables import Row, TableWriter, find_columns, read_table, table_format, to_record


class Counts:
    """How many rows came to what. The three kinds add up to the rows that went in."""

    def __init__(self) -> None:
        self.kept = self.left_out = self.errors = 0
        self.normalised = 0  # rows whose sentences hold a tab or a line break

    def __str__(self) -> str:
        rows = self.kept + self.left_out + self.errors
        return f"{rows:,} rows in = {self.kept:,} kept + {self.left_out:,} left out + {self.errors:,} errors"


class MetricsRun:
    """Measures a table of pairs and writes another.

    source (str): A file, or the name of a data set.
    output (str): The file to write.
    metrics (Sequence[str]): The names of the metrics; those that the condition or the order needs are added.
    variant (str): Of WPD and LD.
    where (Optional[str]): Which pairs to keep.
    sort (Optional[str]): What to sort by, with a minus for the largest first. Sorting holds all kept rows in memory.
    columns (Sequence[str]): The columns of the sentences and the label; empty to look for them.
    config (Optional[str]), split (Optional[str]): The part of a data set.
    model (Optional[str]), lang (str): The spaCy pipeline.
    settings (Optional[Dict[str, Dict[str, Any]]]): The settings of metrics that plugins bring, by their names.
    """

    def __init__(
        self,
        source: str,
        output: str,
        *,
        metrics: Sequence[str],
        variant: str = "paper",
        where: Optional[str] = None,
        sort: Optional[str] = None,
        columns: Sequence[str] = (),
        config: Optional[str] = None,
        split: Optional[str] = None,
        model: Optional[str] = None,
        lang: str = "en",
        settings: Optional[Dict[str, Dict[str, Any]]] = None,
    ) -> None:
        self.source = source
        self.output = output
        self.where = parse_where(where) if where else None
        self.sort = (sort or "").removeprefix("-")
        self.descending = (sort or "").startswith("-")
        asked = (self.where.names if self.where else set()) | {self.sort}
        added = [name for name in known_metrics() if name in asked]
        self.job = MetricsJob(list(dict.fromkeys([*metrics, *added])), variant, model, lang, settings or {})
        self.job.check()
        if Path(source).exists() and Path(source).resolve() == Path(output).resolve():
            raise PawsError(Errors.P111.format(path=output))
        self.wanted = columns
        self.part = (config, split)
        self.counts = Counts()
        self.summary = Summary()
        self.errors = Path(output + ".errors.jsonl")

    def __call__(self, *, n_process: int = 1, limit: Optional[int] = None, quiet: bool = False) -> None:
        """Do it."""
        self.errors.unlink(missing_ok=True)
        rows = islice(read_table(self.source, *self.part), limit)
        head: List[Row] = []
        for row in rows:  # the first good row tells the columns
            head.append(row)
            if row.error is None:
                break
        names = list(head[-1].data) if head else []
        self.columns = find_columns(names, self.source, self.wanted)
        if table_format(self.source) == ".jsonl":
            names = list(self._uniform(head[-1]).data)
        with TableWriter(self.output, self.columns, names, self.job.metrics) as writer:
            scored = self._scored(chain(head, rows), n_process, quiet)
            for data, scores in sorted(scored, key=self._place) if self.sort else scored:
                writer.write(data, scores)

    def _scored(
        self, rows: Iterable[Row], n_process: int, quiet: bool
    ) -> Iterator[Tuple[Dict[str, Any], Dict[str, float]]]:
        waiting: Deque[Row] = deque()
        bar = tqdm(unit=" pairs", disable=quiet, leave=False, desc="paws")
        with bar:
            for result in run(self.job, self._lines(rows, waiting), n_process):
                data = waiting.popleft().data
                bar.update()
                if result.error is not None:
                    self.counts.errors += 1
                    self._note_error(result)
                    continue
                scores: Dict[str, float] = result.pairs[0].evidence
                if self.where is not None and not self.where(self._values(data, scores)):
                    self.counts.left_out += 1
                    continue
                self.counts.kept += 1
                self.summary.add(scores, data.get(self.columns.label) if self.columns.label else None)
                yield data, scores

    def _lines(self, rows: Iterable[Row], waiting: Deque[Row]) -> Iterator[Line]:
        """The rows as the engine takes them: the text of a pair Doc, or what is wrong."""
        for row in rows:
            error = row.error
            texts = [row.data.get(name) for name in self.columns[:2]]
            if error is None and not all(isinstance(text, str) for text in texts):
                error = Errors.P016.format(name=" and ".join(self.columns[:2]), what="texts")
            elif error is None and table_format(self.source) == ".jsonl":
                try:
                    row = self._uniform(row)
                except ValueError as wrong:
                    error = str(wrong)
            if error is None and any(character in str(text) for text in texts for character in "\t\r\n"):
                self.counts.normalised += 1
            waiting.append(row)
            text = pair_text(*map(str, texts)) if error is None else json.dumps(row.data, ensure_ascii=False)
            yield Line(self.source, row.number, text, error)

    def _uniform(self, row: Row) -> Row:
        """A JSON object as a record has it, so that all rows have the same columns."""
        data = to_record(row.data, self.columns).to_dict()
        names = {"sentence1": self.columns.sentence1, "sentence2": self.columns.sentence2, "label": self.columns.label}
        return Row(row.number, {names.get(key) or key: value for key, value in data.items()})

    def _values(self, data: Dict[str, Any], scores: Dict[str, float]) -> Dict[str, Any]:
        evidence = data.get("evidence")
        if isinstance(evidence, str) and evidence.startswith("{"):
            evidence = json.loads(evidence)
        label = data.get(self.columns.label) if self.columns.label else None
        return {**(evidence if isinstance(evidence, dict) else {}), **data, "label": label, **scores}

    def _place(self, scored: Tuple[Dict[str, Any], Dict[str, float]]) -> Tuple[bool, float]:
        values = self._values(*scored)
        if self.sort not in values:
            raise PawsError(Errors.P110.format(name=self.sort, known=", ".join(values)))
        value = as_number(values[self.sort])
        # Rows without a value come last, whichever the direction.
        return value is None, 0.0 if value is None else -value if self.descending else value

    def _note_error(self, result: Result) -> None:
        line = result.line
        entry = {"path": line.path, "line": line.number, "error": result.error, "text": line.text}
        with self.errors.open("a", encoding="utf8", errors="surrogatepass") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
