"""Names of models with {source} and {target} in them."""

import os

from paws_components.errors import PawsError

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
