"""A run of attacks: fixed chunks of examples, a checkpoint after each, an outcome a line."""

import hashlib
from dataclasses import dataclass
from typing import Any, Callable, Collection, Dict, Iterator, List, Optional, Sequence

from spacy.language import Language

from paws_components.records import PairRecord

from . import __version__
from .checkpoint import Checkpointed, Progress
from .examples import prepare_examples
from .report import Tally
from .search import FAILED, SKIPPED, SUCCEEDED, Outcome, Settings, attack
from .sentences import read_sentence
from .substitutes import Substitutes
from .targets import Target, says_paraphrase

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

    def __call__(self, records: Sequence[PairRecord], watch: Optional[Callable[[int], None]] = None) -> List[Outcome]:
        """An outcome for each pair."""
        examples = prepare_examples(records, self.nlp, self.stop_words)
        return attack(examples, self.target, self.substitutes, self.settings, watch)


def run_attack(
    attacker: Attacker,
    records: Sequence[PairRecord],
    file: Checkpointed,
    chunk: int = CHUNK,
    watch: Optional[Callable[[int], None]] = None,
) -> Iterator[Progress]:
    """Attack pairs, and write every outcome as a record.

    A model's scores depend on the batch they are computed in by about 1e-7: examples share batches within a chunk, and
    a run that goes on repeats a whole chunk.

    attacker (Attacker): Attacks.
    records (Sequence[PairRecord]): The pairs.
    file (Checkpointed): Where the outcomes go; pairs that are in it already are left out.
    chunk (int): How many examples are attacked together.
    watch (Optional[Callable]): See `attack`.
    YIELDS (Progress): How far it is, after every chunk.
    """
    for start in range(file.progress.done, len(records), chunk):
        outcomes = attacker(records[start : start + chunk], watch)
        file.write((outcome_record(outcome).to_dict() for outcome in outcomes), count(outcomes))
        yield file.progress


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


def count(outcomes: Sequence[Outcome]) -> Dict[str, int]:
    """How many came to what, and what that took."""
    counts = {status: sum(outcome.status == status for outcome in outcomes) for status in (SUCCEEDED, FAILED, SKIPPED)}
    counts["queries"] = sum(outcome.queries for outcome in outcomes)
    counts["cached"] = sum(outcome.cached for outcome in outcomes)
    return counts


def digest(records: Sequence[PairRecord]) -> str:
    """A hash of pairs with their labels."""
    found = hashlib.blake2b(digest_size=8)
    for record in records:
        text = f"{record.sentence1}\t{record.sentence2}\t{record.label}\n"
        found.update(text.encode("utf8", "surrogatepass"))
    return found.hexdigest()
