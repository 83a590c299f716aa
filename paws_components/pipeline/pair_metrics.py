from typing import Any, Dict, Iterable, List, Optional

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..errors import Errors, PawsError
from ..extensions import METRIC_PREFIX, SELECTED, install
from ..metrics.measure import CORE_METRICS, Measurer, is_metric, known_metrics, with_variant
from ..metrics.sides import Side
from ..metrics.where import Where, parse_where
from ..pairs import pair_spans
from .base import BatchPipe

DEFAULT_CONFIG: Dict[str, Any] = {
    "metrics": list(CORE_METRICS),
    "variant": "paper",
    "where": None,
    "settings": {},
}


@Language.factory(
    "paws_pair_metrics",
    assigns=["doc._.paws_bow_cosine", "doc._.paws_inversion_rate", "doc._.paws_wpd", "doc._.paws_ld"],
    default_config=DEFAULT_CONFIG,
)
def make_pair_metrics(
    nlp: Language,
    name: str,
    metrics: List[str],
    variant: str,
    where: Optional[str],
    settings: Dict[str, Dict[str, Any]],
) -> "PairMetrics":
    """Measure each pair Doc: `doc._.paws_wpd` and so on, one extension per metric.

    metrics (List[str]): Which ones: bow_cosine and inversion_rate need a tokenizer only, wpd and ld a lemmatizer before
        this component; rouge_l, self_bleu and damerau_levenshtein the `[metrics]` extra. Plugins bring others.
    variant (str): Of WPD and LD: "paper" (the equations) or "released" (the authors' code).
    where (Optional[str]): A condition such as `wpd > 0.2 and ld < 0.1`; `doc._.paws_selected` says whether it holds.
        Metrics that it names are computed too.
    settings (Dict[str, Dict[str, Any]]): The settings of the metrics, by their names.
    """
    return PairMetrics(nlp, name, metrics=metrics, variant=variant, where=where, settings=settings)


class PairMetrics(BatchPipe):
    """Measures pairs: how far words moved, and how many are new."""

    def __init__(
        self,
        nlp: Language,
        name: str = "paws_pair_metrics",
        *,
        metrics: List[str],
        variant: str,
        where: Optional[str],
        settings: Dict[str, Dict[str, Any]],
    ) -> None:
        self.nlp = nlp
        self.name = name
        self.where: Optional[Where] = parse_where(where) if where else None
        named = self.where.names if self.where else set()
        unknown = sorted(other for other in named if not is_metric(other))
        if where and unknown:
            raise PawsError(Errors.P106.format(text=where, name=unknown[0], known=", ".join(known_metrics())))
        every = list(dict.fromkeys([*metrics, *sorted(named)]))
        self.measure = Measurer(every, with_variant(every, variant, settings))
        install(*(METRIC_PREFIX + metric for metric in self.measure.metrics))

    def predict(self, docs: List[Doc]) -> List[Dict[str, float]]:
        """The metrics of each Doc, by name; the Docs stay as they are."""
        spans = [pair_spans(doc) for doc in docs]
        return self.measure([(_side(one), _side(two)) for one, two in spans])

    def set_annotations(self, docs: Iterable[Doc], scores: Iterable[Dict[str, Any]]) -> None:
        """Write the metrics to the Docs."""
        for doc, values in zip(docs, scores):
            for name, value in values.items():
                doc._.set(METRIC_PREFIX + name, value)
            if self.where is not None:
                doc._.set(SELECTED, self.where(values))


def _side(span: Span) -> Side:
    return Side(span.doc, span.start, span.end)
