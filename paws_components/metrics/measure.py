"""Several metrics of many pairs, with no more of the pipeline than they need."""

from dataclasses import replace
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from spacy.language import Language
from spacy.util import minibatch

from ..engine.timing import timed
from ..errors import Errors, PawsError
from ..lang import rules_of
from ..models import blank, load_pipeline
from ..plugins import host, make_registered
from ..records import PairRecord, normalise
from .bow import bow_cosine_of
from .compared import rouge_l_of
from .inversion import inversion_rate_of
from .lemmas import LemmaTable
from .sides import LemmaPairs, Side, Sides, Words
from .where import parse_where
from .wpd import VARIANTS, Variant, check_variant

# What is measured where nobody says which metrics.
CORE_METRICS = ("bow_cosine", "inversion_rate", "wpd", "ld")

# What takes part in making lemmas. The rest of a pipeline does not run: nobody pays for a parser they do not use.
LEMMA_FACTORIES = (
    "tok2vec",
    "transformer",
    "curated_transformer",
    "tagger",
    "morphologizer",
    "attribute_ruler",
    "lemmatizer",
    "trainable_lemmatizer",
)
UNUSED = ("parser", "senter", "sentencizer", "ner", "entity_ruler", "entity_linker", "textcat", "spancat")


class Measurer:
    """Computes some metrics of pairs whose Docs are there.

    metrics (Sequence[str]): Their names.
    settings (Optional[Dict[str, Dict[str, Any]]]): Their settings, by their names.
    """

    def __init__(self, metrics: Sequence[str], settings: Optional[Dict[str, Dict[str, Any]]] = None) -> None:
        check_metrics(metrics)
        self.metrics = list(metrics)
        self.settings = given = settings or {}
        for name in given:
            if name not in metrics:
                raise PawsError(Errors.P214.format(name=name))
        self._made = {name: make_registered("metrics", name, given.get(name)) for name in self.metrics}
        self._reads = {name: host().find("metrics", name).reads for name in self.metrics}
        self._tables: Dict[str, LemmaTable] = {}

    def __call__(self, pairs: Sides) -> List[Dict[str, float]]:
        """The metrics of each pair, by name and in the order they were asked for."""
        views = {reads: self._view(reads, pairs) for reads in set(self._reads.values())}
        columns: Dict[str, List[float]] = {}
        for name, measure in self._made.items():
            columns[name] = [float(value) for value in measure(views[self._reads[name]])]
            if len(columns[name]) != len(pairs):
                raise PawsError(Errors.P215.format(name=name, count=len(columns[name]), pairs=len(pairs)))
        return [{name: columns[name][i] for name in self.metrics} for i in range(len(pairs))]

    def _view(self, reads: str, pairs: Sides) -> Sequence[Tuple[Any, Any]]:
        """What metrics read of the pairs."""
        if reads == "lemmas":
            return LemmaPairs(pairs, self._tables)
        return [(Words(one), Words(two)) if reads == "words" else (one.text, two.text) for one, two in pairs]


class PairFunction:
    """A metric from a function of the two sides of a pair.

    function (Callable): The function.
    """

    def __init__(self, function: Callable[[Any, Any], float]) -> None:
        self.function = function

    def __call__(self, pairs: Sequence[Tuple[Any, Any]]) -> List[float]:
        """The metric of each pair."""
        return [self.function(one, two) for one, two in pairs]


def cosine_of_words(one: Words, two: Words) -> float:
    return bow_cosine_of(one.places, two.places)


def inversions_of_words(one: Words, two: Words) -> float:
    return inversion_rate_of(one.places, two.places)


def rouge_of_words(one: Words, two: Words) -> float:
    return rouge_l_of(one.hashes, two.hashes)


class Deviation:
    """WPD or LD of pairs of lemmas.

    column (int): 0 for WPD, 1 for LD.
    variant (str): "paper" (the equations) or "released" (the authors' code).
    """

    def __init__(self, column: int, *, variant: Variant = "paper") -> None:
        self.column = column
        self.variant = variant

    def __call__(self, pairs: LemmaPairs) -> List[float]:
        """The metric of each pair."""
        return pairs.deviations(self.variant)[self.column]


def with_variant(
    metrics: Sequence[str], variant: str, settings: Optional[Dict[str, Dict[str, Any]]] = None
) -> Dict[str, Dict[str, Any]]:
    """Settings of metrics, with the variant for those of WPD and LD that are asked for."""
    check_variant(variant)
    given = settings or {}
    chosen = {name: {"variant": variant} for name in ("wpd", "ld") if name in metrics and variant != VARIANTS[0]}
    return {**given, **{name: {**setting, **given.get(name, {})} for name, setting in chosen.items()}}


def is_metric(name: str) -> bool:
    """Whether there is a metric of this name, of ours or of a plugin."""
    return name in host().registered["metrics"]


def known_metrics() -> List[str]:
    """The names of all metrics: ours, then those of plugins."""
    return list(host().registered["metrics"])


def check_metrics(metrics: Sequence[str]) -> None:
    """Our error for a metric that there is not, or none at all."""
    unknown = [name for name in metrics if not is_metric(name)]
    if unknown or not metrics:
        raise PawsError(Errors.P104.format(names=", ".join(unknown) or "none", known=", ".join(known_metrics())))


class TextMetric:
    """A metric by its name, as a function over pairs of texts, whatever it reads.

    name (str): Its name.
    settings (Optional[Dict[str, Any]]): Its settings.
    nlp (Optional[Language]): The pipeline; None for the English one, or its tokenizer if that is enough.
    """

    def __init__(self, name: str, settings: Optional[Dict[str, Any]] = None, *, nlp: Optional[Language] = None) -> None:
        self.name = name
        self.measure = Measurer([name], {name: settings} if settings else None)
        self.nlp = nlp if nlp is not None else load_for([name])

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[float]:
        """The metric of each pair."""
        records = [PairRecord(one, two) for one, two in pairs]
        return [scores[self.name] for scores in measure_with(self.measure, records, nlp=self.nlp)]


def needed_pipes(nlp: Language, metrics: Sequence[str]) -> List[str]:
    """The components of a pipeline that have to run for some metrics; none where the tokenizer is enough."""
    if not _of_lemmas(metrics):
        return []
    needed = []
    for name in nlp.pipe_names:
        meta = nlp.get_pipe_meta(name)
        if meta.factory in LEMMA_FACTORIES or "token.lemma" in meta.assigns:
            needed.append(name)
    return needed


def _of_lemmas(metrics: Sequence[str]) -> bool:
    return any(host().find("metrics", name).reads == "lemmas" for name in metrics)


def load_for(metrics: Sequence[str], model: Optional[str] = None, lang: str = "en") -> Language:
    """Load a pipeline for some metrics, without the components that none of them needs.

    metrics (Sequence[str]): Their names.
    model (Optional[str]): A package or a path; None for the language's default, or its tokenizer if that is enough. It
        is for languages where the tokenizer gives lemmas, or words stand for them.
    lang (str): The language.
    RETURNS (Language): The pipeline.
    """
    check_metrics(metrics)
    if model is None and (not _of_lemmas(metrics) or rules_of(lang).bare_lemmas):
        return blank(lang)
    return load_pipeline(model, lang=lang, exclude=UNUSED)


def measure_records(
    records: Iterable[PairRecord],
    metrics: Sequence[str] = CORE_METRICS,
    *,
    nlp: Optional[Language] = None,
    batch_size: int = 256,
    settings: Optional[Dict[str, Dict[str, Any]]] = None,
) -> Iterator[Dict[str, float]]:
    """Measure pairs, each sentence processed by itself, as the published values were.

    records (Iterable[PairRecord]): The pairs; read as they are needed.
    metrics (Sequence[str]): The names of the metrics.
    nlp (Optional[Language]): The pipeline, of which only what the metrics need will run; None for the English one.
    batch_size (int): How many pairs are measured at once.
    settings (Optional[Dict[str, Dict[str, Any]]]): The settings of the metrics, by their names.
    YIELDS (Dict[str, float]): The metrics of each pair, by name.
    """
    yield from measure_with(Measurer(metrics, settings), records, nlp=nlp, batch_size=batch_size)


def measure_with(
    measure: Measurer, records: Iterable[PairRecord], *, nlp: Optional[Language] = None, batch_size: int = 256
) -> Iterator[Dict[str, float]]:
    """`measure_records` with a measurer that is there already, and perhaps has loaded models."""
    metrics = measure.metrics
    if nlp is None:
        nlp = load_for(metrics)
    needed = needed_pipes(nlp, metrics)
    idle = [name for name in nlp.pipe_names if name not in needed]
    for batch in minibatch(records, batch_size):
        texts = [(normalise(record.sentence1), normalise(record.sentence2)) for record in batch]
        # A generator's output has the same source many times: each sentence is processed once per batch.
        unique = list(dict.fromkeys(text for pair in texts for text in pair))
        docs = nlp.pipe(unique, disable=idle, batch_size=2 * batch_size) if needed else map(nlp.make_doc, unique)
        with timed("pipeline"):
            sides = {text: Side(doc, 0, len(doc)) for text, doc in zip(unique, docs)}
        with timed("metrics"):
            scores = measure([(sides[one], sides[two]) for one, two in texts])
        yield from scores


def filter_records(
    records: Iterable[PairRecord],
    where: str,
    *,
    nlp: Optional[Language] = None,
    batch_size: int = 256,
    settings: Optional[Dict[str, Dict[str, Any]]] = None,
) -> Iterator[PairRecord]:
    """Keep the pairs of a wanted kind, such as few new words in another order: `wpd > 0.2 and ld < 0.1`.

    records (Iterable[PairRecord]): The pairs.
    where (str): The condition: metrics, `label`, and whatever numbers the evidence of the records holds.
    nlp (Optional[Language]), batch_size (int), settings (Optional[Dict]): As in `measure_records`.
    YIELDS (PairRecord): The pairs that meet it, with the metrics that it names in their evidence.
    """
    condition = parse_where(where)
    metrics = sorted(name for name in condition.names if is_metric(name))
    measure = Measurer(metrics, settings) if metrics else None
    for batch in minibatch(records, batch_size):
        scores: Iterable[Dict[str, float]] = ({} for _ in batch)
        if measure:
            if nlp is None:
                nlp = load_for(metrics)
            scores = measure_with(measure, batch, nlp=nlp, batch_size=batch_size)
        for record, values in zip(batch, scores):
            if condition({**record.evidence, "label": record.label, **values}):
                yield replace(record, evidence={**record.evidence, **values})
