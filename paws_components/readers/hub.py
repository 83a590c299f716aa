"""Data sets of the `datasets` library: by their name on the hub, or from the folder that `save_to_disk` wrote."""

import re
from pathlib import Path
from typing import Any, Dict, Iterator, Optional

from ..errors import Errors, PawsError
from ..records import PathLike
from .files import ENDINGS


def is_saved(path: PathLike) -> bool:
    """Whether a folder was written by `save_to_disk`."""
    return any((Path(path) / name).is_file() for name in ("dataset_info.json", "dataset_dict.json", "state.json"))


def may_be_data_set(name: str) -> bool:
    """Whether a name could be one on the hub, rather than that of a file that is not there."""
    return is_saved(name) or re.fullmatch(r"\w[\w-]*(/[\w.-]+)?", name) is not None


def load_data_set(name: str, config: Optional[str] = None, split: Optional[str] = None) -> Any:
    """A data set of the `datasets` library.

    name (str): The name or the folder.
    config (Optional[str]), split (Optional[str]): The part of it.
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
            loaded = datasets.load_dataset(name, config, split=split)
        if isinstance(loaded, dict):
            if split not in loaded and (split or len(loaded) > 1):
                raise ValueError(f"it has the splits {', '.join(loaded)}")
            loaded = loaded[split or next(iter(loaded))]
    except (OSError, ValueError, RuntimeError) as error:
        raise PawsError(Errors.P109.format(name=name, reason=str(error).split("\n")[0].rstrip("."))) from error
    return loaded


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
