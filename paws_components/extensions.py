"""The names of the extensions, and the one function that installs them."""

from typing import Any, Dict

from spacy.tokens import Doc

from .errors import Errors, PawsError

TEMPLATE = "paws_template"
SWAPS = "paws_swaps"

# Each with its default. None means "no component has looked at this Doc yet".
DOC_EXTENSIONS: Dict[str, Any] = {
    TEMPLATE: None,
    SWAPS: None,
}


def install() -> None:
    """Install the Doc extensions. Installing twice is fine; over somebody else's different one is an error."""
    for name, default in DOC_EXTENSIONS.items():
        ours = (default, None, None, None)
        if not Doc.has_extension(name):
            Doc.set_extension(name, default=default)
        elif Doc.get_extension(name) != ours:
            raise PawsError(Errors.P008.format(name=name, owner="Doc"))
