"""A run of attacks: a corpus in, an outcome for each sampled example and a report out."""

import hashlib
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Collection, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence

from spacy.language import Language
from tqdm import tqdm

from paws_components.plugin import Errors as PawsErrors
from paws_components.plugin import (
    PairRecord,
    PawsError,
    RecordWriter,
    Run,
    Target,
    TestSet,
    check_outputs,
    file_format,
    load_target,
    load_with,
    read_test_set,
    says_paraphrase,
    setting_differences,
    use_cache,
    use_gpu,
)
from paws_components.plugin import Tally as Rows

from . import __version__
from .errors import Errors
from .examples import prepare_examples, sample_examples
from .positions import DEFAULT_STOP_WORDS
from .report import Report, Tally, summarise
from .search import SUCCEEDED, Outcome, Settings, attack
from .sentences import read_sentence
from .substitutes import Context, MaskedSubstitutes, Substitutes, one_token

GENERATOR = "shared_words"
CHUNK = 32
# How many pairs of a whole corpus are held at once.
AT_ONCE = 4096


@dataclass
class Attacker:
    """All that an attack needs besides the examples.

    target (Target): The classifier.
    substitutes (Substitutes): Proposes words.
    nlp (Language): A pipeline with a tagger.
    stop_words (Collection[str]): Words, in lower case, that are never replaced.
    settings (Settings): How far the search goes.
    """

    target: Target
    substitutes: Substitutes
    nlp: Language
    stop_words: Collection[str]
    settings: Settings

    def __call__(self, records: Sequence[PairRecord]) -> List[Outcome]:
        """An outcome for each pair."""
        examples = prepare_examples(records, self.nlp, self.stop_words)
        return attack(examples, self.target, self.substitutes, self.settings)


@dataclass
class AttackJob:
    """Attack pairs.

    target (str): The classifier: see `load_target`, whose `positive_label`, `blank` and `batch_size` these are.
    mlm (str): The masked language model that proposes words.
    search (Settings): How far the search goes.
    context (str): What the language model sees: each "sentence" by itself, or both as a "pair".
    model (Optional[str]): The spaCy pipeline that cuts and tags; None for the installed English one.
    stop_words (Optional[str]): A file of words that stay; None for spaCy's list.
    gpu_id (int): The GPU; -1 for none.
    cache (Optional[str]): The folder that keeps the target's answers; None for none.
    chunk (int): How many examples are attacked together. A model's scores depend on the batch they are computed in by
        about 1e-7: examples share batches within a chunk, and a run that goes on repeats a whole chunk.
    """

    target: str
    mlm: str
    search: Settings
    context: Context = "sentence"
    model: Optional[str] = None
    stop_words: Optional[str] = None
    positive_label: Optional[str] = None
    blank: Optional[str] = None
    batch_size: Optional[int] = None
    gpu_id: int = -1
    cache: Optional[str] = None
    chunk: int = CHUNK

    def start(self) -> Attacker:
        return self.attacker

    @cached_property
    def attacker(self) -> Attacker:
        """The models, loaded once."""
        stop_words = read_stop_words(self.stop_words)
        use_gpu(self.gpu_id)
        if self.cache is not None:
            use_cache(self.cache)
        nlp = load_with(["tagger", "attribute_ruler"], self.model)
        target = load_target(
            self.target, positive_label=self.positive_label, blank=self.blank, batch_size=self.batch_size
        )
        substitutes = MaskedSubstitutes(self.mlm, context=self.context, stop_words=stop_words, keep=one_token(nlp))
        return Attacker(target, substitutes, nlp, stop_words, self.search)

    def __getstate__(self) -> Dict[str, Any]:
        # Each process loads its own models.
        return {name: value for name, value in self.__dict__.items() if name != "attacker"}

    def to_dict(self) -> Dict[str, Any]:
        """What the outcomes depend on."""
        names = ("target", "mlm", "context", "model", "stop_words", "positive_label", "blank", "batch_size", "chunk")
        return {**{name: getattr(self, name) for name in names}, **self.search.to_dict()}


class Sampled(NamedTuple):
    """An example as the engine takes it: the pair, and its place in the sample."""

    path: str
    number: int
    payload: PairRecord
    reason: Optional[str] = None
    broke_off: bool = False

    @property
    def raw(self) -> str:
        return written(self.payload)

    @property
    def notes(self) -> List[str]:
        return []


class Attacked(NamedTuple):
    """What came of a run: the report, what became of the examples, and the corpus that they are from."""

    report: Report
    tally: Rows
    corpus: TestSet


def attack_pairs(
    job: AttackJob,
    corpus: str,
    output: str,
    *,
    positives: int = 500,
    negatives: int = 500,
    seed: int = 0,
    full: bool = True,
    shown: int = 10,
    layout: Optional[str] = None,
    limit: Optional[int] = None,
    others: Sequence[str] = (),
    **frame: Any,
) -> Attacked:
    """Attack examples of a corpus, and write every outcome as a record.

    job (AttackJob): The attack.
    corpus (str): The labelled pairs: see `open_pairs`, whose `layout` this is.
    output (str): The JSONL file of the outcomes, or "-".
    positives (int), negatives (int), seed (int): Of the sample.
    full (bool): Whether to ask the target about the whole corpus too.
    shown (int): How many outcomes the report shows.
    limit (Optional[int]): How many rows of the corpus are read.
    others (Sequence[str]): What else will be written.
    **frame: How the run works: see `RunOptions`.
    RETURNS (Attacked): What came of it.
    """
    if not positives and not negatives:
        raise PawsError(Errors.S004)
    file_format(output, None, (".jsonl",))
    inputs = [corpus, *([job.stop_words] if job.stop_words else [])]
    check_outputs(inputs, [output, *others])
    read_stop_words(job.stop_words)
    found = read_test_set("corpus", corpus, layout, limit)
    pairs = [record for record in found.records if record.label in (0, 1)]
    examples = sample_examples(pairs, positives, negatives, seed)
    sample = {"corpus": digest(pairs), "positives": positives, "negatives": negatives, "seed": seed}
    settings = {**job.to_dict(), **sample}
    whole: Dict[str, Any] = {}
    reports: List[Report] = []

    def rows() -> Iterator[Sampled]:
        # Asked when the run begins, within its frame: whatever ends it there leaves it as it was.
        notes = run.folder.notes if run.folder is not None else {}
        # What a folder holds as the run begins: the models in it may be trained again before it goes on.
        models = {"target": digest_of_model(job.target), "mlm": digest_of_model(job.mlm)}
        other = list(setting_differences(notes.get("models", models), models))
        if other and run.folder is not None:
            raise PawsError(PawsErrors.P030.format(path=str(run.folder.path), differences="\n".join(other)))
        if full and "full" not in notes:
            if not frame.get("quiet"):
                tqdm.write(f"paws: asking about all {len(pairs):,} pairs of {corpus}", file=sys.stderr)
            whole.update(judge_all(job.attacker.target, job.attacker.nlp, pairs).to_dict())
        elif full:
            whole.update(notes["full"])
        known = {"models": models, **({"full": whole} if full else {})}
        if run.folder is not None and not set(known) <= set(notes):
            run.folder.note(**known)
        for number, record in enumerate(examples, 1):
            yield Sampled(corpus, number, record)

    def finish(values: Iterable[Any], place: str) -> int:
        with RecordWriter(place) as writer:
            reports.append(summarise(_copied(values, writer), settings, whole, shown))
        return writer.count

    run = Run(
        "attack",
        job,
        inputs,
        output,
        settings,
        value=lambda _, outcome: outcome_record(outcome).to_dict(),
        finish=finish,
        unit="examples",
        outcome=SUCCEEDED,
        counts=lambda value: bool(value["evidence"]["status"] == SUCCEEDED),
        # Attacks take hours: the same command again only reports anew.
        keeps=True,
        others=others,
    )
    tally = run(rows(), total=len(examples), **frame)
    return Attacked(reports[-1], tally, found)


def _copied(values: Iterable[Any], writer: RecordWriter) -> Iterator[PairRecord]:
    """The outcomes of a run, each written on its way."""
    for value in values:
        record = PairRecord(**value)
        writer.write(record)
        yield record


def read_stop_words(path: Optional[str]) -> Collection[str]:
    """The words of a file, or spaCy's."""
    if path is None:
        return DEFAULT_STOP_WORDS
    try:
        return frozenset(Path(path).read_text(encoding="utf8").lower().split())
    except (OSError, UnicodeDecodeError) as error:
        raise PawsError(PawsErrors.P020.format(path=path, reason=error)) from error


def outcome_record(outcome: Outcome) -> PairRecord:
    """An outcome as a pair: the modification, or the example itself if it was skipped. The label is the example's."""
    source = outcome.example.record
    first, second = outcome.pair
    evidence: Dict[str, Any] = {
        **source.evidence,
        "status": outcome.status,
        **({"reason": outcome.reason} if outcome.reason else {}),
        "original": [outcome.example.first.text, outcome.example.second.text],
        "changes": [change._asdict() for change in outcome.changes],
        "original_words": [list(sentence.words) for sentence in outcome.example.pair],
        "words": [list(sentence.words) for sentence in outcome.pair],
        "spaces": [[int(space) for space in sentence.spaces] for sentence in outcome.pair],
        "score_before": outcome.before,
        "score_after": outcome.after,
        "right_before": outcome.right_before,
        "right_after": outcome.right_after,
        "queries": outcome.queries,
        "cached": outcome.cached,
        "pair_id": source.id,
        "version": __version__,
    }
    return PairRecord(
        first.text,
        second.text,
        label=outcome.example.label,
        label_source="rule" if outcome.changes else source.label_source,
        generator=GENERATOR,
        source_id=source.source_id,
        evidence=evidence,
    )


def judge_all(target: Target, nlp: Language, records: Sequence[PairRecord]) -> Tally:
    """Ask a target about every pair of a corpus, as its words stand there.

    target (Target): The classifier.
    nlp (Language): Whose tokenizer cuts the sentences.
    records (Sequence[PairRecord]): The pairs.
    RETURNS (Tally): How many answers are right.
    """
    tally = Tally()
    for start in range(0, len(records), AT_ONCE):
        part = records[start : start + AT_ONCE]
        with nlp.memory_zone():
            pairs = [(read_sentence(nlp, each.sentence1), read_sentence(nlp, each.sentence2)) for each in part]
        # Pairs of like length share a batch.
        order = sorted(range(len(part)), key=lambda i: -(len(pairs[i][0].words) + len(pairs[i][1].words)))
        for i, probability in zip(order, target([pairs[i] for i in order])):
            tally.add(int(bool(part[i].label)), says_paraphrase(probability) == bool(part[i].label))
    return tally


def digest(records: Sequence[PairRecord]) -> str:
    """A hash of pairs with their labels."""
    found = hashlib.blake2b(digest_size=8)
    for record in records:
        found.update(f"{written(record)}\n".encode("utf8", "surrogatepass"))
    return found.hexdigest()


def digest_of_model(name: str) -> Optional[str]:
    """A hash of the files of a model in a folder; None for one that is known by its name."""
    if not Path(name).is_dir():
        return None
    found = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in Path(name).rglob("*") if path.is_file()):
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                found.update(block)
    return found.hexdigest()


def written(record: PairRecord) -> str:
    """A pair with its label on one line."""
    return f"{record.sentence1}\t{record.sentence2}\t{record.label}"
