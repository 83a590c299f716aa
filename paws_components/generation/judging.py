"""Judges: who says how natural a swap reads beside its source.

The search proposes what its language model likes; a judge looks at the proposals of a sentence one by one and decides.
"""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Protocol, Sequence, Tuple, runtime_checkable

from ..errors import Errors, PawsError
from ..lm.protocol import Word
from ..plugins import make_registered
from .template import Slot
from .tokens import Tokens

Spell = Callable[[], Tuple[str, List[Word]]]


class Proposal:
    """A rearranged sentence.

    text (str): The sentence.
    words (List[Word]): Its words as language models take them.
    gap (float): How many nats the language model that proposed it likes it less than the source.
    traded (Optional[Tuple[Slot, Slot]]): The two slots of the source that traded places; None where more moved.
    """

    __slots__ = ("gap", "traded", "_spelled", "_spell")

    def __init__(self, text: str, words: List[Word], gap: float, traded: Optional[Tuple[Slot, Slot]]) -> None:
        self.gap = gap
        self.traded = traded
        self._spelled: Optional[Tuple[str, List[Word]]] = (text, words)
        self._spell: Optional[Spell] = None

    @classmethod
    def later(cls, spell: Spell, gap: float, traded: Optional[Tuple[Slot, Slot]]) -> "Proposal":
        """One that is spelled out when a judge asks for its text or its words; most never are."""
        proposal = cls("", [], gap, traded)
        proposal._spelled, proposal._spell = None, spell
        return proposal

    @property
    def text(self) -> str:
        return self._out()[0]

    @property
    def words(self) -> List[Word]:
        return self._out()[1]

    def _out(self) -> Tuple[str, List[Word]]:
        if self._spelled is None:
            assert self._spell is not None
            self._spelled = self._spell()
        return self._spelled


class Question(NamedTuple):
    """A sentence and what is proposed for it.

    text (str): The sentence.
    words (List[Word]): Its words as language models take them.
    tokens (Tokens): Its tokens, with their tags.
    proposals (List[Proposal]): What may come out, as the proposing language model ranks it.
    plain (Sequence[str]): The words of its tokens, each as it would stand inside a sentence.
    """

    text: str
    words: List[Word]
    tokens: Tokens
    proposals: List[Proposal]
    plain: Sequence[str] = ()


class Judgement(NamedTuple):
    """What a judge says of a proposal.

    naturalness (float): The probability that a strict reader finds nothing odd in it, from 0 to 1.
    sum (Optional[float]): How many nats it is worse than the source, gains and losses taken together.
    losses (Optional[float]): The losses alone, so that a gain in one place can't pay for a loss in another.
    """

    naturalness: float
    sum: Optional[float] = None
    losses: Optional[float] = None


@runtime_checkable
class Judge(Protocol):
    """Says how natural proposals are.

    It may have `keeps` (float, 0.5 if not said): the naturalness from which swaps are kept unless the user says
    otherwise; `max_gap` (float): it is not asked about proposals with a larger gap; `most` (int): nor about more than
    so many of a sentence.
    """

    def __call__(self, questions: Sequence[Question]) -> List[List[Judgement]]:
        """For each question a judgement of each of its proposals, in their order."""


def make_judge(name: str, settings: Dict[str, Any] = {}) -> Judge:  # noqa: B006 - never changed
    """`paws.Judge.v1`: a judge that a plugin has registered.

    name (str): Its name; `paws plugins` lists those that are installed.
    settings (Dict[str, Any]): Its settings.
    """
    judge: Judge = make_registered("judges", name, settings)
    return judge


def ask_judge(judge: Judge, questions: Sequence[Question]) -> List[List[Judgement]]:
    """What a judge says, with our error where it is not what was agreed."""
    answers = list(judge(questions))
    if len(answers) != len(questions):
        what = f"{len(answers)} lists for {len(questions)} questions"
        raise PawsError(Errors.P044.format(name=type(judge).__name__, what=what))
    for question, answer in zip(questions, answers):
        if len(answer) != len(question.proposals):
            what = f"{len(answer)} judgements of {len(question.proposals)} proposals"
            raise PawsError(Errors.P044.format(name=type(judge).__name__, what=what))
        for judgement in answer:
            if not 0 <= judgement.naturalness <= 1:
                what = f"a naturalness of {judgement.naturalness}"
                raise PawsError(Errors.P044.format(name=type(judge).__name__, what=what))
    return answers
