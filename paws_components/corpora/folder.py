"""The data folder: where it is, what of a corpus is in it, and the lock file with the sums of what was fetched."""

import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Union

from ..errors import Errors, PawsError
from .cards import Card, File, Split, card_of

# The folder with the data; without it, a cache folder of the platform.
DATA = "PAWS_DATA"
LOCK = "corpora.lock.json"
# What comes from the hub is saved in a folder beside where the file would be.
HUB_ENDING = ".hub"


class Held(NamedTuple):
    """What a card's name stands for: a file or a folder in the data folder, and its layout."""

    path: Path
    layout: Optional[str]


def data_folder(folder: Union[str, Path, None] = None) -> Path:
    """The data folder: the one given, or what `PAWS_DATA` names, or a cache folder of the platform.

    folder (Union[str, Path, None]): A folder that goes before both.
    RETURNS (Path): The folder; it need not be there.
    """
    named = folder or os.environ.get(DATA)
    if named:
        return Path(named).expanduser()
    home = Path.home()
    if sys.platform == "darwin":
        base = home / "Library" / "Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "paws-components" / "corpora"


def held_path(split: Split, folder: Path) -> Optional[Path]:
    """Where a split is: its file, or what was saved from the hub; None if it is not there."""
    if all((folder / file.path).is_file() for file in split.files):
        return folder / split.path
    saved = folder / (split.path + HUB_ENDING)
    return saved if saved.is_dir() else None


def find_held(text: Union[str, Path], split: Optional[str] = None) -> Optional[Held]:
    """What a source stands for that is the name of a card: `NAME:SPLIT`, or `NAME` and the split.

    text (Union[str, Path]): The source. A file or folder of that name goes before a card.
    split (Optional[str]): The split, where the source is the name alone.
    RETURNS (Optional[Held]): The file in the data folder; None for what names no card.
    """
    found = None if Path(text).exists() else card_of(str(text))
    if found is None:
        return None
    card, named = found
    one = choose_split(card, named or split)
    folder = data_folder()
    path = held_path(one, folder)
    if path is None:
        name = f"{card.name}:{one.name}"
        raise PawsError(Errors.P505.format(name=name, path=one.path, folder=str(folder)))
    return Held(path, one.layout if path.is_file() else None)


def source_path(text: Union[str, Path]) -> Path:
    """The path that a source stands for: that of a card's file, or the source itself."""
    try:
        held = find_held(text)
    except PawsError:
        held = None
    return held.path if held else Path(text)


def is_corpus(text: str) -> bool:
    """Whether a source is the name of a card."""
    return not Path(text).exists() and card_of(text) is not None


def held_splits(text: Union[str, Path]) -> List[str]:
    """The splits of a corpus that are in the data folder and hold pairs, as `NAME:SPLIT`.

    text (Union[str, Path]): The name of a card, without a split.
    RETURNS (List[str]): The names; none for what is not the name of a card alone.
    """
    found = None if Path(text).exists() else card_of(str(text))
    if found is None or found[1] is not None:
        return []
    card, folder = found[0], data_folder()
    names: Dict[Path, str] = {}
    for split in card.splits.values():
        path = held_path(split, folder)
        if path is not None and (split.layout or path.is_dir()):
            names.setdefault(path, f"{card.name}:{split.name}")
    if not names:
        raise PawsError(Errors.P505.format(name=card.name, path=card.name, folder=str(folder)))
    return list(names.values())


def choose_split(card: Card, name: Optional[str]) -> Split:
    """The split of a name; a card that has one split needs none."""
    if name is None and len(card.splits) > 1:
        raise PawsError(Errors.P504.format(card=card.name, known=", ".join(card.splits)))
    return card.split(name or next(iter(card.splits)))


def read_lock(folder: Path) -> Dict[str, Any]:
    """The sums of what was fetched into a folder, by path and by address."""
    path = folder / LOCK
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf8"))
        return {key: dict(value) for key, value in data.items()}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise PawsError(Errors.P515.format(path=str(path), reason=error)) from error


def write_lock(folder: Path, entries: Dict[str, Any]) -> None:
    """Add entries to the lock file, whoever else does so at this moment."""
    with alone(folder / f".{LOCK}.guard", wait=True):
        data = {**read_lock(folder), **entries}
        beside = folder / f".{LOCK}.new"
        beside.write_text(json.dumps(dict(sorted(data.items())), indent=2) + "\n", encoding="utf8")
        os.replace(beside, folder / LOCK)


@contextmanager
def alone(path: Path, wait: bool = False) -> Iterator[None]:
    """Work while nobody else holds a file; our error if somebody does and we are not to wait."""
    try:
        import fcntl
    except ImportError:  # no such locks there: the last one to rename wins, and it is whole
        yield
        return
    while True:
        with path.open("a") as guard:
            try:
                fcntl.flock(guard, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise PawsError(Errors.P031.format(path=str(path.with_suffix("")))) from error
            except OSError:
                pass  # a file system without locks
            try:
                there = os.path.samestat(os.fstat(guard.fileno()), os.stat(path))
            except FileNotFoundError:
                there = False
            # Who held it may have removed it just now: the next one would make another, and hold that.
            if there:
                yield
                return


def known_sum(file: File, folder: Path) -> Optional[str]:
    """The SHA-256 that a file is known by: the published one's, or what the first fetch wrote down."""
    if file.sum:
        return file.sum.sha256
    entry = read_lock(folder).get(file.path)
    return entry.get("sha256") if entry else None
