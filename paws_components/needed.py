"""Packages that are imported on use only: our factories are part of everybody's spaCy, and must import without them."""

from importlib import import_module
from typing import Any, Optional

from .errors import Errors, PawsError


def import_needed(package: str, what: str, install: Optional[str] = None) -> Any:
    """Import a package that something of ours needs.

    package (str): The package, which has the same name on the package index.
    what (str): What needs it, for the error.
    install (Optional[str]): What `pip install` is to be given, where that is an extra of ours.
    RETURNS (Any): The module; our error where it is missing or broken.
    """
    try:
        return import_module(package)
    # A broken package can raise anything: a library of the system that is gone, another version of Python.
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise PawsError(
            Errors.P025.format(what=what, package=package, install=install or package, reason=reason)
        ) from error
