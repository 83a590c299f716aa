"""Several metrics of many pairs, with no more of the pipeline than they need."""

from dataclasses import replace
from typing import Any, Callable, Dict, Hashable, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy
import spacy
from spacy.attrs import LEMMA, LOWER  # type: ignore[import-not-found]
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from ..errors import Errors, PawsError
from ..models import load_pipeline
from ..plugins import host, make_part
from ..records import PairRecord, normalise
from .batch import deviations
from .bow import bow_cosine_of
from .compared import damerau_levenshtein, rouge_l_of, self_bleu
from .index import Index, index_words
from .inversion import inversion_rate_of
from .lemmas import LemmaTable
from .where import parse_where
from .wpd import check_variant

# Which metric reads what of a pair: the lemmas, the indexed words, the words, the texts.
OF_LEMMAS = ("wpd", "ld")
OF_INDEX: Dict[str, Callable[[Index, Index], float]] = {
    "bow_cosine": bow_cosine_of,
    "inversion_rate": inversion_rate_of,
}
OF_WORDS: Dict[str, Callable[[Sequence[Hashable], Sequence[Hashable]], float]] = {"rouge_l": rouge_l_of}
OF_TEXTS: Dict[str, Callable[[str, str], float]] = {
    "self_bleu": self_bleu,
    "damerau_levenshtein": damerau_levenshtein,
}
METRICS = (*OF_INDEX, *OF_LEMMAS, *OF_WORDS, *OF_TEXTS)
# Those that need nothing but the core dependencies.
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


class Side(NamedTuple):
    """One sentence of a pair: a Doc, or a part of one. Plainer than a Span, and so faster to make."""

    doc: Doc
    start: int
    end: int


class Measurer:
    """Computes some metrics of pairs whose Docs are there.

    metrics (Sequence[str]): Their names.
    variant (str): Of WPD and LD: "paper" or "released".
    settings (Optional[Dict[str, Dict[str, Any]]]): The settings of metrics that plugins bring, by their names.
    """

    def __init__(
        self, metrics: Sequence[str], variant: str = "paper", settings: Optional[Dict[str, Dict[str, Any]]] = None
    ) -> None:
        check_metrics(metrics)
        check_variant(variant)
        self.metrics = list(metrics)
        self.variant = variant
        given = settings or {}
        for name in given:
            if name in METRICS or name not in metrics:
                raise PawsError(Errors.P214.format(name=name))
        self._others = {
            name: make_part("metrics", name, given.get(name)) for name in self.metrics if name not in METRICS
        }
        self._lemmas = LemmaTable(variant)

    def __call__(self, pairs: Sequence[Tuple[Side, Side]]) -> List[Dict[str, float]]:
        """The metrics of each pair, by name and in the order they were asked for."""
        columns: Dict[str, Sequence[float]] = {}
        if any(name in OF_LEMMAS for name in self.metrics):
            columns["wpd"], columns["ld"] = self._deviations(pairs)
        if any(name in OF_INDEX or name in OF_WORDS for name in self.metrics):
            # Hashes will do: all that matters is which words are the same.
            words = [(_lower(one), _lower(two)) for one, two in pairs]
            indexed = [(index_words(one), index_words(two)) for one, two in words]
            for name, of_index in OF_INDEX.items():
                if name in self.metrics:
                    columns[name] = [of_index(one, two) for one, two in indexed]
            for name, of_words in OF_WORDS.items():
                if name in self.metrics:
                    columns[name] = [of_words(one, two) for one, two in words]
        for name, of_texts in OF_TEXTS.items():
            if name in self.metrics:
                columns[name] = [of_texts(_text(one), _text(two)) for one, two in pairs]
        texts = [(_text(one), _text(two)) for one, two in pairs] if self._others else []
        for name, measure in self._others.items():
            columns[name] = [float(value) for value in measure(texts)]
            if len(columns[name]) != len(pairs):
                raise PawsError(Errors.P215.format(name=name, count=len(columns[name]), pairs=len(pairs)))
        return [{name: columns[name][i] for name in self.metrics} for i in range(len(pairs))]

    def _deviations(self, pairs: Sequence[Tuple[Side, Side]]) -> Tuple[List[float], List[float]]:
        if not pairs:
            return [], []
        parts = [doc.to_array(LEMMA)[start:end] for pair in pairs for doc, start, end in pair]
        hashes = numpy.concatenate(parts)
        # A token that no lemmatizer has seen has 0. Some lemmatizers leave out one or the other, none all of them.
        if not hashes.all() and any(len(part) and not part.any() for part in parts):
            raise PawsError(Errors.P102.format())
        numbers = self._lemmas.number(hashes, pairs[0][0].doc.vocab.strings)
        lengths = numpy.array([len(part) for part in parts], dtype="int64")
        wpds, lds = deviations(numbers, lengths, self._lemmas.words, self.variant)
        return wpds.tolist(), lds.tolist()


def _lower(side: Side) -> List[int]:
    hashes: List[int] = side.doc.to_array(LOWER)[side.start : side.end].tolist()
    return hashes


def _text(side: Side) -> str:
    return str(side.doc[side.start : side.end].text)


def is_metric(name: str) -> bool:
    """Whether there is a metric of this name, of ours or of a plugin."""
    return name in METRICS or name in host().parts["metrics"]


def known_metrics() -> List[str]:
    """The names of all metrics: ours, then those of plugins."""
    return list(dict.fromkeys([*METRICS, *host().parts["metrics"]]))


def check_metrics(metrics: Sequence[str]) -> None:
    """Our error for a metric that there is not, or none at all."""
    unknown = [name for name in metrics if not is_metric(name)]
    if unknown or not metrics:
        raise PawsError(Errors.P104.format(names=", ".join(unknown) or "none", known=", ".join(known_metrics())))


class TextMetric:
    """One of our metrics as a plugin's would be: a function over pairs of texts.

    name (str): Its name.
    variant (str): Of WPD and LD: "paper" or "released".
    model (Optional[str]): The spaCy pipeline; None for the default of the language.
    lang (str): The language.
    """

    def __init__(self, name: str, *, variant: str = "paper", model: Optional[str] = None, lang: str = "en") -> None:
        self.name = name
        self.variant = variant
        self.nlp = load_for([name], model, lang)

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[float]:
        """The metric of each pair."""
        records = [PairRecord(one, two) for one, two in pairs]
        scores = measure_records(records, [self.name], nlp=self.nlp, variant=self.variant)
        return [score[self.name] for score in scores]


def needed_pipes(nlp: Language, metrics: Sequence[str]) -> List[str]:
    """The components of a pipeline that have to run for some metrics; none where the tokenizer is enough."""
    if not any(name in OF_LEMMAS for name in metrics):
        return []
    needed = []
    for name in nlp.pipe_names:
        meta = nlp.get_pipe_meta(name)
        if meta.factory in LEMMA_FACTORIES or "token.lemma" in meta.assigns:
            needed.append(name)
    return needed


def load_for(metrics: Sequence[str], model: Optional[str] = None, lang: str = "en") -> Language:
    """Load a pipeline for some metrics, without the components that none of them needs.

    metrics (Sequence[str]): Their names.
    model (Optional[str]): A package or a path; None for the language's default, or its tokenizer if that is enough.
    lang (str): The language.
    RETURNS (Language): The pipeline.
    """
    check_metrics(metrics)
    if model is None and not any(name in OF_LEMMAS for name in metrics):
        return spacy.blank(lang)
    return load_pipeline(model, lang=lang, exclude=UNUSED)


def measure_records(
    records: Iterable[PairRecord],
    metrics: Sequence[str] = CORE_METRICS,
    *,
    nlp: Optional[Language] = None,
    variant: str = "paper",
    batch_size: int = 256,
    settings: Optional[Dict[str, Dict[str, Any]]] = None,
) -> Iterator[Dict[str, float]]:
    """Measure pairs, each sentence processed by itself, as the published values were.

    records (Iterable[PairRecord]): The pairs; read as they are needed.
    metrics (Sequence[str]): The names of the metrics.
    nlp (Optional[Language]): The pipeline, of which only what the metrics need will run; None for the English one.
    variant (str): Of WPD and LD: "paper" (the equations) or "released" (the authors' code).
    batch_size (int): How many pairs are measured at once.
    settings (Optional[Dict[str, Dict[str, Any]]]): The settings of metrics that plugins bring, by their names.
    YIELDS (Dict[str, float]): The metrics of each pair, by name.
    """
    yield from measure_with(Measurer(metrics, variant, settings), records, nlp=nlp, batch_size=batch_size)


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
        # A generator's output has the same source many times: each sentence is processed once a batch.
        unique = list(dict.fromkeys(text for pair in texts for text in pair))
        docs = nlp.pipe(unique, disable=idle, batch_size=2 * batch_size) if needed else map(nlp.make_doc, unique)
        sides = {text: Side(doc, 0, len(doc)) for text, doc in zip(unique, docs)}
        yield from measure([(sides[one], sides[two]) for one, two in texts])


def filter_records(
    records: Iterable[PairRecord],
    where: str,
    *,
    nlp: Optional[Language] = None,
    variant: str = "paper",
    batch_size: int = 256,
) -> Iterator[PairRecord]:
    """Keep the pairs of a wanted kind, such as few new words in another order: `wpd > 0.2 and ld < 0.1`.

    records (Iterable[PairRecord]): The pairs.
    where (str): The condition: metrics, `label`, and whatever numbers the evidence of the records holds.
    nlp (Optional[Language]), variant (str), batch_size (int): As in `measure_records`.
    YIELDS (PairRecord): The pairs that meet it, with the metrics that it names in their evidence.
    """
    condition = parse_where(where)
    metrics = sorted(name for name in condition.names if is_metric(name))
    measure = Measurer(metrics, variant) if metrics else None
    for batch in minibatch(records, batch_size):
        scores: Iterable[Dict[str, float]] = ({} for _ in batch)
        if measure:
            if nlp is None:
                nlp = load_for(metrics)
            scores = measure_with(measure, batch, nlp=nlp, batch_size=batch_size)
        for record, values in zip(batch, scores):
            if condition({**record.evidence, "label": record.label, **values}):
                yield replace(record, evidence={**record.evidence, **values})
