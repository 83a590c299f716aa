"""Sources on a command line: `SOURCE`, or `NAME=SOURCE` to give it a name."""

from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from ..errors import Errors, PawsError
from ..storage import is_url
from .files import format_of, unpacked

# What `spacy train` calls all of its pipelines: the folder above tells them apart.
CHECKPOINTS = ("model-best", "model-last")


def split_name(argument: str) -> Tuple[str, str]:
    """The name that an argument gives, "" if none, and the source. A file whose name has an equals sign is a source."""
    if is_url(argument):
        return "", argument
    name, equals, source = argument.partition("=")
    return (name, source) if equals and name and not Path(argument).exists() else ("", argument)


def own_name(source: str, folders: int = 0) -> str:
    """What a source is called by itself: the name of the file without its endings, after some of its folders."""
    path = Path(source)
    if path.name in CHECKPOINTS:
        path = path.resolve().parent
    elif folders and path.exists():
        path = path.resolve()
    if format_of(path) is not None or path.is_file():
        path = Path(unpacked(path)).with_suffix("")
    return "/".join(path.parts[-folders - 1 :])


def name_sources(arguments: Sequence[str], what: str) -> Dict[str, str]:
    """The sources by name. One that is given no name gets its own, with as many folders as tell it from the others.

    arguments (Sequence[str]): `SOURCE` or `NAME=SOURCE`.
    what (str): What they are, as the error for two of one name calls them.
    RETURNS (Dict[str, str]): The sources in their order.
    """
    pairs = [split_name(argument) for argument in arguments]
    unnamed = [source for name, source in pairs if not name]
    return unique_names([(name or _short_name(source, unnamed), source) for name, source in pairs], what)


def unique_names(pairs: Sequence[Tuple[str, str]], what: str) -> Dict[str, str]:
    """Sources by name, or our error where two have the same."""
    named: Dict[str, str] = {}
    for name, source in pairs:
        if name in named:
            raise PawsError(Errors.P354.format(what=what, name=name))
        named[name] = source
    return named


def _short_name(source: str, sources: List[str]) -> str:
    others = [other for other in sources if other != source]
    depth = len(Path(source).resolve().parts)
    for folders in range(depth):
        name = own_name(source, folders)
        if all(own_name(other, folders) != name for other in others):
            return name
    return source
