"""A causal transformer as a judge: how much worse it finds a proposal than the source, word by word.

torch and transformers are imported only when a judge is made.
"""

import math
from itertools import chain, zip_longest
from typing import Dict, List, NamedTuple, Optional, Sequence, Union

import numpy

from ..engine.serving import find_model
from ..errors import Errors, PawsError
from ..lm.protocol import Word
from .embedded import EmbeddedJudge, embedded_judge
from .judging import Judge, Judgement, Proposal, Question, make_judge
from .word_model import WordModel

# From what is measured to naturalness where no trees were fitted, by a logistic function: the constant, then what a nat
# of the sum, of the losses and of the largest loss of a word is worth, a word of the sentence, and the log-odds of the
# judge before.
SCALE = (0.448, -0.1118, -0.099, 0.0, 0.0073, 0.0)
# A word that loses more than this stands where it does not fit.
HEAVY = 2.0
# A larger gain than this counts no more: what a model finds that much likelier is often only more usual.
MOST_GAIN = 2.0
# What another judge finds less natural than this is not asked about.
FLOOR = 0.25
# How many proposals another judge chooses from.
OFFERED = 8
DIGITS = 4


def make_neural_judge(
    name: Optional[str] = None,
    gguf_file: Optional[str] = None,
    context: str = ".",
    device: Optional[str] = None,
    dtype: Optional[str] = None,
    most: int = 3,
    max_gap: Optional[float] = 10.0,
    keeps: float = 0.64,
    scale: Optional[List[float]] = None,
    first: Union[None, str, Judge] = "embedded",
) -> "NeuralJudge":
    """`paws.NeuralJudge.v1`: any causal language model of transformers as a judge.

    name (Optional[str]): A name on the hub, a folder written by `save_pretrained`, or the path of a GGUF file; None
        takes the model that `paws download judge` brings.
    gguf_file (Optional[str]): The GGUF file in that folder or repository, for models that come as one.
    context (str): What is put before source and proposals alike, since a model expects other words at the very start of
        a text than at the start of a sentence.
    device (Optional[str]): Where it runs; None follows spaCy (`--gpu-id`, `spacy.prefer_gpu()`).
    dtype (Optional[str]): The number format of the weights; None takes bfloat16 where the device computes with it, else
        float32.
    most (int): The model is asked about so many proposals of a sentence: those that the judge before likes best, or
        else those with the smallest gaps.
    max_gap (Optional[float]): It is not asked about proposals with a larger gap; None asks about any.
    keeps (float): The naturalness from which swaps are kept unless the user says otherwise.
    scale (Optional[List[float]]): Six numbers: what naturalness is made of, as a logistic function: the constant, the
        weights of the sum, of the losses, of the largest loss, of the number of words, and of the log-odds of what
        the judge before said. None takes the trees that were fitted for the recommended model together with the
        embedded judge, and without that judge six numbers that were.
    first (Union[None, str, Judge]): A cheaper judge that chooses which proposals this one is asked about; "embedded"
        is that of the sentence's language, if there is one.
    """
    return NeuralJudge(name, gguf_file, context, device, dtype, most, max_gap, keeps, scale, first)


class NeuralJudge:
    """A causal transformer as a `Judge`. The arguments are those of `make_neural_judge`."""

    def __init__(
        self,
        name: Optional[str],
        gguf_file: Optional[str],
        context: str,
        device: Optional[str],
        dtype: Optional[str],
        most: int,
        max_gap: Optional[float],
        keeps: float,
        scale: Optional[List[float]],
        first: Union[None, str, Judge],
    ) -> None:
        self.settings = (name, gguf_file, context, device, dtype, most, max_gap, keeps, scale)
        # What the judge before chooses from is as much as it has learnt from, not what is left after it has chosen.
        self.most = most if first is None else max(most, OFFERED)
        self.asks = most
        self.max_gap = math.inf if max_gap is None else max_gap
        self.keeps = keeps
        self.scale = tuple(SCALE if scale is None else scale)
        self.own_scale = scale is not None
        self.first = first
        if most < 1:
            raise PawsError(Errors.P015.format(name="most", what="at least 1", value=most))
        if len(self.scale) != len(SCALE):
            raise PawsError(Errors.P015.format(name="scale", what=f"{len(SCALE)} numbers", value=scale))
        self.model = find_model("judges", WordModel, name, gguf_file, context, device, dtype)

    def __reduce__(self) -> tuple:
        return make_neural_judge, (*self.settings, self.first)

    def __call__(self, questions: Sequence[Question]) -> List[List[Judgement]]:
        before = [self._before(question) for question in questions]
        chosen = [self._choose(question, said) for question, said in zip(questions, before)]
        proposals = [[asked.proposals[i] for i in each] for asked, each in zip(questions, chosen)]
        # All at once, since the model may be somewhere else.
        measured = self.measure_all(questions, proposals)
        return [self._judge(*each) for each in zip(questions, before, chosen, measured)]

    def _before(self, question: Question) -> Optional[List[Judgement]]:
        """What the judge before says, if there is one for the language."""
        first = self.first
        if first == "embedded":
            first = embedded_judge(question.tokens.doc.lang_) if question.tokens is not None else None
        if isinstance(first, str):
            first = self.first = make_judge(first)
        return first([question])[0] if first is not None else None

    def _choose(self, question: Question, said: Optional[List[Judgement]]) -> List[int]:
        """Which proposals the model is asked about."""
        chosen = [i for i, proposal in enumerate(question.proposals) if proposal.gap <= self.max_gap]
        if said is not None:
            chosen = [i for i in chosen if said[i].naturalness >= FLOOR]
            chosen.sort(key=lambda i: -said[i].naturalness)
        return chosen[: self.asks]

    def _judge(
        self,
        question: Question,
        before: Optional[List[Judgement]],
        chosen: Sequence[int],
        measured: Sequence[Optional["Measured"]],
    ) -> List[Judgement]:
        judgements = [Judgement(0.0)] * len(question.proposals)
        if not chosen:
            return judgements
        embedded = self._embedded(question)
        known = embedded.read(question) if embedded is not None and embedded.neural is not None else {}
        for i, said in zip(chosen, measured):
            if said is not None:
                if i in known and embedded is not None and embedded.neural is not None:
                    (naturalness,) = embedded.neural(numpy.array([[*said, *known[i]]])).tolist()
                else:
                    naturalness = self._weigh(said, 0.5 if before is None else before[i].naturalness)
                judgements[i] = Judgement(
                    round(naturalness, DIGITS), round(said.sum, DIGITS), round(said.losses, DIGITS)
                )
        return judgements

    def _embedded(self, question: Question) -> Optional[EmbeddedJudge]:
        """The embedded judge whose trees read what is measured here; None with a scale or a first judge of your own."""
        if self.first != "embedded" or self.own_scale or question.tokens is None:
            return None
        return embedded_judge(question.tokens.doc.lang_)

    def measure(self, question: Question, proposals: Sequence[Proposal]) -> List[Optional["Measured"]]:
        """What the language model says of some proposals for a sentence; None where one is too long."""
        return self.measure_all([question], [proposals])[0]

    def measure_all(
        self, questions: Sequence[Question], proposals: Sequence[Sequence[Proposal]]
    ) -> List[List[Optional["Measured"]]]:
        """The same for several sentences, each with proposals of its own. One with none is not asked about."""
        wanted = [[asked.words, *(each.words for each in some)] for asked, some in zip(questions, proposals) if some]
        answers = iter(self.model(wanted))
        return [self._compared(asked, some, next(answers)) if some else [] for asked, some in zip(questions, proposals)]

    def _compared(
        self, question: Question, proposals: Sequence[Proposal], logs: Sequence[Optional[List[float]]]
    ) -> List[Optional["Measured"]]:
        source, *others = logs
        return [
            None if source is None or other is None else measured(question.words, source, proposal.words, other)
            for proposal, other in zip(proposals, others)
        ]

    def _weigh(self, said: "Measured", before: float) -> float:
        before = min(max(before, 0.001), 0.999)
        odds = math.log(before / (1 - before))
        weighed = (1.0, said.capped, said.losses, said.worst, said.words, odds)
        total = sum(weight * value for weight, value in zip(self.scale, weighed))
        return 1 / (1 + math.exp(min(-total, 700.0)))


class Measured(NamedTuple):
    """What a language model says of a proposal, in nats. The trees of `embedded.py` read it in this order.

    sum (float): How much less likely it is than the source.
    capped (float): The same, where a gain of more than MOST_GAIN counts no more.
    losses (float): The losses of words alone.
    worst (float), second (float): The two largest losses of a word.
    heavy (float): How many words lose more than HEAVY.
    gains (float): The gains of words alone.
    words (float): How many words there are.
    source (float): How unlikely a word of the source is on average, shared beginnings aside.
    """

    sum: float
    capped: float
    losses: float
    worst: float
    second: float
    heavy: float
    gains: float
    words: float
    source: float


def measured(
    source: Sequence[Word], source_logs: Sequence[float], words: Sequence[Word], logs: Sequence[float]
) -> Measured:
    """What the log-probabilities of the words of a source and of a proposal come to."""
    changes = word_losses(source, source_logs, words, logs)
    losses = sorted((change for change in changes if change > 0), reverse=True)
    total, lost = math.fsum(changes), math.fsum(losses)
    worst, second = [*losses, 0.0, 0.0][:2]
    heavy = sum(loss > HEAVY for loss in losses)
    unlikely = -math.fsum(source_logs) / len(source_logs)
    return Measured(total, max(total, -MOST_GAIN), lost, worst, second, heavy, lost - total, len(changes), unlikely)


def word_losses(
    source: Sequence[Word], source_logs: Sequence[float], words: Sequence[Word], logs: Sequence[float]
) -> List[float]:
    """How many nats each word loses by its move; a word that gains has less than 0.

    A word is compared with itself in the source, wherever it stood: compared place by place, a rare name would lose
    wherever a frequent one had been. Of a word that occurs several times the first goes with the first. What has no
    twin ("a" that became "an") goes with what is left, in order.
    """
    places: Dict[str, List[int]] = {}
    for place in reversed(range(len(source))):
        places.setdefault(_key(source[place]), []).append(place)
    losses: List[float] = []
    alone: List[float] = []
    for word, log in zip(words, logs):
        twins = places.get(_key(word))
        if twins:
            losses.append(source_logs[twins.pop()] - log)
        else:
            alone.append(log)
    left = [source_logs[place] for place in sorted(chain.from_iterable(places.values()))]
    return losses + [before - after for before, after in zip_longest(left, alone, fillvalue=0.0)]


def _key(word: Word) -> str:
    """A word, whatever space and capital its place gives it."""
    return word.strip().lower()
