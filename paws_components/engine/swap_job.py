"""Word swapping as a job for the engine."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence

from spacy.language import Language

from .. import __version__
from ..models import load_pipeline
from ..records import PairRecord, stable_id
from .local import Worker

# The swapper needs tags and entities; parsing and lemmatising would double the time.
UNUSED = ["parser", "lemmatizer", "senter", "textcat", "trainable_lemmatizer", "morphologizer"]
GENERATOR = "word_swap"


@dataclass
class SwapJob:
    """Find the word swaps of texts.

    model (Optional[str]): The spaCy pipeline; None for the English one that is installed.
    config (Dict[str, Any]): The config of `paws_swapper`.
    sentences (bool): Cut each text into sentences and swap within each.
    batch_size (int): How many Docs go through the pipeline at once.
    seed (int): Kept in the evidence, and set before the work begins.
    """

    model: Optional[str] = None
    config: Dict[str, Any] = field(default_factory=dict)
    sentences: bool = False
    batch_size: int = 128
    seed: int = 0

    def start(self) -> Worker:
        return SwapWorker(self)


class SwapWorker:
    def __init__(self, job: SwapJob) -> None:
        from spacy.util import fix_random_seed

        fix_random_seed(job.seed)
        self.job = job
        self.nlp = load_pipeline(job.model, exclude=UNUSED)
        self.splitter: Optional[Language] = None
        if job.sentences:
            self.splitter = type(self.nlp)()
            self.splitter.add_pipe("sentencizer")
        self.nlp.add_pipe("paws_swapper", config=job.config)
        meta = self.nlp.meta
        lm = job.config.get("lm")
        self.evidence = {
            "lm": f"embedded/{self.nlp.lang}" if lm is None else lm.get("path") or lm.get("name"),
            "model": f"{meta['lang']}_{meta['name']}-{meta['version']}",
            "seed": job.seed,
            "version": __version__,
        }
        if job.config.get("rescorer"):
            self.evidence["rescorer"] = job.config["rescorer"].get("name")

    def __call__(self, texts: Sequence[str]) -> List[List[PairRecord]]:
        with self.nlp.memory_zone():
            if self.splitter is None:
                return [self._records(doc.text, doc._.paws_swaps) for doc in self._pipe(texts)]
            parts = [[sent.text.strip() for sent in self.splitter(text).sents] for text in texts]
            docs = iter(list(self._pipe([sentence for part in parts for sentence in part])))
            return [
                [record for _ in part for doc in (next(docs),) for record in self._records(doc.text, doc._.paws_swaps)]
                for part in parts
            ]

    def _pipe(self, texts: Sequence[str]):
        return self.nlp.pipe(texts, batch_size=self.job.batch_size)

    def _records(self, source: str, swaps: List[Dict[str, Any]]) -> List[PairRecord]:
        source_id = stable_id(source)
        records = []
        for swap in swaps:
            evidence = {key: value for key, value in swap.items() if key != "text"}
            records.append(
                PairRecord(
                    source,
                    swap["text"],
                    generator=GENERATOR,
                    source_id=source_id,
                    evidence={**evidence, **self.evidence},
                )
            )
        return records
