"""What a generator and a translator must be able to do, and the checks of what they give back."""

from typing import Any, Dict, List, NamedTuple, Optional, Protocol, Sequence, Tuple, runtime_checkable

from spacy.tokens import Doc

from ..errors import Errors, PawsError

# "text" is the new sentence; "source", where it is there, the sentence that it is paired with in place of the whole
# Doc; everything else is evidence. Plain data: it crosses processes and goes to files.
Candidate = Dict[str, Any]


@runtime_checkable
class Generator(Protocol):
    """Takes a batch of Docs and gives back candidates for each.

    It may have `evidence` (Dict[str, Any]): what all of its candidates have in common, such as the names of models.
    What the host must know besides is said when it is registered: see `paws_components.plugins.Registration`.
    """

    def __call__(self, docs: Sequence[Doc]) -> List[List[Candidate]]:
        """The candidates of each Doc; the Docs stay as they are."""


class Translation(NamedTuple):
    """A translation, and its log-probability as the search reports it, if it does."""

    text: str
    score: Optional[float] = None


@runtime_checkable
class Translator(Protocol):
    """Translates between the languages it knows, by their codes ("en", "de")."""

    def translate(self, texts: Sequence[str], source: str, target: str, k: int) -> List[List[Translation]]:
        """Up to k translations of each text, best first, no two the same."""


def ask(generator: Generator, name: str, docs: Sequence[Doc]) -> List[List[Candidate]]:
    """The candidates of each Doc, with our error where what the generator gives back is not what was agreed."""
    found = list(generator(docs))
    if len(found) != len(docs):
        raise PawsError(Errors.P206.format(name=name, what=f"{len(found)} lists for {len(docs)} Docs"))
    return [[_checked(candidate, name) for candidate in candidates] for candidates in found]


def _checked(candidate: Any, name: str) -> Candidate:
    if not isinstance(candidate, dict) or not isinstance(candidate.get("text"), str):
        raise PawsError(Errors.P206.format(name=name, what=f"{candidate!r}, which is not a dict with a text"))
    odd = _not_plain(candidate, ())
    if odd is not None:
        what = f"a {type(odd[1]).__name__} under {'.'.join(odd[0])!r}, which is not plain data"
        raise PawsError(Errors.P206.format(name=name, what=what))
    return candidate


def _not_plain(value: Any, path: Tuple[str, ...]) -> Optional[Tuple[Tuple[str, ...], Any]]:
    """The first value within that is neither text, number, truth value, None, list nor dict, and where it is."""
    if value is None or type(value) in (str, int, float, bool):
        return None
    if isinstance(value, dict):
        parts = [(str(key), part) for key, part in value.items()]
    elif isinstance(value, (list, tuple)):
        parts = [(str(i), part) for i, part in enumerate(value)]
    else:
        return path, value
    for key, part in parts:
        odd = _not_plain(part, (*path, key))
        if odd is not None:
            return odd
    return None
