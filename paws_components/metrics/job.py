"""Measuring pairs as a job for the engine."""

from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from ..engine.frame import Run, Tally
from ..errors import Errors, Fatal, PawsError
from ..models import language_of, too_long
from ..plugins import host
from ..readers import Row, open_pairs
from ..readers.language import check_language
from ..records import FIELDS, PairRecord
from ..settings import validate
from ..writers import RecordWriter, TableWriter, check_outputs, file_format
from .measure import CORE_METRICS, Measurer, check_metrics, known_metrics, load_for, measure_with
from .summary import Summary
from .where import as_number, parse_where


@dataclass
class MetricsJob:
    """Measure pairs.

    metrics (Sequence[str]): The names of the metrics.
    model (Optional[str]): The spaCy pipeline; None for the default of the language.
    lang (str): The language.
    settings (Dict[str, Dict[str, Any]]): The settings of the metrics, by their names.
    """

    metrics: Sequence[str] = CORE_METRICS
    model: Optional[str] = None
    lang: str = "en"
    settings: Dict[str, Dict[str, Any]] = field(default_factory=dict)

    def check(self) -> None:
        """Our error for a metric or a setting that there is not, or a missing package, before any work begins."""
        check_metrics(self.metrics)
        for name in self.metrics:
            found = host().require("metrics", name)
            validate(f"metric {name!r}", found.maker, self.settings.get(name, {}))

    def start(self) -> "MetricsWorker":
        return MetricsWorker(self)


class MetricsWorker:
    def __init__(self, job: MetricsJob) -> None:
        self.nlp = load_for(job.metrics, job.model, job.lang)
        self.measure = Measurer(job.metrics, job.settings)

    def __call__(self, records: Sequence[PairRecord]) -> List[Union[Dict[str, float], PawsError]]:
        """The scores of each pair by name, or what is wrong with it."""
        wrong = [too_long(record.sentence1) or too_long(record.sentence2) for record in records]
        good = [record for record, error in zip(records, wrong) if error is None]
        with self.nlp.memory_zone():
            scores = iter(list(measure_with(self.measure, good, nlp=self.nlp)))
        return [error or next(scores) for error in wrong]


class Measured(NamedTuple):
    """What came of a run of `paws metrics`: rows kept, left out and with an error, the distributions, and remarks."""

    tally: Tally
    summary: Summary
    remarks: List[str]


class MetricsTable:
    """Measures the pairs of a source and writes them with a column more for each metric.

    source (str): The pairs: see `open_pairs`, whose `layout`, `columns`, `config` and `split` these are.
    output (str): A file, or "-".
    job (MetricsJob): The metrics; those that the condition or the order needs are added to it.
    where (Optional[str]): Which pairs to keep.
    sort (Optional[str]): What to sort by, with a minus for the largest first. Sorting holds all kept rows in memory.
    format (Optional[str]): What a pipe gets: "jsonl", "tsv", "csv" or "parquet".
    """

    def __init__(
        self,
        source: str,
        output: str,
        job: MetricsJob,
        *,
        where: Optional[str] = None,
        sort: Optional[str] = None,
        layout: Optional[str] = None,
        columns: Sequence[str] = (),
        config: Optional[str] = None,
        split: Optional[str] = None,
        format: Optional[str] = None,
    ) -> None:
        self.source = source
        self.output = output
        self.where = parse_where(where) if where else None
        self.sort = (sort or "").removeprefix("-")
        self.descending = (sort or "").startswith("-")
        asked = (self.where.names if self.where else set()) | {self.sort}
        added = [name for name in known_metrics() if name in asked]
        self.job = replace(job, metrics=list(dict.fromkeys([*job.metrics, *added])))
        self.job.check()
        check_outputs([source], [output])
        self.format = file_format(output, format, (".jsonl", ".tsv", ".txt", ".csv", ".parquet"))
        self.opened = open_pairs(source, layout, columns=columns, config=config, split=split)
        part = {"layout": layout, "columns": list(columns), "config": config, "split": split}
        self.settings = {**asdict(self.job), "where": where, "sort": sort, **part}
        # Objects need not have the same fields; records do.
        self.as_records = self.opened.layout.reads == "records" and self.opened.uneven
        self.header = self._header()

    def __call__(self, *, limit: Optional[int] = None, **frame: Any) -> Measured:
        """Do it.

        limit (Optional[int]): How many rows are read.
        **frame: How the run works: see `RunOptions`.
        RETURNS (Measured): What came of it.
        """
        run = Run(
            "metrics",
            self.job,
            [self.source],
            self.output,
            {**self.settings, "limit": limit, "format": self.format},
            value=self._value,
            finish=self._finish,
            outcome="kept",
        )
        self.summary = Summary()
        self.remarks: List[str] = []
        rows = check_language(islice(self.opened, limit), language_of(self.job.model, self.job.lang))
        tally = run(rows, total=limit, meter=self.opened.meter, **frame)
        return Measured(tally, self.summary, self.remarks)

    def _header(self) -> List[str]:
        layout = self.opened.layout
        names = {"sentence1": layout.sentence1, "sentence2": layout.sentence2, "label": layout.label or "label"}
        columns = [names.get(name, name) for name in FIELDS] if self.as_records else self.opened.names
        return [name for name in columns if name not in self.job.metrics]

    def _value(self, row: Row, scores: Dict[str, float]) -> Optional[Dict[str, Any]]:
        """What is written of a row, or None if it is left out."""
        record = row.to_record()
        record.evidence = {**self._others(row), **record.evidence}
        values = {**record.evidence, **row.columns, "label": row.label, **scores}
        if self.sort and self.sort not in values:
            raise Fatal(Errors.P110.format(name=self.sort, known=", ".join(values)))
        if self.where is not None and not self.where(values):
            return None
        place = as_number(values[self.sort]) if self.sort else None
        kept: Dict[str, Any] = {"scores": scores, "label": row.label, "place": place}
        if self.format == ".jsonl":
            return {**kept, "row": record.to_dict()}
        return {**kept, "row": dict(zip(self.header, record.to_dict().values())) if self.as_records else row.columns}

    def _others(self, row: Row) -> Dict[str, Any]:
        """The columns of a table that a record has no field for, and a label that says nothing."""
        layout = self.opened.layout
        if row.fields is not None:
            return {}
        others = {name: value for name, value in row.columns.items() if name not in (*layout.pair_columns, layout.id)}
        return {**others, "label": row.written} if row.label is None and row.written.strip() else others

    def _finish(self, values: Iterable[Any], place: str) -> int:
        metrics = list(self.job.metrics)
        kept: Iterable[Any] = (value for value in values if value is not None)
        kept = sorted(kept, key=self._place) if self.sort else kept
        count = 0
        if self.format == ".jsonl":
            with RecordWriter(place, "jsonl") as records:
                for value in kept:
                    count += 1
                    self.summary.add(value["scores"], value["label"])
                    record = PairRecord(**value["row"])
                    record.evidence = {**record.evidence, **value["scores"]}
                    records.write(record)
            return count
        ending = self.format.removeprefix(".")
        with TableWriter(place, [*self.header, *metrics], metrics, "tsv" if ending == "txt" else ending) as rows:
            for value in kept:
                count += 1
                self.summary.add(value["scores"], value["label"])
                rows.write({**value["row"], **value["scores"]})
        self.remarks = rows.remarks
        return count

    def _place(self, value: Dict[str, Any]) -> Tuple[bool, float]:
        place = value["place"]
        # Rows without a value come last, whichever the direction.
        return place is None, 0.0 if place is None else -place if self.descending else place
