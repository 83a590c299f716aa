"""Measuring pairs as a job for the engine."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence

from ..metrics.measure import CORE_METRICS, Measurer, check_metrics, load_for, measure_with
from ..metrics.wpd import check_variant
from ..pairs import TAB
from ..records import PairRecord
from .local import Worker


@dataclass
class MetricsJob:
    """Measure pairs; the texts are those of pair Docs, and the scores come back as the evidence of one record each.

    metrics (Sequence[str]): The names of the metrics.
    variant (str): Of WPD and LD: "paper" or "released".
    model (Optional[str]): The spaCy pipeline; None for the default of the language.
    lang (str): The language.
    settings (Dict[str, Dict[str, Any]]): The settings of metrics that plugins bring, by their names.
    """

    metrics: Sequence[str] = CORE_METRICS
    variant: str = "paper"
    model: Optional[str] = None
    lang: str = "en"
    settings: Dict[str, Dict[str, Any]] = field(default_factory=dict)

    def check(self) -> None:
        """Our error for a metric or a variant that there is not, before any work begins."""
        check_metrics(self.metrics)
        check_variant(self.variant)

    def start(self) -> Worker:
        return MetricsWorker(self)


class MetricsWorker:
    def __init__(self, job: MetricsJob) -> None:
        self.job = job
        self.nlp = load_for(job.metrics, job.model, job.lang)
        self.measure = Measurer(job.metrics, job.variant, job.settings)

    def __call__(self, texts: Sequence[str]) -> List[List[PairRecord]]:
        records = [PairRecord(one, two) for one, _, two in (text.partition(TAB) for text in texts)]
        with self.nlp.memory_zone():
            scores = list(measure_with(self.measure, records, nlp=self.nlp))
        for record, values in zip(records, scores):
            record.evidence.update(values)
        return [[record] for record in records]
