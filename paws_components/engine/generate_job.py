"""Generating as a job for the engine: texts in, pairs out, whatever the generator."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence

import spacy
from spacy.language import Language

from .. import __version__
from ..generation.protocol import Candidate, Generator, ask
from ..models import load_with
from ..pairs import TAB
from ..plugins import Part, host
from ..records import PairRecord, stable_id
from ..settings import parameters, validate
from .local import CHUNK, Worker

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
    def part(self) -> Part:
        """The generator as its plugin registered it."""
        return host().find("generators", self.generator)

    def check(self) -> None:
        """Our error for a generator or a setting that there is not, before any work begins."""
        validate(f"generator {self.generator!r}", self.part.maker, self.settings, 1)

    def start(self) -> Worker:
        return GenerateWorker(self, load_with(self.part.needs, self.model, lang=self.lang))

    def make(self, nlp: Language) -> Generator:
        seeded = {"seed": self.seed} if any(p.name == "seed" for p in parameters(self.part.maker, 1)) else {}
        made: Generator = host().make("generators", self.generator, {**seeded, **self.settings}, nlp)
        return made

    @property
    def chunk(self) -> int:
        """How many texts the generator wants at once."""
        return int(getattr(self.part.maker, "chunk", CHUNK))

    def chooser(self) -> Optional[Chooser]:
        """How the generator chooses among all pairs of a run, if it does. Made here, where the run is."""
        if not hasattr(self.part.maker, "choose"):
            return None
        chooser: Chooser = self.make(spacy.blank(self.lang)).choose  # type: ignore[attr-defined]
        return chooser


class GenerateWorker:
    def __init__(self, job: GenerateJob, nlp: Language) -> None:
        from spacy.util import fix_random_seed

        fix_random_seed(job.seed)
        self.job = job
        self.nlp = nlp
        self.splitter: Optional[Language] = None
        if job.sentences:
            self.splitter = type(nlp)()
            self.splitter.add_pipe("sentencizer")
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

    def __call__(self, texts: Sequence[str]) -> List[List[PairRecord]]:
        with self.nlp.memory_zone():
            parts = [self._parts(text) for text in texts]
            flat = [part for found in parts for part in found]
            docs = list(self.nlp.pipe(flat, batch_size=self.job.batch_size))
            found = iter(ask(self.generator, self.job.generator, docs))
            return [[record for part in cut for record in self._records(part, next(found))] for cut in parts]

    def _parts(self, text: str) -> List[str]:
        """What of a line goes to the generator by itself: its sentences, the two sides of a pair, or all of it."""
        if getattr(self.generator, "takes_pairs", False):
            return [text]
        if self.splitter is not None:
            return [sent.text.strip() for sent in self.splitter(text).sents]
        return [part for part in text.split(TAB) if part]

    def _records(self, source: str, candidates: List[Candidate]) -> List[PairRecord]:
        records = []
        for candidate in candidates:
            evidence = {key: value for key, value in candidate.items() if key not in ("text", "source")}
            sentence1 = candidate.get("source", source)
            records.append(
                PairRecord(
                    sentence1,
                    candidate["text"],
                    generator=self.job.generator,
                    source_id=stable_id(source),
                    evidence={**evidence, **self.evidence},
                )
            )
        return records
