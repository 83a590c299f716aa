"""Corpora for the report: every row counted, a seeded sample kept."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Dict, Iterable, List, Optional, Tuple

from ..errors import Errors, PawsError
from ..readers import Row, open_pairs
from ..records import PairRecord
from .attempts import Similarities, note_attempt, recorded
from .text import encodable

LABELS: Dict[object, str] = {1: "paraphrase", 0: "not paraphrase", None: "no label"}


@dataclass
class Corpus:
    """A corpus as the report shows it.

    name (str): What it is called.
    path (str): Where it was read from.
    file (str): What can be read again; a pipe can't.
    records (List[PairRecord]): The pairs that are measured, in the order of the file.
    pairs (int): How many pairs the file holds.
    unreadable (int): How many of its rows are not pairs.
    labels (Counter): The labels of all its pairs.
    similarities (Dict[str, List[float]]): Where the pairs are attempts at the Adversarial Paraphrasing Task: what is
        recorded of all of them.
    """

    name: str
    path: str
    file: str = ""
    records: List[PairRecord] = field(default_factory=list)
    pairs: int = 0
    unreadable: int = 0
    labels: Counter = field(default_factory=Counter)
    similarities: Similarities = field(default_factory=dict)

    @property
    def sampled(self) -> bool:
        return len(self.records) < self.pairs

    def label_counts(self) -> List[Tuple[str, int]]:
        """The labels, paraphrases first and the unlabelled last."""
        judgements = sorted(set(self.labels) - set(LABELS.values()))
        order = [LABELS[1], LABELS[0], *judgements, LABELS[None]]
        return [(name, self.labels[name]) for name in order if self.labels[name]]


def read_corpus(name: str, path: str, sample: Optional[int], seed: int, layout: Optional[str] = None) -> Corpus:
    """Read a corpus, count all of it, and keep no more than a sample.

    name, path (str): What it is called and where it is.
    sample (Optional[int]): How many pairs to keep, every one being as likely as any other; None for all.
    seed (int): For the drawing of the sample.
    layout (Optional[str]): The layout of the file; None to find out.
    RETURNS (Corpus): The corpus.
    """
    opened = open_pairs(path, layout)
    corpus = Corpus(name, path, str(opened.path or path))
    _fill(corpus, opened, sample, seed)
    if not corpus.pairs:
        reason = f"{corpus.unreadable:,} rows can't be read" if corpus.unreadable else "it is empty"
        raise PawsError(Errors.P166.format(path=path, reason=reason))
    return corpus


def _record(row: Row) -> PairRecord:
    """The pair of a row. Records keep their evidence: what moved can be drawn as the generator tells it."""
    record = row.to_record()
    if row.fields is None:
        # The line, not the corpus's own id: that is what an editor finds.
        record = PairRecord(record.sentence1, record.sentence2, record.label, nli=record.nli)
        record.evidence = {"line": row.number, **recorded(row)}
    return record


def _fill(corpus: Corpus, rows: Iterable[Row], sample: Optional[int], seed: int) -> None:
    """Read the rows once and keep a sample of them (Vitter's algorithm R)."""
    random = Random(seed)
    kept: List[Tuple[int, PairRecord]] = []
    for row in rows:
        if not row.readable or row.missing:
            corpus.unreadable += 1
            if row.readable:
                # Somebody who wrote nothing made an attempt all the same.
                note_attempt(corpus.similarities, recorded(row), row.label if isinstance(row.label, int) else None)
            continue
        record = _record(row)
        corpus.labels[label_name(record)] += 1
        note_attempt(corpus.similarities, record.evidence, record.label)
        corpus.pairs += 1
        record.sentence1, record.sentence2 = encodable(record.sentence1), encodable(record.sentence2)
        if sample is None or len(kept) < sample:
            kept.append((corpus.pairs, record))
        else:
            place = random.randrange(corpus.pairs)
            if place < sample:
                kept[place] = (corpus.pairs, record)
    corpus.records = [record for _, record in sorted(kept, key=lambda entry: entry[0])]


def label_name(record: PairRecord) -> str:
    """The label of a pair in words."""
    return record.nli or LABELS[record.label]
