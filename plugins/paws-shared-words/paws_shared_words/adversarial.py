"""A reader for `spacy train` that puts attacked pairs among the others (section 4.3)."""

from itertools import islice
from random import Random
from typing import Callable, Dict, Iterable, Iterator, List, Literal, NamedTuple, Optional, Sequence

from spacy.language import Language
from spacy.training import Example
from spacy.util import logger

from paws_components.plugin import (
    PairRecord,
    PawsError,
    PipelineTarget,
    chance,
    check_share,
    load_with,
    pair_spans,
    pair_text,
    read_cats,
)

from .errors import Errors
from .examples import sample_examples
from .job import Attacker
from .positions import DEFAULT_STOP_WORDS
from .search import SUCCEEDED, Outcome, Settings
from .substitutes import MaskedSubstitutes, one_token
from .undisturbed import undisturbed

Reader = Callable[[Language], Iterable[Example]]


def make_adversarial_corpus(
    corpus: Callable[[Language], Iterable[Example]],
    mlm: str = "bert-base-uncased",
    share: float = 0.1,
    buffer: int = 256,
    renew: int = 1,
    steps: int = 5,
    top_k: int = 25,
    beam: int = 1,
    max_queries: int = 0,
    context: Literal["sentence", "pair"] = "sentence",
    tagger: Optional[str] = None,
    positive_label: str = "paraphrase",
    seed: int = 0,
) -> Callable[[Language], Iterable[Example]]:
    """Create a reader that attacks: `paws.AdversarialCorpus.v1`. The settings are those of `AdversarialCorpus`."""
    return AdversarialCorpus(
        corpus,
        mlm=mlm,
        share=share,
        buffer=buffer,
        renew=renew,
        settings=Settings(steps=steps, top_k=top_k, beam=beam, max_queries=max_queries),
        context=context,
        tagger=tagger,
        positive_label=positive_label,
        seed=seed,
    )


class Modified(NamedTuple):
    """The sentences of a pair that was attacked."""

    sentence1: str
    sentence2: str


class AdversarialCorpus:
    """Hands out the Examples of another reader, some of them replaced by modifications that the model, as it is then,
    does worst on. There are as many as that reader gives, with the same labels in the same order.

    The Examples are read a buffer at a time, and the share of them that is attacked is attacked in one batch. Half of
    these are paraphrases, as far as there are so many. As in section 3.2 a paraphrase is modified as it is, and a
    non-paraphrase is made of two pairs of the buffer. What can't be modified comes as it is.

    With `max_epochs = -1` spaCy asks for Examples while it trains; otherwise it reads all of them before the first
    step. Until the classifier is initialised, and where it is disabled, everything comes as it is.

    corpus (Callable): The reader.
    mlm (str): The masked language model: a folder, an installed package, or a name on the hub.
    share (float): How much of a buffer is attacked.
    buffer (int): How many Examples are read at a time.
    renew (int): An attack is made for every so many buffers; those between get its modifications again.
    settings (Settings): How far the search goes.
    context (str): What the language model sees: the "sentence", or the "pair".
    tagger (Optional[str]): The pipeline whose tags tell nouns, verbs and adjectives; None for the English one.
    positive_label (str): The label that means "paraphrase".
    seed (int): Of all draws.
    """

    def __init__(
        self,
        corpus: Reader,
        *,
        mlm: str,
        share: float,
        buffer: int,
        renew: int,
        settings: Settings,
        context: Literal["sentence", "pair"],
        tagger: Optional[str],
        positive_label: str,
        seed: int,
    ) -> None:
        check_share("share", share)
        for name, value in (("buffer", buffer), ("renew", renew)):
            if value < 1:
                raise PawsError(Errors.S003.format(name=name, what="at least 1", value=value))
        self.corpus = corpus
        self.mlm = mlm
        self.share = share
        self.buffer = buffer
        self.renew = renew
        self.settings = settings
        self.context = context
        self.tagger = tagger
        self.positive_label = positive_label
        self.seed = seed
        self.epoch = self.buffers = 0
        self._substitutes: Optional[MaskedSubstitutes] = None
        self._tagger: Optional[Language] = None
        # What the last attack has come to, by label.
        self._found: Dict[int, List[Modified]] = {}

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the Examples of one pass of the reader.

        nlp (Language): The pipeline that is trained.
        YIELDS (Example): The Examples.
        """
        self.epoch += 1
        draws = chance(self.seed, self.epoch, "attacks")
        stream = iter(self.corpus(nlp))
        while True:
            examples = list(islice(stream, self.buffer))
            if not examples:
                break
            if self.share and is_ready(nlp, self.positive_label):
                self._modify(nlp, examples, draws)
            yield from examples

    def _modify(self, nlp: Language, examples: List[Example], draws: Random) -> None:
        """Put modifications in place of some Examples of a buffer."""
        records = [self._record(example) for example in examples]
        if self.buffers % self.renew == 0:
            chosen = self._attack(nlp, records, draws)
        else:
            chosen = self._again(records, draws)
        self.buffers += 1
        for i, modified in chosen.items():
            examples[i] = modified_example(nlp, modified, examples[i])

    def _attack(self, nlp: Language, records: Sequence[PairRecord], draws: Random) -> Dict[int, Modified]:
        """Attack a share of a buffer. RETURNS (Dict[int, Modified]): What comes in place of which Example."""
        counts = self._counts(records)
        sampled = sample(records, counts, draws.getrandbits(32))
        places = {id(record): i for i, record in enumerate(records)}
        negatives = iter(draws.sample([i for i, record in enumerate(records) if not record.label], counts[0]))
        with undisturbed():
            outcomes = self._attacker(nlp)(sampled)
        chosen: Dict[int, Modified] = {}
        self._found = {0: [], 1: []}
        for record, outcome in zip(sampled, outcomes):
            place = places[id(record)] if record.label else next(negatives)
            if outcome.changes or not outcome.right_before:
                chosen[place] = Modified(*(sentence.text for sentence in outcome.pair))
                self._found[outcome.example.label].append(chosen[place])
        logger.debug("Attack %d: %s", self.buffers // self.renew + 1, account(outcomes))
        return chosen

    def _again(self, records: Sequence[PairRecord], draws: Random) -> Dict[int, Modified]:
        """The modifications of the last attack, in place of other Examples with the same labels."""
        chosen: Dict[int, Modified] = {}
        for label, count in self._counts(records).items():
            found = self._found.get(label, [])[:count]
            places = draws.sample([i for i, record in enumerate(records) if record.label == label], len(found))
            chosen.update(zip(places, found))
        return chosen

    def _counts(self, records: Sequence[PairRecord]) -> Dict[int, int]:
        """How many paraphrases and how many others of a buffer are attacked."""
        there = sum(record.label == 1 for record in records)
        wanted = int(self.share * len(records) + 0.5)
        positives = min(there, max(wanted // 2, wanted - (len(records) - there)))
        return {1: positives, 0: min(wanted - positives, len(records) - there)}

    def _attacker(self, nlp: Language) -> Attacker:
        if self._substitutes is None or self._tagger is None:
            self._tagger = load_with(["tagger", "attribute_ruler"], self.tagger)
            self._substitutes = MaskedSubstitutes(self.mlm, context=self.context, keep=one_token(self._tagger))
        target = PipelineTarget(nlp, positive_label=self.positive_label)
        return Attacker(target, self._substitutes, self._tagger, DEFAULT_STOP_WORDS, self.settings)

    def _record(self, example: Example) -> PairRecord:
        """An Example as a pair; our error for one whose label is neither 1 nor 0."""
        doc = example.reference
        first, second = (span.text for span in pair_spans(doc))
        label = read_cats(doc.cats)
        if label is None or len(doc.cats) != 2 or self.positive_label not in doc.cats:
            raise PawsError(Errors.S002.format(label=dict(doc.cats), text=doc.text))
        return PairRecord(first, second, label=int(label == self.positive_label))


def sample(records: Sequence[PairRecord], counts: Dict[int, int], seed: int) -> List[PairRecord]:
    """Sample what is attacked. A buffer that no non-paraphrases can be made of, because its pairs are too much alike,
    gives paraphrases alone."""
    try:
        return sample_examples(records, counts[1], counts[0], seed)
    except PawsError:
        return sample_examples(records, counts[1], 0, seed)


def modified_example(nlp: Language, modified: Modified, clean: Example) -> Example:
    """An Example of a modification, with the label of the one in whose place it comes."""
    predicted = nlp.make_doc(pair_text(*modified))
    reference = predicted.copy()
    reference.cats = dict(clean.reference.cats)
    return Example(predicted, reference)


def is_ready(nlp: Language, positive_label: str) -> bool:
    """Whether a pipeline has a classifier that is initialised, and not disabled: spaCy disables those that go on from a
    trained pipeline while it initialises the others."""
    pipes = [pipe for name, pipe in nlp.pipeline if positive_label in nlp.pipe_labels.get(name, [])]
    return any(pipe.model.has_dim("nO") for pipe in pipes if hasattr(pipe, "model"))


def account(outcomes: Sequence[Outcome]) -> str:
    fooled = sum(outcome.status == SUCCEEDED for outcome in outcomes)
    queries = sum(outcome.queries for outcome in outcomes)
    return f"{len(outcomes)} pairs, {fooled} succeeded, {queries} queries"
