"""Fetches a split into the data folder: from where it is published, or from a mirror; nothing wrong stays there."""

import os
import time
import urllib.parse
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..errors import Errors, PawsError, without_secrets
from .cards import Card, File, Origin, Split, Sum
from .download import PART, download, forget, holding, sum_file
from .folder import known_sum, write_lock
from .unpacking import unpack

# A web server, or a folder, that has the files under their paths in the data folder.
MIRROR = "PAWS_MIRROR"
PARTS = ".parts"


class Fetched(NamedTuple):
    """What came of one file: where it is, its sum, and whether it had to be brought, or was there ("there")."""

    path: Path
    sum: Sum
    how: str


def fetch_split(
    card: Card,
    split: Split,
    folder: Path,
    *,
    mirror: Optional[str] = None,
    sha256: Optional[str] = None,
    fresh: bool = False,
    timeout: float = 30.0,
    quiet: bool = False,
) -> List[Fetched]:
    """Bring the files of a split. One that is there is compared with its sum and left alone.

    card (Card), split (Split): The corpus and the split.
    folder (Path): The data folder.
    mirror (Optional[str]): An address or a folder that has the files under their paths in the data folder; None for
        what `PAWS_MIRROR` names, or else where they are published.
    sha256 (Optional[str]): The sum to expect in place of the card's.
    fresh (bool): Whether to bring what is there again.
    timeout (float): How many seconds without a byte are a break.
    quiet (bool): Whether to show no progress.
    RETURNS (List[Fetched]): What came of each file. Of an archive all files that the card names are taken out at once.
    """
    mirror = mirror or os.environ.get(MIRROR) or None
    if sha256 and len(split.files) > 1:
        raise PawsError(Errors.P015.format(name="--sha256", what="given for a split of one file", value=sha256))
    done: List[Fetched] = []
    for file in split.files:
        there = None if fresh else _there(file, folder, sha256)
        if there is not None:
            done.append(there)
            continue
        options = {"timeout": timeout, "quiet": quiet}
        try:
            if mirror:
                done.append(_from_mirror(file, folder, mirror, sha256, options))
            elif file.origin is None:
                raise PawsError(Errors.P511.format(name=f"{card.name}:{split.name}", how=split.by_hand, path=file.path))
            else:
                others = _of_archive(card, file, folder, fresh)
                done += _from_origin(file, others, folder, file.origin, sha256, options)
        except OSError as error:
            raise PawsError(Errors.P507.format(path=str(folder / file.path), reason=error.strerror or error)) from error
    return done


def _there(file: File, folder: Path, sha256: Optional[str]) -> Optional[Fetched]:
    path = folder / file.path
    if not path.is_file():
        return None
    found = sum_file(path)
    wanted = _accepted(file, folder, sha256, copies=True)
    if wanted and found.sha256 not in wanted:
        raise PawsError(Errors.P512.format(path=str(path), found=found.sha256, wanted=" or ".join(wanted)))
    return Fetched(path, found, "there")


def _accepted(file: File, folder: Path, sha256: Optional[str], copies: bool) -> List[str]:
    """The sums that a file may have; none if nobody knows. A copy's will do where no published file is claimed."""
    if sha256:
        return [sha256.lower()]
    known = known_sum(file, folder)
    return [one for one in (known, file.copy.sha256 if file.copy and copies else None) if one]


def _from_mirror(file: File, folder: Path, mirror: str, sha256: Optional[str], options: Dict[str, Any]) -> Fetched:
    quoted = urllib.parse.quote(file.path)
    local = "://" not in mirror
    url = (Path(mirror).expanduser().resolve() / file.path).as_uri() if local else f"{mirror.rstrip('/')}/{quoted}"
    part = _part(folder, file.path)
    with holding(part):
        wanted = _accepted(file, folder, sha256, copies=True)
        _bring(url, part, wanted, options, Path(file.path).name)
        return _place(file, part, folder, url, wanted)


def _from_origin(
    file: File,
    others: Sequence[File],
    folder: Path,
    origin: Origin,
    sha256: Optional[str],
    options: Dict[str, Any],
) -> List[Fetched]:
    name = urllib.parse.urlsplit(origin.url).path.rsplit("/", 1)[-1]
    part = _part(folder, name)
    with holding(part):
        if origin.unpack is not None:
            _bring(origin.url, part, (), options, name)
            return _from_archive(file, others, folder, origin, sha256, part)
        wanted = _accepted(file, folder, sha256, copies=False)
        _bring(origin.url, part, wanted, options, name)
        return [_place(file, part, folder, origin.url, wanted)]


def _from_archive(
    file: File, others: Sequence[File], folder: Path, origin: Origin, sha256: Optional[str], part: Path
) -> List[Fetched]:
    places = {str(one.member or ""): _part(folder, one.path + ".unpacked") for one in (file, *others)}
    try:
        unpack(part, str(origin.unpack), places, origin.url)
        done = []
        for one in (file, *others):
            wanted = _accepted(one, folder, sha256 if one is file else None, copies=False)
            done.append(_place(one, places[str(one.member or "")], folder, origin.url, wanted))
    except PawsError:
        forget(part)  # the archive is not what it should be; a full disk is another matter, and keeps it
        raise
    finally:
        for place in places.values():
            forget(place)
    whole = sum_file(part)
    write_lock(folder, {without_secrets(origin.url): _entry(whole, origin.url)})
    forget(part)
    return done


def _of_archive(card: Card, file: File, folder: Path, fresh: bool) -> List[File]:
    """What else the card names in the archive of a file, and is not there: it need not be brought a second time."""
    if file.origin is None or file.origin.unpack not in ("tar", "zip"):
        return []
    others = [one for split in card.splits.values() for one in split.files if one.origin == file.origin]
    left = [one for one in others if fresh or not (folder / one.path).exists()]
    # What is to be in two places is brought for each.
    return list({one.member: one for one in left if one.member != file.member}.values())


def _bring(url: str, part: Path, wanted: Sequence[str], options: Dict[str, Any], label: str) -> None:
    """Download; where the sum is wrong and some of the file was from an earlier try, once more from its beginning."""
    resumed = download(url, part, label=label, **options)
    if resumed and wanted and sum_file(part).sha256 not in wanted:
        forget(part)
        download(url, part, label=label, **options)


def _place(file: File, part: Path, folder: Path, url: str, wanted: Sequence[str]) -> Fetched:
    """Put a file where it belongs, if its sum is right; if not, it goes."""
    found = sum_file(part)
    if wanted and found.sha256 not in wanted:
        forget(part)
        hint = Errors.P514 if not file.sum else ""
        told = Errors.P513.format(path=file.path, url=url, wanted=" or ".join(wanted), found=found.sha256)
        raise PawsError(f"{told} {hint}".strip())
    path = folder / file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    with part.open("rb") as data:
        os.fsync(data.fileno())
    os.replace(part, path)
    forget(part)
    write_lock(folder, {file.path: _entry(found, url)})
    return Fetched(path, found, "fetched")


def _entry(found: Sum, url: str) -> Dict[str, Any]:
    date = time.strftime("%Y-%m-%d", time.gmtime())
    return {"sha256": found.sha256, "md5": found.md5, "size": found.size, "url": without_secrets(url), "date": date}


def _part(folder: Path, name: str) -> Path:
    """Where a file is while it is not whole; in the folder of the data, so that a rename is all that is left."""
    parts = folder / PARTS
    parts.mkdir(parents=True, exist_ok=True)
    return parts / (name.replace("/", "__") + PART)


def asset(card: Card, split: Split, dest: str = "assets") -> List[Dict[str, Any]]:
    """A split as entries of `assets` in a spaCy project. spaCy checks their MD5.

    card (Card), split (Split): The corpus and the split.
    dest (str): The folder of the project that they go to.
    RETURNS (List[Dict[str, Any]]): An entry per file: `dest`, `description`, and `url` and `checksum` where they are
        known. spaCy takes no archive apart: for a file in one there is no `url`, and `paws corpora fetch` brings it.
    """
    entries = []
    for file in split.files:
        direct = file.origin is not None and file.origin.unpack is None
        known: Tuple[Optional[Sum], ...] = (file.sum,) if direct else (file.sum, file.copy)
        one = next((found for found in known if found), None)
        entry: Dict[str, Any] = {"dest": f"{dest}/{file.path}"}
        if direct and file.origin:
            entry["url"] = file.origin.url
        if one:
            entry["checksum"] = one.md5
        entry["description"] = f"{card.title}, {split.name} ({card.licence})"
        entries.append(entry)
    return entries
