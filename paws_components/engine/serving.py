"""Models that have workers of their own: whoever would load one asks those instead, where a run has them."""

from typing import Any, Callable, Dict, Generic, Sequence, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Model = Callable[[Sequence[Question]], Sequence[Answer]]
# Asks a server: how the model is made, with which settings, and the questions.
Ask = Callable[[Callable[..., Any], Sequence[Any], Any], Any]

_asks: Dict[str, Ask] = {}


def serve(kind: str, ask: Ask) -> None:
    """Have models of a kind asked elsewhere, in this process."""
    _asks[kind] = ask


def find_model(kind: str, make: Callable[..., Model], *settings: Any) -> Model:
    """A model: loaded here, or one that asks where it is loaded.

    kind (str): What kind of model it is: "judges".
    make (Callable): Loads it; a function or class of a module.
    *settings: Its arguments.
    RETURNS (Callable): Gives an answer for each question.
    """
    ask = _asks.get(kind)
    return make(*settings) if ask is None else Elsewhere(ask, make, settings)


class Elsewhere(Generic[Question, Answer]):
    """A model that is asked where it is."""

    def __init__(self, ask: Ask, make: Callable[..., Model], settings: Sequence[Any]) -> None:
        self.ask, self.make, self.settings = ask, make, settings

    def __call__(self, questions: Sequence[Question]) -> Sequence[Answer]:
        found: Sequence[Answer] = self.ask(self.make, self.settings, questions) if questions else []
        return found
