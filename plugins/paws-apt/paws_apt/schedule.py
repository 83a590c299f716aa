"""The schedule of section 3.2: up to five rounds of ten samples, wider in top-k and narrower in top-p each time."""

from dataclasses import dataclass
from typing import Callable, Iterator, List, NamedTuple, Sequence

from .judging import Judge, Judgement


class Round(NamedTuple):
    """How one round samples.

    number (int): The round, from 1.
    samples (int): How many samples a sentence gets.
    top_k (int): How many of the most probable tokens can be drawn.
    top_p (float): How much of the probability of these.
    """

    number: int
    samples: int
    top_k: int
    top_p: float


@dataclass(frozen=True)
class Schedule:
    """Rounds of samples; the defaults are the paper's.

    rounds (int): How many rounds a sentence gets at most.
    samples (int): How many samples a round has.
    top_k (int), top_k_step (int): Top-k of the first round, and how much is added in each further one.
    top_p (float), top_p_step (float): The same of top-p.
    """

    rounds: int = 5
    samples: int = 10
    top_k: int = 120
    top_k_step: int = 20
    top_p: float = 0.95
    top_p_step: float = -0.05

    def __iter__(self) -> Iterator[Round]:
        for number in range(self.rounds):
            # Rounded: 0.95 - 4 * 0.05 would otherwise depend on how floating point adds up.
            top_p = round(self.top_p + number * self.top_p_step, 6)
            yield Round(number + 1, self.samples, self.top_k + number * self.top_k_step, top_p)


class Sampled(NamedTuple):
    """One attempt of a model.

    text (str): What it wrote.
    round (int): The round, from 1.
    sample (int): Which of the round's samples, from 1.
    judgement (Judgement): What is to be said about it.
    """

    text: str
    round: int
    sample: int
    judgement: Judgement


Sampler = Callable[[Sequence[str], Round], List[List[str]]]


def attempt_all(sentences: Sequence[str], sampler: Sampler, judge: Judge, schedule: Schedule) -> List[List[Sampled]]:
    """Have a model attempt sentences until one of its samples passes, or the rounds are over.

    All sentences that are still open go through a round together: one stream of batches for the model, and one for
    each judge. A round is always finished, so that all its samples are recorded; then the sentences with one that
    passed are done.

    sentences (Sequence[str]): The sentences.
    sampler (Callable): Gives each sentence the samples of a round.
    judge (Judge): Judges (sentence, sample).
    schedule (Schedule): The rounds.
    RETURNS (List[List[Sampled]]): All attempts at each sentence, in their order.
    """
    attempts: List[List[Sampled]] = [[] for _ in sentences]
    still_open = list(range(len(sentences)))
    for step in schedule:
        if not still_open:
            break
        drawn = sampler([sentences[i] for i in still_open], step)
        judged = iter(judge([(sentences[i], text) for i, texts in zip(still_open, drawn) for text in texts]))
        for i, texts in zip(still_open, drawn):
            attempts[i] += [Sampled(text, step.number, j, next(judged)) for j, text in enumerate(texts, 1)]
        still_open = [i for i in still_open if not any(each.judgement.passed for each in attempts[i])]
    return attempts
