"""Names of models with {source} and {target} in them, and the settings that the neural translators share."""

import os
from typing import Optional

from paws_components.plugin import PawsError

from ..errors import Errors


def check_pattern(name: str, pattern: str) -> None:
    """A pattern that can't be filled in is an error at once, not at the first sentence."""
    try:
        resolve(pattern, "en", "de")
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        what = "a name or path in which only {source} and {target} stand in braces"
        raise PawsError(Errors.B007.format(name=name, what=what, value=pattern)) from error


def resolve(pattern: str, source: str, target: str) -> str:
    """The name of the model for one direction."""
    return os.path.expanduser(pattern.format(source=source, target=target))


# A translation has a token and an end.
_LEAST = {"batch_size": 1, "num_beams": 1, "max_length": 2, "max_tokens": 2, "inter_threads": 1, "intra_threads": 0}


def check_settings(**settings: Optional[int]) -> None:
    """Whole numbers with a least value; None is left to its default."""
    for name, value in settings.items():
        if value is not None and value < _LEAST[name]:
            raise PawsError(Errors.B007.format(name=name, what=f"{_LEAST[name]} or more", value=value))


def check_positive(**settings: float) -> None:
    for name, value in settings.items():
        if not value > 0:
            raise PawsError(Errors.B007.format(name=name, what="over 0", value=value))
