"""Generating as a job for the engine: texts in, pairs out, whatever the generator."""

from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Union

from spacy.language import Language

from .. import __version__
from ..engine.frame import Run, Tally, is_folder
from ..engine.pool import CHUNK
from ..engine.timing import timed
from ..errors import PawsError
from ..models import language_of, load_with, tokenizer_of, too_long
from ..pairs import pair_text
from ..plugins import Registration, host
from ..readers import open_pairs, open_texts
from ..readers.language import check_language
from ..records import PairRecord, stable_id
from ..settings import parameters, validate
from ..writers import FolderWriter, RecordWriter, check_outputs, file_format
from .protocol import Candidate, Generator, ask

# A text, or a pair of which both sentences are worked on.
Source = Union[str, PairRecord]
Chooser = Callable[[Iterable[PairRecord]], Callable[[PairRecord], bool]]


@dataclass
class GenerateJob:
    """Have a generator make pairs from texts.

    generator (str): Its name.
    settings (Dict[str, Any]): Its settings.
    model (Optional[str]): The spaCy pipeline; None for the default of the language, or a blank one if that will do.
    lang (str): The language.
    sentences (bool): Cut each text into sentences first.
    batch_size (int): How many Docs go through the pipeline at once.
    seed (int): Kept in the evidence, set before the work begins, and given to a generator that has a setting `seed`.
    """

    generator: str = "word_swap"
    settings: Dict[str, Any] = field(default_factory=dict)
    model: Optional[str] = None
    lang: str = "en"
    sentences: bool = False
    batch_size: int = 128
    seed: int = 0

    @property
    def registration(self) -> Registration:
        """The generator as its plugin registered it."""
        return host().find("generators", self.generator)

    def check(self) -> None:
        """Our error for a generator or a setting that there is not, before any work begins."""
        found = host().require("generators", self.generator)
        validate(f"generator {self.generator!r}", found.maker, self.settings, 1)

    def start(self) -> "GenerateWorker":
        return GenerateWorker(self, load_with(self.registration.needs, self.model, lang=self.lang))

    def make(self, nlp: Language) -> Generator:
        made: Generator = host().make("generators", self.generator, self.seeded, nlp)
        return made

    @property
    def seeded(self) -> Dict[str, Any]:
        """The settings, with the seed where the generator has a setting for it."""
        seeds = any(parameter.name == "seed" for parameter in parameters(self.registration.maker, 1))
        return {**({"seed": self.seed} if seeds else {}), **self.settings}

    @property
    def language(self) -> str:
        """The language of the pipeline, as far as its name tells."""
        return language_of(self.model, self.lang)

    @property
    def chunk(self) -> int:
        """How many texts the generator wants at once."""
        return self.registration.chunk or CHUNK

    def chooser(self) -> Optional[Chooser]:
        """How the generator chooses among all pairs of a run, if it does."""
        found = self.registration
        if found.choose is None:
            return None
        defaults = {p.name: p.default for p in parameters(found.maker, 1) if p.default is not p.empty}
        checked = validate(f"generator {self.generator!r}", found.maker, self.seeded, 1)
        return partial(found.choose, settings={**defaults, **checked})


class GenerateWorker:
    def __init__(self, job: GenerateJob, nlp: Language) -> None:
        from spacy.util import fix_random_seed

        fix_random_seed(job.seed)
        self.job = job
        self.nlp = nlp
        self.splitter: Optional[Language] = None
        if job.sentences:
            self.splitter = tokenizer_of(nlp)
            self.splitter.add_pipe("sentencizer")
            # A tokenizer alone needs little memory; how long a sentence may be is checked after it.
            self.splitter.max_length = 10**9
        self.generator = job.make(nlp)
        meta = nlp.meta
        self.evidence = {
            **getattr(self.generator, "evidence", {}),
            "model": f"{meta['lang']}_{meta['name']}-{meta['version']}"
            if nlp.pipe_names
            else f"{meta['lang']} (blank)",
            "seed": job.seed,
            "version": __version__,
        }

    def __call__(self, sources: Sequence[Source]) -> List[Union[List[PairRecord], PawsError]]:
        """The pairs that the generator makes of each source, or what is wrong with it."""
        with self.nlp.memory_zone():
            with timed("pipeline"):
                parts = [self._parts(source) for source in sources]
            wrong = [next(filter(None, map(too_long, found)), None) for found in parts]
            flat = [part for found, error in zip(parts, wrong) if error is None for part in found]
            with timed("pipeline"):
                docs = list(self.nlp.pipe(flat, batch_size=self.job.batch_size))
            with timed("generate"):
                candidates = iter(ask(self.generator, self.job.generator, docs))
            return [
                error or [record for part in found for record in self._records(part, next(candidates), source)]
                for source, found, error in zip(sources, parts, wrong)
            ]

    def _parts(self, source: Source) -> List[str]:
        """What of a source goes to the generator by itself: its sentences, the two sides of a pair, or all of it."""
        if isinstance(source, PairRecord):
            sides = (source.sentence1, source.sentence2)
            return [pair_text(*sides)] if self.job.registration.takes_pairs else list(sides)
        if self.splitter is not None:
            return [sent.text.strip() for sent in self.splitter(source).sents]
        return [source]

    def _records(self, part: str, candidates: List[Candidate], source: Source) -> List[PairRecord]:
        records = []
        for candidate in candidates:
            evidence = {key: value for key, value in candidate.items() if key not in ("text", "source")}
            record = PairRecord(
                candidate.get("source", part),
                candidate["text"],
                generator=self.job.generator,
                source_id=stable_id(part),
                evidence={**evidence, **self.evidence},
            )
            if isinstance(source, PairRecord):
                # What comes of a pair belongs to its source, and tells which pair that was and how it was labelled.
                record.source_id = source.source_id
                record.evidence.update(pair_id=source.id, pair_label=source.label)
            records.append(record)
        return records


@dataclass
class Generated:
    """What came of a run.

    tally (Tally): Of the rows.
    pairs (int): How many pairs were written.
    candidates (int): How many the generator made; more than the pairs where it chose among them.
    chosen (bool): Whether it did.
    remarks (List[str]): What there is to tell of the output.
    """

    tally: Tally = field(default_factory=Tally)
    pairs: int = 0
    candidates: int = 0
    chosen: bool = False
    remarks: List[str] = field(default_factory=list)


def generate_pairs(
    job: GenerateJob,
    inputs: Sequence[str],
    output: str,
    *,
    of_pairs: bool = False,
    layout: Optional[str] = None,
    field: str = "text",
    skip: int = 0,
    limit: Optional[int] = None,
    format: Optional[str] = None,
    **frame: Any,
) -> Generated:
    """Run a generator over sources of texts, or of pairs, and write the pairs that it makes.

    job (GenerateJob): The generator.
    inputs (Sequence[str]): The sources: see `open_texts` and `open_pairs`.
    output (str): A file, a folder (its name ends in /), or "-".
    of_pairs (bool): Whether the sources hold pairs, and `layout` says how; else `field` holds the text.
    skip (int), limit (Optional[int]): How many rows are left out at first, and how many are read then.
    format (Optional[str]): What a pipe or a folder gets: "jsonl", "tsv", "csv" or "parquet".
    **frame: How the run works: see `RunOptions`.
    RETURNS (Generated): What came of it.
    """
    job.check()
    check_outputs(inputs, [output])
    in_folder = is_folder(output)
    file_format("-" if in_folder else output, format)
    opened = [open_pairs(path, layout) for path in inputs] if of_pairs else [open_texts(inputs, field)]
    rows: Iterable[Any] = islice(chain.from_iterable(opened), skip, None if limit is None else skip + limit)
    chooser = job.chooser()
    done = Generated()

    def finish(values: Iterable[Any], place: str) -> int:
        found = 0
        done.candidates = done.pairs = 0
        keep = chooser(records_of(values)) if chooser else None
        with FolderWriter(Path(place), format) if in_folder else RecordWriter(place, format) as writer:
            for value in values:
                records = [PairRecord(**data) for data in value or ()]
                kept = [record for record in records if keep is None or keep(record)]
                done.candidates += len(records)
                found += bool(kept)
                for record in kept:
                    writer.write(record)
        done.pairs, done.remarks = writer.count, writer.remarks
        return found

    settings = {"of_pairs": of_pairs, "layout": layout, "field": field, "skip": skip, "limit": limit}
    run = Run(
        "generate",
        job,
        inputs,
        output,
        {**asdict(job), "plugin": host().origin("generators", job.generator), **settings},
        value=lambda _, records: [record.to_dict() for record in records],
        finish=finish,
        unit="rows" if of_pairs else "lines",
        outcome="with pairs",
        streams=chooser is None,
    )
    meter = opened[0].meter if len(opened) == 1 and limit is None else None
    done.tally = run(check_language(rows, job.language), meter=meter, total=limit, **frame)
    done.chosen = chooser is not None
    return done


def records_of(values: Iterable[Any]) -> Iterator[PairRecord]:
    """The records in the values of a run."""
    return (PairRecord(**data) for value in values for data in value or ())
