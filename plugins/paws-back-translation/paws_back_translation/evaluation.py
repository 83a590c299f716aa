"""How good is a translator? BLEU, as sacrebleu computes it."""

import time
from typing import Any, Dict, Sequence

from paws_components.plugin import PawsError, Translator

from .errors import Errors, import_for


def bleu(
    translator: Translator, sources: Sequence[str], references: Sequence[str], source: str, target: str
) -> Dict[str, Any]:
    """Translate sentences, and compare the best translation of each with a reference.

    The text goes in and comes out raw: sacrebleu does its own tokenisation, which its signature names.

    translator (Translator): What translates.
    sources (Sequence[str]): Sentences.
    references (Sequence[str]): For each its translation.
    source (str), target (str): The two languages.
    RETURNS (Dict[str, Any]): bleu, its signature, sentences, untranslated (those with no translation, which count as
        empty ones) and seconds.
    """
    metrics = import_for("sacrebleu.metrics", "BLEU")
    if not sources or len(sources) != len(references):
        counts = f"There are {len(sources):,} sentences and {len(references):,}"
        raise PawsError(Errors.B041.format(counts=counts))
    began = time.perf_counter()
    found = translator.translate(sources, source, target, 1)
    seconds = time.perf_counter() - began
    measure = metrics.BLEU()
    score = measure.corpus_score([one[0].text if one else "" for one in found], [list(references)])
    return {
        "bleu": round(score.score, 2),
        "signature": str(measure.get_signature()),
        "sentences": len(sources),
        "untranslated": sum(not one for one in found),
        "seconds": round(seconds, 1),
    }
