"""How many of the candidates of back translation are left after each of its steps."""

from typing import Any, Dict, Iterable, List, Optional

from spacy.util import minibatch

from paws_components.plugin import PairRecord, normalise

from .generator import BackTranslation
from .sampling import choose


def count_funnel(generator: BackTranslation, texts: Iterable[str], chunk: int = 64) -> Dict[str, Optional[float]]:
    """Count the candidates of sentences after each step.

    generator (BackTranslation): The generator, with its settings.
    texts (Iterable[str]): The sentences.
    chunk (int): How many are translated at once.
    RETURNS (Dict[str, Optional[float]]): `sentences`; `candidates` (what came back, of k * k per sentence and pivot);
        `distinct` (each text once, and not the source); `similar` (BOW cosine high enough); `sampled` (what a run
        keeps); `reordered` (the share of these with an inversion rate over the threshold) and
        `reordered_before_sampling`; `sentences_with_pairs`.
    """
    counts: Dict[str, Any] = {"sentences": 0, "candidates": 0, "distinct": 0, "similar": 0}
    records: List[PairRecord] = []
    for batch in minibatch((normalise(text) for text in texts), chunk):
        trips = generator.round_trips(batch)
        distinct = [generator.distinct(text, found) for text, found in zip(batch, trips)]
        similar = [generator.similar(found) for found in generator.measured(batch, distinct)]
        counts["sentences"] += len(batch)
        for name, found in (("candidates", trips), ("distinct", distinct), ("similar", similar)):
            counts[name] += sum(map(len, found))
        for text, candidates in zip(batch, similar):
            for one in generator.best(candidates):
                records.append(PairRecord(text, one["text"], generator="back_translation", evidence=one))
    stays = choose(records, generator.reordered_above, generator.reordered_share, generator.seed)
    kept = [record for record in records if stays(record)]
    reordered = sum(record.evidence["inversion_rate"] > generator.reordered_above for record in kept)
    return {
        **counts,
        "sampled": len(kept),
        "reordered": round(reordered / len(kept), 4) if kept else None,
        "reordered_before_sampling": round(reordered / len(records), 4) if records else None,
        "sentences_with_pairs": len({record.sentence1 for record in kept}),
    }
