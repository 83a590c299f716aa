"""The generator `t5_paraphrase`: sampled paraphrases, chosen by how far words move and how many are new.

Section 5.3 of the paper on word position deviation (WPD) and lexical deviation (LD): a T5 that was trained on MRPC-R1
and PAWS writes paraphrases, and the two metrics choose among them.
"""

from typing import Annotated, List, Literal, Optional, Sequence

from pydantic import Field
from spacy.language import Language
from spacy.tokens import Doc

from paws_components.plugin import Candidate, Measurer, PairRecord, measure_with, normalise

from .schedule import Round
from .seq2seq import PROMPT, Paraphraser

Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]


class T5Paraphrase:
    """Samples paraphrases and keeps those within ranges of WPD and LD: structural ones, lexical ones, or both.

    nlp (Language): The pipeline; its lemmas are compared.
    model (str): A sequence-to-sequence model of transformers: a name on the hub or a folder, such as what
        `paws apt train --loss cross-entropy` wrote.
    prompt (str): What the model is given; {sentence} stands for the sentence.
    samples (int): How many samples a sentence gets.
    top_k (int), top_p (float): How they are drawn.
    min_wpd (float), max_wpd (float): How far words must and may move (word position deviation).
    min_ld (float), max_ld (float): How many words must and may be others (lexical deviation).
    sort (Optional[str]): "wpd" or "ld" to begin with the lowest, "-wpd" or "-ld" with the highest; None as drawn.
    n_best (Optional[int]): How many a sentence gets at most; None for all.
    batch_size (int): How many sentences go through the model at once, each with all its samples.
    max_length (int): The most tokens of a sentence with its prompt, and of a paraphrase.
    device (Optional[str]): Where the model runs; None follows spaCy.
    seed (int): Of the draws.
    """

    def __init__(
        self,
        nlp: Language,
        *,
        model: str,
        prompt: str = PROMPT,
        samples: Count = 20,
        top_k: Count = 120,
        top_p: Annotated[float, Field(gt=0, le=1)] = 0.95,
        min_wpd: Share = 0.0,
        max_wpd: Share = 1.0,
        min_ld: Share = 0.0,
        max_ld: Share = 1.0,
        sort: Optional[Literal["wpd", "-wpd", "ld", "-ld"]] = None,
        n_best: Optional[Count] = None,
        batch_size: Count = 16,
        max_length: Count = 256,
        device: Optional[str] = None,
        seed: int = 0,
    ) -> None:
        self.nlp = nlp
        self.paraphraser = Paraphraser(
            model, prompt=prompt, batch_size=batch_size, max_length=max_length, device=device, seed=seed
        )
        self.round = Round(1, samples, top_k, top_p)
        self.ranges = {"wpd": (min_wpd, max_wpd), "ld": (min_ld, max_ld)}
        self.sort = sort
        self.n_best = n_best
        self.measure = Measurer(["wpd", "ld"])
        self.evidence = {"paraphraser": model}

    def __call__(self, docs: Sequence[Doc]) -> List[List[Candidate]]:
        """The paraphrases of each Doc that are of the wanted kind."""
        texts = [normalise(doc.text) for doc in docs]
        drawn = [_distinct(text, found) for text, found in zip(texts, self.paraphraser(texts, self.round))]
        pairs = [PairRecord(text, sample) for text, found in zip(texts, drawn) for sample in found]
        # Through what makes lemmas, and nothing else of the pipeline: the component that this is in does not run.
        scores = measure_with(self.measure, pairs, nlp=self.nlp)
        return [self.choose_among([{"text": sample, **next(scores)} for sample in found]) for found in drawn]

    def choose_among(self, candidates: Sequence[Candidate]) -> List[Candidate]:
        """The candidates within the ranges, sorted, and no more than are wanted."""
        kept = [
            candidate
            for candidate in candidates
            if all(low <= candidate[name] <= high for name, (low, high) in self.ranges.items())
        ]
        if self.sort is not None:
            name, falling = self.sort.removeprefix("-"), self.sort.startswith("-")
            kept.sort(key=lambda candidate: float(candidate[name]), reverse=falling)
        return kept[: self.n_best]


def _distinct(source: str, samples: Sequence[str]) -> List[str]:
    """The different samples, without copies of the source."""
    return [text for text in dict.fromkeys(samples) if text and text.casefold() != source.casefold()]
