"""The hooks that a plugin can implement. Each is called once, and given a function that registers."""

from typing import Any, Callable

import pluggy

hookspec = pluggy.HookspecMarker("paws_components")
# Plugins mark their hooks with this: `from paws_components import hookimpl`.
hookimpl = pluggy.HookimplMarker("paws_components")


@hookspec
def paws_register_generators(register: Callable[..., Any]) -> None:
    """Register generators: `register("name", maker, needs=["tagger"])`; the maker gets the pipeline, and settings."""


@hookspec
def paws_register_translators(register: Callable[..., Any]) -> None:
    """Register translators: `register("name", maker)`; the maker gets its settings."""


@hookspec
def paws_register_language_models(register: Callable[..., Any]) -> None:
    """Register language models: `register("name", maker)`; the maker gets its settings."""


@hookspec
def paws_register_judges(register: Callable[..., Any]) -> None:
    """Register judges of swaps: `register("name", maker)`; the maker gets its settings."""


@hookspec
def paws_register_metrics(register: Callable[..., Any]) -> None:
    """Register metrics: `register("name", maker)`; the maker gets its settings and gives a function over pairs."""
