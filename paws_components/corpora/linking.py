"""A project's data: its own `assets` folder, with links to what the data folder has."""

import os
import shutil
from pathlib import Path
from typing import Dict, Union

from ..errors import Errors, PawsError


def link_corpora(folder: Union[str, Path], data: Union[str, Path]) -> Dict[str, bool]:
    """Let every corpus of a data folder stand in a project's folder too. What the project has already stays.

    folder (Union[str, Path]): The project's folder, such as `assets`; it is made if it is not there.
    data (Union[str, Path]): The data folder, which has a folder for each corpus.
    RETURNS (Dict[str, bool]): Whether each is the data folder's now; False for one that the project has of its own.
    """
    folder, data = Path(folder), Path(data).expanduser().resolve()
    if not data.is_dir():
        raise PawsError(Errors.P020.format(path=str(data), reason="the data folder is not there, or is not a folder"))
    folder.mkdir(parents=True, exist_ok=True)
    if folder.resolve() == data:
        return {}
    linked = {}
    for corpus in sorted(path for path in data.iterdir() if path.is_dir() and not path.name.startswith(".")):
        place = folder / corpus.name
        if place.is_symlink() and place.resolve() != corpus:
            # A link of ours to another data folder, or to one that is gone.
            place.unlink()
        if not place.exists():
            _link(corpus, place)
        linked[corpus.name] = place.resolve() == corpus or not place.is_symlink() and _is_copy(place, corpus)
    return linked


def _link(corpus: Path, place: Path) -> None:
    try:
        place.symlink_to(corpus, target_is_directory=True)
    except OSError:
        # Windows lets only some people make links.
        shutil.copytree(corpus, place)


def _is_copy(place: Path, corpus: Path) -> bool:
    """Whether a folder that is not a link has the files of the other, by their names and sizes."""
    names = [path.relative_to(corpus) for path in corpus.rglob("*") if path.is_file()]
    return all((place / n).is_file() and os.path.getsize(place / n) == os.path.getsize(corpus / n) for n in names)
