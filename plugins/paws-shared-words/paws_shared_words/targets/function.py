import importlib
import sys
from typing import Any, Callable, List, Optional, Sequence, Tuple

from paws_components.errors import Fatal, PawsError

from ..errors import Errors
from ..sentences import Pair

Function = Callable[[List[Tuple[str, str]]], Sequence[float]]


class FunctionTarget:
    """Any Python callable: it gets pairs of texts, and gives the probability of "paraphrase" for each.

    function (Union[str, Callable]): The callable, or `module:function`. One with an attribute `blank` names its own.
    blank (Optional[str]): What a word is replaced with.
    """

    def __init__(self, function: Any, *, blank: Optional[str] = None) -> None:
        self.name = function if isinstance(function, str) else getattr(function, "__name__", str(function))
        self.function: Function = load_function(function) if isinstance(function, str) else function
        self.blank: str = blank or getattr(self.function, "blank", None) or "[PAD]"

    def __call__(self, pairs: Sequence[Pair]) -> List[float]:
        """The probability of "paraphrase" for each pair, checked."""
        try:
            found = [float(each) for each in self.function([(first.text, second.text) for first, second in pairs])]
        # It can raise anything.
        except Exception as error:
            raise PawsError(Errors.S023.format(name=self.name, reason=f"{type(error).__name__}: {error}")) from error
        if len(found) != len(pairs) or not all(0.0 <= each <= 1.0 for each in found):
            odd = next((each for each in found if not 0.0 <= each <= 1.0), f"{len(found)} answers")
            raise Fatal(Errors.S022.format(name=self.name, found=odd, asked=len(pairs)))
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
        raise PawsError(Errors.S020.format(name=name, reason=f"{type(error).__name__}: {error}")) from error
    function: Function = found
    return function
