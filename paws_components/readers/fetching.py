"""Brings a corpus by its card: from where it is published, from a mirror, from the hub, or joined from others."""

import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from ..corpora import all_cards, data_folder, get_card
from ..corpora.cards import Card
from ..corpora.fetching import MIRROR, fetch_split
from ..corpora.folder import held_path
from ..corpora.joining import join_split
from ..records import PathLike
from .hub import save_data_set


def cards() -> Dict[str, Card]:
    """The cards of the corpora that there are, by their names."""
    return all_cards()


def fetch(
    name: str,
    folder: Optional[PathLike] = None,
    *,
    mirror: Optional[str] = None,
    hub: bool = False,
    sha256: Optional[str] = None,
    fresh: bool = False,
    timeout: float = 30.0,
    quiet: bool = True,
    tell: Optional[Callable[[str], Any]] = None,
) -> Dict[str, Path]:
    """Bring a corpus, or a split of it, into the data folder. What is there is compared with its sum and left alone.

    name (str): `NAME` or `NAME:SPLIT`; `cards()` has the names. A name alone means every split that can be fetched.
    folder (Optional[Union[str, Path]]): The data folder; None for what `PAWS_DATA` names, or a cache folder.
    mirror (Optional[str]): An address or a folder with the files under their paths in the data folder; None for what
        `PAWS_MIRROR` names, or where they are published. With `hub`, a folder with copies of data sets.
    hub (bool): Whether to take it from the hub, with the datasets library.
    sha256 (Optional[str]): The sum to expect in place of the card's; of one split.
    fresh (bool): Whether to bring what is there again.
    timeout (float): How many seconds without a byte are a break.
    quiet (bool): Whether to show no progress.
    tell (Optional[Callable[[str], Any]]): Gets a line about each file.
    RETURNS (Dict[str, Path]): Where each split is, by its name.
    """
    corpus, _, one = name.partition(":")
    card = get_card(corpus)
    mirror = mirror or os.environ.get(MIRROR) or None
    names = [card.split(one).name] if one else _names(card, hub, mirror)
    say = tell or (lambda _: None)
    done: Dict[str, Path] = {}
    place = data_folder(folder)
    for key in names:
        split = card.split(key)
        if hub:
            done[key] = save_data_set(split, f"{card.name}:{key}", place, mirror, fresh=fresh)
            say(f"{card.name}:{key}: saved from the hub in {done[key]}")
        elif split.join and not mirror and (fresh or not held_path(split, place)):
            joined = join_split(card, split, place)
            done[key] = joined.path
            say(f"{card.name}:{key}: {joined}")
        else:
            options: Dict[str, Any] = {
                "mirror": mirror,
                "sha256": sha256,
                "fresh": fresh,
                "timeout": timeout,
                "quiet": quiet,
            }
            for file in fetch_split(card, split, place, **options):
                say(f"{file.how:7} {file.path} ({file.sum.size:,} bytes, SHA-256 {file.sum.sha256})")
            done[key] = place / split.path
    return done


def _names(card: Card, hub: bool, mirror: Optional[str]) -> List[str]:
    """The splits that a corpus's name alone means: those that can be had, a joined one after what it is made of."""
    splits = sorted(card.splits.values(), key=lambda split: split.join is not None)
    able = [split.name for split in splits if (split.hub if hub else split.fetchable or split.join or mirror)]
    # Where there is none, the first one's error says what to do.
    return able or list(card.splits)
