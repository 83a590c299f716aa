import importlib
import sys
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence

from spacy.util import minibatch

from ...errors import Errors, Fatal, PawsError
from .protocol import Cats, TextPair, WordPair

Function = Callable[[List[TextPair]], Sequence[float]]
BATCH_SIZE = 256


class FunctionTarget:
    """Any Python callable: it gets pairs of texts, and gives the probability of "paraphrase" for each.

    function (Union[str, Callable]): The callable, or `module:function`. One with an attribute `blank` names its own.
    positive_label (Optional[str]): What the label for such pairs is called; None for "paraphrase".
    blank (Optional[str]): What a word is replaced with.
    batch_size (Optional[int]): How many pairs `cats` gives it at once.
    """

    def __init__(
        self,
        function: Any,
        *,
        positive_label: Optional[str] = None,
        blank: Optional[str] = None,
        batch_size: Optional[int] = None,
    ) -> None:
        self.name = function if isinstance(function, str) else getattr(function, "__name__", str(function))
        self.function: Function = load_function(function) if isinstance(function, str) else function
        self.positive_label = positive_label or "paraphrase"
        self.blank: str = blank or getattr(self.function, "blank", None) or "[PAD]"
        self.batch_size = batch_size or BATCH_SIZE

    def __call__(self, pairs: Sequence[WordPair]) -> List[float]:
        """The probability of "paraphrase" for each pair, checked."""
        return self._ask([(first.text, second.text) for first, second in pairs])

    def cats(self, pairs: Iterable[TextPair]) -> Iterator[Cats]:
        """The same of texts, for and against."""
        for batch in minibatch(pairs, self.batch_size):
            for score in self._ask(batch):
                yield {self.positive_label: score, f"not_{self.positive_label}": 1.0 - score}

    def _ask(self, pairs: List[TextPair]) -> List[float]:
        try:
            found = [float(each) for each in self.function(pairs)]
        # It can raise anything.
        except Exception as error:
            raise PawsError(Errors.P358.format(name=self.name, reason=f"{type(error).__name__}: {error}")) from error
        if len(found) != len(pairs) or not all(0.0 <= each <= 1.0 for each in found):
            odd = next((each for each in found if not 0.0 <= each <= 1.0), f"{len(found)} answers")
            raise Fatal(Errors.P357.format(name=self.name, found=odd, asked=len(pairs)))
        return found


def load_function(name: str) -> Function:
    """The callable that `module:function` names; modules of the current folder are found too."""
    module, _, attribute = name.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
        if not callable(found):
            raise TypeError(f"{attribute} can't be called")
    # Importing a module can raise anything.
    except Exception as error:
        raise PawsError(Errors.P356.format(name=name, reason=f"{type(error).__name__}: {error}")) from error
    function: Function = found
    return function
