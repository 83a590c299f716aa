"""MRPC-R1 (Towards Better Characterization of Paraphrases, section 5.2.1): pairs called paraphrases whose entities
disagree are corrected where one value stands against one, and relabelled where that cannot be done."""

from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, Collection, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc

from ..engine.frame import Run, Tally
from ..errors import Errors, PawsError
from ..lang.en import RULES as ENGLISH
from ..metrics.ld import ld
from ..models import language_of, load_pipeline, too_long
from ..readers import open_pairs
from ..readers.language import check_language
from ..records import PairRecord, normalise
from ..writers import RecordWriter, check_outputs, file_format
from .differences import Difference, carry_over, differences
from .equivalents import TYPOGRAPHY, Equivalents
from .mentions import QUANTITIES, Mention, MentionReader
from .summary import CONSISTENT, CORRECTED, PASSED, RELABELLED, Summary

# What `types` and `compare` may say in place of a list of labels.
TYPE_GROUPS: Dict[str, Optional[Tuple[str, ...]]] = {"quantities": QUANTITIES, "all": None}
WAYS = ("both", "first", "second")
LD_VARIANTS = ("paper", "released")
# How many pairs go through the pipeline in one memory zone.
CHUNK = 256


@dataclass(frozen=True)
class CorrectSettings:
    """What counts as an inconsistency, and what is done about it.

    types (Sequence[str]): The entity types whose values may be replaced: `["quantities"]` as the paper says, `["all"]`
        as the released corpus was made, or labels.
    compare (Sequence[str]): The entity types that must agree, likewise.
    ways (str): "both" gives two rows, "first" the one with the values of the first sentence, "second" the other.
    ld_guard (float): A pair that cannot be corrected is relabelled only if its lexical deviation is above this; 0 is no
        guard. The guard and its 0.1 are in the authors' code; the paper does not speak of it.
    ld_variant (str): The lexical deviation of the "paper", or as the authors' code "released" has it.
    equivalents (Sequence[Sequence[str]]): Groups of forms that say the same.
    articles (Sequence[str]): Words before an entity that are not part of its value.
    units (Mapping[str, Sequence[str]]): Units and their spellings, told apart from the value.
    """

    types: Sequence[str] = ("quantities",)
    compare: Sequence[str] = ("all",)
    ways: str = "both"
    ld_guard: float = 0.1
    ld_variant: str = "paper"
    equivalents: Sequence[Sequence[str]] = field(default_factory=lambda: ENGLISH.equivalents)
    articles: Sequence[str] = ENGLISH.articles
    units: Mapping[str, Sequence[str]] = field(default_factory=lambda: ENGLISH.units)

    def __post_init__(self) -> None:
        for name, value, known in (("ways", self.ways, WAYS), ("ld_variant", self.ld_variant, LD_VARIANTS)):
            if value not in known:
                raise PawsError(Errors.P015.format(name=name, what="one of " + ", ".join(known), value=value))
        if not 0 <= self.ld_guard <= 1:
            raise PawsError(Errors.P015.format(name="ld_guard", what="from 0 to 1", value=self.ld_guard))
        for name, types in (("types", self.types), ("compare", self.compare)):
            if isinstance(types, str) or not types:
                raise PawsError(Errors.P015.format(name=name, what="a list of entity types", value=types))


@dataclass
class Outcome:
    """What came of a pair.

    kind (str): "corrected", "relabelled", "consistent" or "passed".
    source (PairRecord): The pair as it went in.
    records (List[PairRecord]): What comes out: one record, or one for each way in which it was corrected.
    differences (List[Difference]): Where the entities of the two sentences differed.
    """

    kind: str
    source: PairRecord
    records: List[PairRecord]
    differences: List[Difference]


class Corrector:
    """Corrects or relabels pairs whose sentences were processed, each by itself."""

    def __init__(self, settings: Optional[CorrectSettings] = None, model: str = "") -> None:
        self.settings = settings or CorrectSettings()
        self.model = model
        self.types = resolve_types(self.settings.types)
        self.compare = resolve_types(self.settings.compare)
        self.reader = MentionReader(Equivalents(self.settings.equivalents), self.settings.articles, self.settings.units)

    def correct(self, record: PairRecord, doc1: Doc, doc2: Doc) -> Outcome:
        """Correct a pair that is called a paraphrase.

        record (PairRecord): The pair.
        doc1, doc2 (Doc): Its sentences with entities, and with lemmas where there is an LD guard.
        RETURNS (Outcome): What came of it.
        """
        first, second = self.reader.read(doc1), self.reader.read(doc2)
        found = differences(first, second, self.compare)
        if not found:
            return self._keep(record, found, "the entities agree")
        obstacle = self._obstacle(found)
        rows: List[PairRecord] = []
        if obstacle is None:
            rows = self._rows(record, found, first, second)
            if any(_same(row.sentence1, record.sentence1, row.sentence2, record.sentence2) for row in rows):
                return self._keep(record, found, "the same words, which the recogniser cuts in two ways")
            if any(_same(row.sentence1, row.sentence2) for row in rows):
                obstacle = "corrected, the two sentences would be the same"
        if obstacle is None:
            return Outcome(CORRECTED, record, rows, found)
        deviation = None
        if self.settings.ld_guard:
            lemmas1, lemmas2 = ([token.lemma_ for token in doc] for doc in (doc1, doc2))
            deviation = ld(lemmas1, lemmas2, variant=self.settings.ld_variant)
            if deviation <= self.settings.ld_guard:
                return self._keep(record, found, f"{obstacle}, but the LD guard keeps the label", deviation)
        return self._relabel(record, found, obstacle, deviation)

    def _obstacle(self, found: Sequence[Difference]) -> Optional[str]:
        """Why a pair cannot be corrected, or None if it can."""
        for difference in found:
            if self.types is not None and difference.label not in self.types:
                return f"{difference.label} is not among the types that are corrected"
            if not difference.single:
                return f"{difference.label}: {len(difference.first)} stand against {len(difference.second)}"
        return None

    def _rows(
        self, record: PairRecord, found: Sequence[Difference], first: Sequence[Mention], second: Sequence[Mention]
    ) -> List[PairRecord]:
        """The pair with the values of its first sentence in both, and with those of its second."""
        rows = []
        pairs = [(difference.first[0], difference.second[0]) for difference in found]
        if self.settings.ways in ("both", "first"):
            text, replaced = carry_over(record.sentence2, second, [(there, here) for here, there in pairs])
            rows.append(self._corrected(record, record.sentence1, text, 2, replaced))
        if self.settings.ways in ("both", "second"):
            text, replaced = carry_over(record.sentence1, first, pairs)
            rows.append(self._corrected(record, text, record.sentence2, 1, replaced))
        return rows

    def _corrected(
        self, record: PairRecord, sentence1: str, sentence2: str, changed: int, replaced: List[Dict[str, Any]]
    ) -> PairRecord:
        note = {
            "remark": CORRECTED,
            "changed": f"sentence{changed}",
            "replaced": replaced,
            "original": {"id": record.id, f"sentence{changed}": getattr(record, f"sentence{changed}")},
        }
        return PairRecord(
            sentence1,
            sentence2,
            label=record.label,
            label_source="rule",
            generator=record.generator,
            source_id=record.source_id,
            evidence={**record.evidence, "correct": self._note(note)},
        )

    def _relabel(self, record: PairRecord, found: List[Difference], why: str, deviation: Optional[float]) -> Outcome:
        note = {
            "remark": RELABELLED,
            "why": why,
            "differences": [difference.to_dict() for difference in found],
            "original": {"label": record.label, "label_source": record.label_source},
        }
        row = replace(
            record, label=0, label_source="rule", evidence={**record.evidence, "correct": self._note(note, deviation)}
        )
        return Outcome(RELABELLED, record, [row], found)

    def _keep(
        self, record: PairRecord, found: List[Difference], why: str, deviation: Optional[float] = None
    ) -> Outcome:
        note: Dict[str, Any] = {"remark": CONSISTENT, "why": why}
        if found:
            note["differences"] = [difference.to_dict() for difference in found]
        row = replace(record, evidence={**record.evidence, "correct": self._note(note, deviation)})
        return Outcome(CONSISTENT, record, [row], found)

    def _note(self, note: Dict[str, Any], deviation: Optional[float] = None) -> Dict[str, Any]:
        if deviation is not None:
            note["ld"] = round(deviation, 6)
        return {**note, "model": self.model}


def correct_records(
    records: Iterable[PairRecord], nlp: Language, settings: Optional[CorrectSettings] = None, *, batch_size: int = 128
) -> Iterator[Outcome]:
    """Correct or relabel the pairs that are called paraphrases; the others pass through as they are.

    records (Iterable[PairRecord]): The pairs. Only those with label 1 are looked at.
    nlp (Language): A pipeline with an entity recogniser, and a lemmatizer if there is an LD guard.
    settings (Optional[CorrectSettings]): What is compared and corrected.
    batch_size (int): How many sentences go through the pipeline at once.
    RETURNS (Iterator[Outcome]): One for each pair, in the order of the input.
    """
    settings = settings or CorrectSettings()
    name = pipeline_name(nlp)
    check_pipeline(nlp, settings, name)
    return _outcomes(iter(records), nlp, Corrector(settings, name), batch_size)


@dataclass
class CorrectJob:
    """Correct pairs.

    settings (CorrectSettings): What is compared and corrected.
    model (Optional[str]): The spaCy pipeline; None for the English one that is installed.
    batch_size (int): How many sentences go through the pipeline at once.
    """

    settings: CorrectSettings
    model: Optional[str] = None
    batch_size: int = 128
    chunk: int = CHUNK

    def start(self) -> "CorrectWorker":
        return CorrectWorker(self)


class CorrectWorker:
    def __init__(self, job: CorrectJob) -> None:
        # Lemmas and entities need no parser.
        self.nlp = load_pipeline(job.model, exclude=["parser"])
        name = pipeline_name(self.nlp)
        check_pipeline(self.nlp, job.settings, name)
        self.corrector = Corrector(job.settings, name)
        self.batch_size = job.batch_size

    def __call__(self, records: Sequence[PairRecord]) -> List[Union[Outcome, PawsError]]:
        """What comes of each pair, or what is wrong with it."""
        wrong = [too_long(record.sentence1) or too_long(record.sentence2) for record in records]
        good = [record for record, error in zip(records, wrong) if error is None]
        with self.nlp.memory_zone():
            outcomes = iter(_correct_chunk(good, self.nlp, self.corrector, self.batch_size))
        return [error or next(outcomes) for error in wrong]


def correct_pairs(
    source: str,
    output: str,
    job: CorrectJob,
    *,
    layout: Optional[str] = None,
    limit: Optional[int] = None,
    format: Optional[str] = None,
    **frame: Any,
) -> Tuple[Summary, Tally, List[str]]:
    """Correct the pairs of a source and write what comes of them.

    source (str): The pairs: see `open_pairs`.
    output (str): A file, or "-".
    job (CorrectJob): How they are corrected.
    layout (Optional[str]): The layout of the source; None to guess it.
    limit (Optional[int]): How many rows are read.
    format (Optional[str]): What a pipe gets: "jsonl", "tsv", "csv" or "parquet".
    **frame: How the run works: see `RunOptions`.
    RETURNS (Tuple[Summary, Tally, List[str]]): What came of the pairs, of the rows, and remarks.
    """
    file_format(output, format)
    check_outputs([source], [output])
    opened = open_pairs(source, layout)
    summary = Summary()
    remarks: List[str] = []

    def finish(values: Iterable[Any], place: str) -> int:
        found = 0
        with RecordWriter(place, format) as writer:
            for value in filter(None, values):
                records = [PairRecord(**data) for data in value["records"]]
                summary.count(value["kind"], records, value["types"])
                found += 1
                for record in records:
                    writer.write(record)
        remarks.extend(writer.remarks)
        return found

    run = Run(
        "correct",
        job,
        [source],
        output,
        {**asdict(job), "layout": layout, "limit": limit},
        value=_plain_outcome,
        finish=finish,
        unit="pairs",
    )
    rows = check_language(islice(opened, limit), language_of(job.model, "en"))
    tally = run(rows, total=limit, meter=opened.meter, **frame)
    return summary, tally, remarks


def _plain_outcome(_: Any, outcome: Outcome) -> Dict[str, Any]:
    """An outcome as plain data."""
    records = [record.to_dict() for record in outcome.records]
    return {"kind": outcome.kind, "records": records, "types": [found.label for found in outcome.differences]}


def _outcomes(stream: Iterator[PairRecord], nlp: Language, corrector: Corrector, batch_size: int) -> Iterator[Outcome]:
    while chunk := list(islice(stream, CHUNK)):
        with nlp.memory_zone():
            outcomes = _correct_chunk(chunk, nlp, corrector, batch_size)
        yield from outcomes


def _correct_chunk(chunk: List[PairRecord], nlp: Language, corrector: Corrector, batch_size: int) -> List[Outcome]:
    # Each sentence by itself: in one Doc the recogniser would see one through the other.
    texts = []
    for record in chunk:
        if record.label == 1:
            texts += [record.sentence1.translate(TYPOGRAPHY), record.sentence2.translate(TYPOGRAPHY)]
    docs = nlp.pipe(texts, batch_size=batch_size)
    outcomes = []
    for record in chunk:
        if record.label == 1:
            outcomes.append(corrector.correct(record, next(docs), next(docs)))
        else:
            outcomes.append(Outcome(PASSED, record, [_passed(record)], []))
    return outcomes


def _passed(record: PairRecord) -> PairRecord:
    why = "it has no label" if record.label is None else "it is not called a paraphrase"
    return replace(record, evidence={**record.evidence, "correct": {"remark": PASSED, "why": why}})


def resolve_types(types: Sequence[str]) -> Optional[Collection[str]]:
    """Entity labels from groups and labels; None stands for all."""
    labels: List[str] = []
    for name in types:
        group = TYPE_GROUPS.get(name, (name,))
        if group is None:
            return None
        labels += group
    return frozenset(labels)


def pipeline_name(nlp: Language) -> str:
    """The name and version of a pipeline, as the evidence tells them."""
    return f"{nlp.lang}_{nlp.meta.get('name', '')}-{nlp.meta.get('version', '')}"


def check_pipeline(nlp: Language, settings: CorrectSettings, name: str) -> None:
    """Raise our error where a pipeline cannot do what the settings ask for."""
    setters = [pipe for pipe in nlp.pipe_names if "doc.ents" in nlp.get_pipe_meta(pipe).assigns]
    if not setters:
        raise PawsError(Errors.P122.format(name=name))
    if settings.ld_guard and not any("token.lemma" in nlp.get_pipe_meta(pipe).assigns for pipe in nlp.pipe_names):
        raise PawsError(Errors.P124.format(name=name))
    known = {label for pipe in setters for label in getattr(nlp.get_pipe(pipe), "labels", ())}
    for option, types in (("--types", settings.types), ("--compare", settings.compare)):
        labels = resolve_types(types) or ()
        for label in sorted(labels):
            if known and label not in known:
                raise PawsError(
                    Errors.P123.format(name=name, label=label, known=", ".join(sorted(known)), option=option)
                )


def _same(*texts: str) -> bool:
    """Whether the texts are the same two by two, but for capitals and white space."""
    plain = [normalise(text).casefold() for text in texts]
    return plain[::2] == plain[1::2]
