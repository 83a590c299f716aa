"""The entry points that plugins come in by. Nothing here imports a plugin, pluggy or click."""

import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

# The hooks of plugins.
GROUP = "paws_components"
# Commands have entry points of their own: `paws --help` knows their names without loading any plugin.
COMMANDS = "paws_components_commands"


def package_of(point: EntryPoint) -> str:
    """The name of the package that an entry point belongs to, or where it leads to if it belongs to none."""
    return point.dist.name if point.dist else point.value


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Within it, whatever is printed goes to stderr. Stdout is for what commands have to say, JSON among it, and a
    plugin may print while it is loaded: by Python, by a library in C, or by a process that it starts."""
    _flush()
    stdout = _point_stdout_to_stderr()
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _flush()
        if stdout is not None:
            os.dup2(stdout, 1)
            os.close(stdout)


def _point_stdout_to_stderr() -> Optional[int]:
    """A copy of the descriptor of stdout to put back later; None where one of the two is closed."""
    try:
        stdout = os.dup(1)
    except OSError:
        return None
    try:
        os.dup2(2, 1)
    except OSError:
        os.close(stdout)
        return None
    return stdout


def _flush() -> None:
    """Write out what Python holds back for the descriptor, before it leads elsewhere."""
    for stream in (sys.stdout, sys.__stdout__):
        if stream is not None:
            with suppress(OSError, ValueError):  # closed, or read by nobody any more
                stream.flush()


def lazily(module: str, *tables: Dict[str, str]) -> Tuple[Callable[[str], Any], Callable[[], List[str]], List[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a module whose names are looked up when they are first asked for.

    module (str): The module.
    *tables (Dict[str, str]): Modules of ours, each with the names that it gives, parted by spaces.
    RETURNS (Tuple[Callable, Callable, List[str]]): The three.
    """
    places = {name: place for table in tables for place, names in table.items() for name in names.split()}

    def __getattr__(name: str) -> Any:
        if not places.get(name):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(f"paws_components.{places[name]}"), name)
        setattr(sys.modules[module], name, value)
        return value

    return __getattr__, lambda: sorted(places), sorted(places)
