"""The cards of corpora: what each is, where it is published, under which licence, and what its files are."""

import os
import re
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ..errors import Errors, PawsError, unknown
from .samples import corpora_files

ENDING = ".yaml"
# A folder with cards of one's own.
CARDS = "PAWS_CORPORA"
NAME = re.compile(r"[A-Za-z0-9_]+(:[\w.-]+)?")
UNPACK = ("tar", "zip", "gz")


@dataclass(frozen=True)
class Sum:
    """The size and the checksums of one file.

    of (str): Which file that is, where it is not the published one: a copy whose bytes may differ from it.
    """

    size: int
    md5: str
    sha256: str
    of: str = ""


@dataclass(frozen=True)
class Origin:
    """An address that something is fetched from.

    url (str): The address.
    unpack (Optional[str]): "tar", "zip" or "gz" where files have to be taken out of it.
    stated (Tuple[str, ...]): Sums that others state for it. They are shown, not checked: two may disagree.
    """

    url: str
    unpack: Optional[str] = None
    stated: Tuple[str, ...] = ()


@dataclass(frozen=True)
class File:
    """One file of a split.

    path (str): Where it is in the data folder.
    origin (Optional[Origin]): Where it is published; None where no address is known.
    member (Optional[str]): Its name in the archive.
    sum (Optional[Sum]): The sum of the published file, computed from its very bytes.
    copy (Optional[Sum]): The sum of a copy, where nobody has compared it with the published file.
    """

    path: str
    origin: Optional[Origin] = None
    member: Optional[str] = None
    sum: Optional[Sum] = None
    copy: Optional[Sum] = None


@dataclass(frozen=True)
class Hub:
    """A part of a data set on the hub."""

    name: str
    config: Optional[str] = None
    split: Optional[str] = None
    revision: Optional[str] = None


@dataclass(frozen=True)
class Join:
    """Splits that a split is made of: the index, and the corpus whose text it points into; as `NAME:SPLIT`."""

    index: str
    text: str


@dataclass(frozen=True)
class Split:
    """A split of a corpus.

    name (str): Its name.
    files (Tuple[File, ...]): Its files. The first is what readers open.
    rows (Optional[int]): How many rows it has; None where nobody has counted.
    layout (Optional[str]): Its layout, one of `LAYOUTS`; None for what holds no pairs.
    about (str): What it is, where its name does not say so.
    by_hand (str): How to get it by hand, where it can't be fetched.
    hub (Optional[Hub]): Where it is on the hub.
    join (Optional[Join]): What it is made of, if it is joined rather than fetched.
    """

    name: str
    files: Tuple[File, ...]
    rows: Optional[int] = None
    layout: Optional[str] = None
    about: str = ""
    by_hand: str = ""
    hub: Optional[Hub] = None
    join: Optional[Join] = None

    @property
    def path(self) -> str:
        """The path of the first file in the data folder."""
        return self.files[0].path

    @property
    def fetchable(self) -> bool:
        """Whether every file has an address."""
        return all(file.origin for file in self.files)


@dataclass(frozen=True)
class Card:
    """A corpus.

    name (str): What it is asked for by.
    title, about (str): What it is.
    home (str): Its page.
    found (str): Who states the addresses.
    licence, licence_url (str): What one may do with it.
    lang (str): Its language, or several.
    cite (str): How to cite it.
    faults (Tuple[str, ...]): What is known to be wrong with it.
    splits (Dict[str, Split]): Its splits.
    """

    name: str
    title: str
    about: str
    home: str
    found: str
    licence: str
    cite: str
    lang: str = "en"
    licence_url: str = ""
    faults: Tuple[str, ...] = ()
    splits: Dict[str, Split] = field(default_factory=dict)

    def split(self, name: str) -> Split:
        """A split by its name."""
        if name not in self.splits:
            raise PawsError(Errors.P503.format(card=self.name, name=name, known=", ".join(self.splits)))
        return self.splits[name]


def load_card(path: Path) -> Card:
    """Read a card; our error, with the place, for one that is not right."""
    import srsly

    try:
        data = dict(srsly.read_yaml(path))
        return _card(path.stem, data)
    # Whatever a card by somebody else may hold.
    except Exception as error:
        raise PawsError(Errors.P501.format(path=str(path), reason=f"{type(error).__name__}: {error}")) from error


def all_cards() -> Dict[str, Card]:
    """Every card by its name: ours, and those in the folder that `PAWS_CORPORA` names, which win."""
    return dict(_all_cards(os.environ.get(CARDS) or None))


@lru_cache(maxsize=None)
def _all_cards(own: Optional[str]) -> Dict[str, Card]:
    paths = {path.stem: path for path in corpora_files(ENDING)}
    paths.update({path.stem: path for path in (sorted(Path(own).glob("*" + ENDING)) if own else ())})
    return {name: load_card(path) for name, path in sorted(paths.items())}


def get_card(name: str) -> Card:
    """A card by its name."""
    cards = all_cards()
    if name not in cards:
        raise PawsError(Errors.P502.format(name=name, known=", ".join(cards)))
    return cards[name]


def card_of(text: str) -> Optional[Tuple[Card, Optional[str]]]:
    """The card that `NAME` or `NAME:SPLIT` names, and the split's name; None for what names no card."""
    if not NAME.fullmatch(text):
        return None
    name, _, split = text.partition(":")
    card = all_cards().get(name)
    return (card, split or None) if card else None


def get_split(text: str) -> Split:
    """The split that `NAME:SPLIT` names; of a card with one split the name alone will do."""
    name, _, split = text.partition(":")
    card = get_card(name)
    if not split and len(card.splits) > 1:
        raise PawsError(Errors.P504.format(card=name, known=", ".join(card.splits)))
    return card.split(split or next(iter(card.splits)))


def _card(name: str, data: Dict[str, Any]) -> Card:
    origins = {key: _origin(value) for key, value in data.pop("sources", {}).items()}
    hub, layout = data.pop("hub", None), data.pop("layout", None)
    splits = {key: _split(key, dict(value), origins, hub, layout) for key, value in data.pop("splits").items()}
    faults = tuple(" ".join(fault.split()) for fault in data.pop("faults", ()))
    cite = str(data.pop("cite")).strip()
    texts: Dict[str, Any] = {key: " ".join(str(value).split()) for key, value in data.items()}
    card = Card(name=name, splits=splits, faults=faults, cite=cite, **texts)
    for item in ("title", "licence", "cite", "home", "found"):
        if not getattr(card, item):
            raise ValueError(f"`{item}` is empty")
    return card


def _origin(data: Mapping[str, Any]) -> Origin:
    made = Origin(data["url"], data.get("unpack"), tuple(data.get("stated", ())))
    _only(data, Origin)
    if made.unpack not in (None, *UNPACK):
        raise ValueError(unknown("`unpack`").format(name=made.unpack, known=", ".join(UNPACK)))
    return made


def _split(
    name: str, data: Dict[str, Any], origins: Dict[str, Origin], hub: Optional[Mapping[str, Any]], layout: Optional[str]
) -> Split:
    files: List[File] = [_file(one, origins) for one in (data, *data.pop("also", ()))]
    part = data.pop("hub", None)
    join = data.pop("join", None)
    for key in ("path", "source", "member", "sum", "copy"):
        data.pop(key, None)
    data["about"], data["by_hand"] = (" ".join(data.get(key, "").split()) for key in ("about", "by_hand"))
    return Split(
        name=name,
        files=tuple(files),
        hub=Hub(**{**(hub or {}), **part}) if part is not None else None,
        join=Join(**join) if join else None,
        layout=data.pop("layout", layout),
        **data,
    )


def _file(data: Mapping[str, Any], origins: Dict[str, Origin]) -> File:
    path = PurePosixPath(data["path"])
    if path.is_absolute() or ".." in path.parts or "\\" in data["path"]:
        raise ValueError(f"`path` must lie in the data folder: {data['path']!r}")
    sums = {key: Sum(**data[key]) if data.get(key) else None for key in ("sum", "copy")}
    origin = origins[data["source"]] if data.get("source") else None
    if origin and origin.unpack in ("tar", "zip") and not data.get("member"):
        raise ValueError(f"`member` of {data['path']!r} is missing: which file of the archive is it?")
    return File(str(path), origin, data.get("member"), **sums)


def _only(data: Mapping[str, Any], kind: type) -> None:
    known = [item.name for item in fields(kind)]
    for key in data:
        if key not in known:
            raise ValueError(unknown("field").format(name=key, known=", ".join(known)))
