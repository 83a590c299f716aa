"""What people do in a notebook, one call each. Everything here can be imported from `paws_components` itself."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from spacy.language import Language

from .corpora import held_splits
from .curation.audit import audit as audit_sources
from .curation.audit import find_splits
from .curation.findings import Finding
from .engine.backends import map_chunks
from .engine.work import Accounted
from .errors import PawsError, Warnings
from .evaluation.comparison import Comparison, compare
from .evaluation.judging import read_test_set
from .generation.job import GenerateJob
from .metrics.measure import CORE_METRICS, load_for, measure_records
from .readers import Source, read_pairs
from .readers.columns import find_columns
from .readers.fetching import cards, fetch
from .readers.names import own_name
from .readers.pairs import in_rows
from .records import PairRecord, PathLike, normalise
from .writers import RecordWriter

__all__ = ["audit", "cards", "evaluate", "fetch", "generate", "measure", "write_pairs"]
# Where a dict keeps a text that is not a pair.
TEXT_FIELDS = ("text", "sentence")


def generate(
    texts: Union[str, Iterable[Any]],
    generator: str = "word_swap",
    *,
    model: Optional[str] = None,
    lang: str = "en",
    sentences: bool = False,
    seed: int = 0,
    n_process: int = 1,
    **settings: Any,
) -> List[PairRecord]:
    """Make pairs from texts, or from the sentences of pairs.

    texts (Union[str, Iterable]): A text or several; or pairs, as `measure` takes them.
    generator (str): The generator; `paws plugins` lists those that are installed.
    model (Optional[str]): The spaCy pipeline; None for the default of the language.
    lang (str): The language.
    sentences (bool): Cut each text into sentences first.
    seed (int): For generators that draw.
    n_process (int): How many processes work; 0 for one per core.
    **settings: Of the generator: `n_best=3`.
    RETURNS (List[PairRecord]): The pairs; `record.to_dict()` is plain data, and a list of them makes a data frame.
    """
    job = GenerateJob(generator, settings, model, lang, sentences, seed=seed)
    job.check()
    sources = [_text_or_pair(item) for item in ([texts] if isinstance(texts, str) else in_rows(texts))]
    found: List[PairRecord] = []
    wrong: List[str] = []
    for outcomes in map_chunks(Accounted(job), [source for source in sources if source], n_process, job.chunk):
        for records, error in outcomes:
            found += records or []
            wrong += [error] if error else []
    if wrong and len(wrong) == len(sources):
        raise PawsError(wrong[0])
    if wrong:
        warnings.warn(Warnings.W028.format(count=len(wrong), total=len(sources), first=wrong[0]), stacklevel=2)
    chooser = job.chooser()
    keep = chooser(found) if chooser else None
    return found if keep is None else [record for record in found if keep(record)]


def measure(
    pairs: Source,
    metrics: Sequence[str] = CORE_METRICS,
    *,
    nlp: Optional[Language] = None,
    lang: str = "en",
    settings: Optional[Dict[str, Dict[str, Any]]] = None,
) -> List[PairRecord]:
    """Measure pairs.

    pairs (Source): A file, a data set, or pairs: records, tuples of two texts, dicts, rows of a `datasets.Dataset`.
    metrics (Sequence[str]): The names of the metrics.
    nlp (Optional[Language]): The pipeline; None for the default of the language.
    lang (str): The language.
    settings (Optional[Dict[str, Dict[str, Any]]]): The settings of the metrics, by their names.
    RETURNS (List[PairRecord]): The pairs as records, with the metrics in their evidence.
    """
    records = list(read_pairs(pairs))
    scores = measure_records(records, metrics, nlp=nlp or load_for(metrics, lang=lang), settings=settings)
    return [replace(record, evidence={**record.evidence, **values}) for record, values in zip(records, scores)]


def audit(source: Union[Source, Mapping[str, Source]], **options: Any) -> List[Finding]:
    """Look for what is wrong with a corpus.

    source (Union[Source, Mapping[str, Source]]): A file, a folder of files, a corpus by its card's name, pairs, or
        several of these by the names of their splits.
    **options: `layout`, `reference` and `checks`, as `paws audit` has them.
    RETURNS (List[Finding]): What was found; `finding.to_dict()` is plain data.
    """
    splits: Mapping[str, Source]
    if isinstance(source, Mapping):
        splits = source
    elif isinstance(source, (str, Path)) and Path(source).is_dir():
        splits = dict(find_splits(source))
    elif isinstance(source, (str, Path)) and held_splits(source):
        splits = {name: name for name in held_splits(source)}
    else:
        splits = {_source_name(source): source}
    return audit_sources(splits, **options)


def evaluate(
    model: Any,
    source: Union[Source, Mapping[str, Source]],
    *,
    layout: Optional[str] = None,
    limit: Optional[int] = None,
    both_orders: bool = True,
    samples: int = 1000,
    seed: int = 0,
    quiet: bool = True,
    **target: Any,
) -> Comparison:
    """Ask one classifier or several about labelled pairs, and hold their answers against the labels.

    model (Any): A pipeline, or whatever `paws evaluate` takes: the name or path of one, a sequence classifier of
        transformers, `module:function`; several by their names in a dict.
    source (Union[Source, Mapping[str, Source]]): The pairs, as `measure` takes them, or several sets by their names.
    layout (Optional[str]), limit (Optional[int]): Of the sources: their layout, and how many rows are read.
    both_orders (bool): Whether to ask about (b, a) too.
    samples (int), seed (int): Of the bootstrap, for the intervals.
    quiet (bool): Whether to show no progress.
    **target: For the classifiers: `positive_label`, `batch_size`, `n_process`.
    RETURNS (Comparison): `to_dict()` is plain data, `to_text()` and `to_markdown()` are tables.
    """
    models = dict(model) if isinstance(model, Mapping) else {_model_name(model): model}
    sets = source if isinstance(source, Mapping) else {_source_name(source): source}
    return compare(
        models,
        [read_test_set(name, one, layout, limit) for name, one in sets.items()],
        both_orders=both_orders,
        samples=samples,
        seed=seed,
        quiet=quiet,
        **target,
    )


def write_pairs(pairs: Source, path: PathLike, format: Optional[str] = None) -> int:
    """Write pairs to a file: JSONL, TSV, CSV or Parquet, by its ending. It is replaced when the new one is whole.

    pairs (Source): Records, tuples, dicts, rows of a data set, or another file.
    path (Union[str, Path]): The file.
    format (Optional[str]): The format, where the ending does not say it.
    RETURNS (int): How many pairs it holds.
    """
    with RecordWriter(str(path), format) as writer:
        for record in read_pairs(pairs):
            writer.write(record)
    return writer.count


def _text_or_pair(item: Any) -> Union[str, PairRecord]:
    if isinstance(item, str):
        return normalise(item)
    if isinstance(item, Mapping) and find_columns(list(item)) is None:
        field = next((name for name in TEXT_FIELDS if isinstance(item.get(name), str)), None)
        if field is not None:
            return normalise(item[field])
    # A pair without a sentence is nothing to work on.
    return next(read_pairs([item]), "")


def _model_name(model: Any) -> str:
    return own_name(str(model)) if isinstance(model, (str, Path)) else getattr(model, "meta", {}).get("name") or "model"


def _source_name(source: Source) -> str:
    return own_name(str(source)) if isinstance(source, (str, Path)) else "pairs"
