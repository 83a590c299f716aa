"""Back translation as a generator (PAWS, section 3.2)."""

from typing import Annotated, Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from pydantic import Field
from spacy.language import Language
from spacy.tokens import Doc

from paws_components.plugin import (
    Candidate,
    Measurer,
    PairRecord,
    Side,
    Translation,
    Translator,
    make_registered,
    normalise,
    timed,
)

from .sampling import choose

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class RoundTrip(NamedTuple):
    """A sentence that went to the pivot language and came back, with the scores of both ways."""

    text: str
    lang: str
    pivot: Translation
    score: Optional[float]


class BackTranslation:
    """Translates sentences to another language and back: much the same words, often in another order (PAWS, 3.2).

    nlp (Language): The pipeline; its tokenizer cuts sentences into the words that are compared.
    translator (str): Who translates: "marian", "ctranslate2", "apertium", or one that another plugin brings.
    translator_settings (Dict[str, Any]): Its settings; `paws plugins marian` lists them.
    source (Optional[str]): The language of the sentences; None takes that of the pipeline.
    pivots (List[str]): The languages to go by.
    k (int): How many translations each way: k * k candidates for each pivot.
    min_bow_cosine (float): How similar in words a candidate must be to its source.
    reordered_above (float): Above this inversion rate a candidate counts as reordered.
    reordered_share (float): How large a share of what a whole run keeps must be reordered, at the least; the others
        are drawn by a hash. 0 keeps all.
    per_sentence (Optional[int]): How many candidates a sentence gets at most, the most reordered first; None for all.
    seed (int): Of that hash.
    """

    def __init__(
        self,
        nlp: Language,
        *,
        translator: str = "marian",
        translator_settings: Dict[str, Any] = {},  # noqa: B006 - never changed
        source: Optional[str] = None,
        pivots: Annotated[List[str], Field(min_length=1)] = ["de"],  # noqa: B006
        k: Count = 5,
        min_bow_cosine: Share = 0.9,
        reordered_above: Share = 0.02,
        reordered_share: Share = 0.5,
        per_sentence: Optional[Count] = None,
        seed: int = 0,
    ) -> None:
        self.nlp = nlp
        self.translator: Translator = make_registered("translators", translator, translator_settings)
        self.source = source or nlp.lang or "en"
        self.pivots = pivots
        self.k = k
        self.min_bow_cosine = min_bow_cosine
        self.reordered_above = reordered_above
        self.reordered_share = reordered_share
        self.per_sentence = per_sentence
        self.seed = seed
        self.measure = Measurer(["bow_cosine", "inversion_rate"])
        self.evidence = {"translator": {"name": translator, **translator_settings}}

    def __call__(self, docs: Sequence[Doc]) -> List[List[Candidate]]:
        """The candidates of each Doc that are like it in words, in the order of the translations."""
        texts = [normalise(doc.text) for doc in docs]
        trips = [self.distinct(text, found) for text, found in zip(texts, self.round_trips(texts))]
        measured = self.measured(texts, trips)
        return [self.best(self.similar(candidates)) for candidates in measured]

    def round_trips(self, texts: Sequence[str]) -> List[List[RoundTrip]]:
        """Every sentence to every pivot language and back: for each text up to k * k a pivot, duplicates among them."""
        trips: List[List[RoundTrip]] = [[] for _ in texts]
        for lang in self.pivots:
            with timed("translate"):
                there = self.translator.translate(texts, self.source, lang, self.k)
                pivots = list(dict.fromkeys(pivot.text for found in there for pivot in found))
                back = dict(zip(pivots, self.translator.translate(pivots, lang, self.source, self.k)))
            for mine, found in zip(trips, there):
                for pivot in found:
                    mine.extend(RoundTrip(normalise(text), lang, pivot, score) for text, score in back[pivot.text])
        return trips

    def distinct(self, text: str, trips: Sequence[RoundTrip]) -> List[RoundTrip]:
        """The trips that came to something other than their source, each result once, by its first pivot."""
        found: Dict[str, RoundTrip] = {}
        for trip in trips:
            if trip.text and trip.text != text:
                found.setdefault(trip.text, trip)
        return list(found.values())

    def measured(self, texts: Sequence[str], trips: Sequence[List[RoundTrip]]) -> List[List[Candidate]]:
        """The trips as candidates, with BOW cosine and inversion rate."""
        sources = [self._side(text) for text in texts]
        pairs: List[Tuple[Side, Side]] = [
            (source, self._side(trip.text)) for source, found in zip(sources, trips) for trip in found
        ]
        scores = iter(self.measure(pairs))
        return [[{**_candidate(trip), **next(scores)} for trip in found] for found in trips]

    def similar(self, candidates: Sequence[Candidate]) -> List[Candidate]:
        """Those that are alike enough in words."""
        return [candidate for candidate in candidates if candidate["bow_cosine"] >= self.min_bow_cosine]

    def best(self, candidates: List[Candidate]) -> List[Candidate]:
        """As many as a sentence may have. Sorting is stable: among equals the better translation comes first."""
        if self.per_sentence is None:
            return candidates
        return sorted(candidates, key=_inversion_rate, reverse=True)[: self.per_sentence]

    def _side(self, text: str) -> Side:
        doc = self.nlp.make_doc(text)
        return Side(doc, 0, len(doc))


def choose_reordered(records: Iterable[PairRecord], settings: Dict[str, Any]) -> Callable[[PairRecord], bool]:
    """Which records of a whole run stay, so that enough of them are reordered."""
    return choose(records, settings["reordered_above"], settings["reordered_share"], settings["seed"])


def _candidate(trip: RoundTrip) -> Candidate:
    return {
        "text": trip.text,
        "pivot_lang": trip.lang,
        "pivot": trip.pivot.text,
        "pivot_score": trip.pivot.score,
        "back_score": trip.score,
    }


def _inversion_rate(candidate: Candidate) -> float:
    return float(candidate["inversion_rate"])
