"""Data sets of the `datasets` library: by their name on the hub, or from the folder that `save_to_disk` wrote."""

import re
import shutil
from pathlib import Path
from typing import Any, Dict, Iterator, Optional

from ..corpora.cards import Split
from ..corpora.folder import HUB_ENDING
from ..errors import Errors, PawsError
from ..records import PathLike
from ..writers import move_into_place, take_back
from .files import ENDINGS


def is_saved(path: PathLike) -> bool:
    """Whether a folder was written by `save_to_disk`."""
    return any((Path(path) / name).is_file() for name in ("dataset_info.json", "dataset_dict.json", "state.json"))


def may_be_data_set(name: str) -> bool:
    """Whether a name could be one on the hub, rather than that of a file that is not there."""
    return is_saved(name) or re.fullmatch(r"\w[\w-]*(/[\w.-]+)?", name) is not None


def load_data_set(
    name: str, config: Optional[str] = None, split: Optional[str] = None, revision: Optional[str] = None
) -> Any:
    """A data set of the `datasets` library.

    name (str): The name or the folder.
    config (Optional[str]), split (Optional[str]): The part of it.
    revision (Optional[str]): The commit on the hub; None for the newest.
    RETURNS (datasets.Dataset): The data set.
    """
    try:
        import datasets
    except ImportError as error:
        raise PawsError(Errors.P108.format(path=name, known=", ".join(ENDINGS))) from error
    try:
        if is_saved(name):
            loaded = datasets.load_from_disk(name)
        else:
            # No code of the data set's own is run: the library refuses it by default.
            loaded = datasets.load_dataset(name, config, split=split, revision=revision)
        if isinstance(loaded, dict):
            if split not in loaded and (split or len(loaded) > 1):
                raise ValueError(f"it has the splits {', '.join(loaded)}")
            loaded = loaded[split or next(iter(loaded))]
    except (OSError, ValueError, RuntimeError) as error:
        raise PawsError(Errors.P109.format(name=name, reason=str(error).split("\n")[0].rstrip("."))) from error
    return loaded


def save_data_set(split: Split, name: str, folder: Path, copy: Optional[str] = None, *, fresh: bool = False) -> Path:
    """Save a split of a corpus from the hub in the data folder, where readers look for it.

    split (Split): The split.
    name (str): Its name, `CORPUS:SPLIT`.
    folder (Path): The data folder.
    copy (Optional[str]): A folder with copies of data sets as the hub has them, in place of the hub.
    fresh (bool): Whether to bring what is there again.
    RETURNS (Path): The folder it was saved to.
    """
    hub = split.hub
    if hub is None:
        raise PawsError(Errors.P519.format(name=name))
    place = folder / (split.path + HUB_ENDING)
    # The new folder is made in one of its own; a run that was killed may have left the earlier one there.
    shop = place.with_name(f".{place.name}.new")
    take_back(shop, place)
    if place.is_dir() and not fresh:
        return place
    source = str(Path(copy) / hub.name) if copy else hub.name
    loaded = load_data_set(source, hub.config, hub.split, None if copy else hub.revision)
    try:
        shutil.rmtree(shop, ignore_errors=True)
        loaded.save_to_disk(str(shop / place.name))
        move_into_place(shop / place.name, place)
    except OSError as error:
        raise PawsError(Errors.P507.format(path=str(place), reason=error.strerror or error)) from error
    finally:
        shutil.rmtree(shop, ignore_errors=True)
    return place


def plain_rows(loaded: Any) -> Iterator[Dict[str, Any]]:
    """The rows as plain data: where a class has a name, that, and nothing where it has no class."""
    names = {name: feature.names for name, feature in loaded.features.items() if hasattr(feature, "names")}
    for data in loaded:
        row = dict(data)
        for name, classes in names.items():
            value = row.get(name)
            if isinstance(value, int):
                row[name] = classes[value] if value >= 0 else None
        yield row
