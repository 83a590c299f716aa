"""One file over HTTP: goes on after a break, waits where a server is busy, and says what is wrong with it."""

import hashlib
import http.client
import json
import os
import shutil
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, Optional

from ..errors import Errors, PawsError, without_secrets
from .cards import Sum
from .folder import alone

PART = ".part"
CHUNK = 1 << 16
# How often it is tried without a byte more, and how long to wait in between: twice as long each time.
TRIES, FIRST_WAIT, LONGEST_WAIT = 5, 1.0, 60.0
BUSY = (408, 425, 429, 500, 502, 503, 504)
SCHEMES = ("http", "https", "file")


class Dropped(Exception):
    """The connection ended before the file did, or nothing came in time."""


def download(url: str, part: Path, *, timeout: float = 30.0, quiet: bool = False, label: str = "") -> bool:
    """Bring a file; what is there of it already is not asked for again. Who calls it holds the part: see `holding`.

    url (str): The address.
    part (Path): Where its bytes go, with a note beside them of what they are the beginning of.
    timeout (float): How many seconds without a byte are a break.
    quiet (bool): Whether to show no progress.
    label (str): What the progress is called.
    RETURNS (bool): Whether some of it was there from an earlier try.
    """
    if urllib.parse.urlsplit(url).scheme not in SCHEMES:
        raise PawsError(Errors.P506.format(url=url, reason="it is not an address of http or https"))
    try:
        return _download(url, part, timeout, quiet, label or part.name.removesuffix(PART))
    except OSError as error:
        raise PawsError(Errors.P507.format(path=str(part), reason=error.strerror or error)) from error


@contextmanager
def holding(part: Path) -> Iterator[None]:
    """Have a part to oneself until what is in it has its place; our error if somebody else has it."""
    guard = part.with_name(part.name + ".guard")
    with alone(guard):
        try:
            yield
        finally:
            guard.unlink(missing_ok=True)


def _download(url: str, part: Path, timeout: float, quiet: bool, label: str) -> bool:
    resumed = part.exists() and part.stat().st_size > 0 and _note(part).get("url") == without_secrets(url)
    failed = 0
    with _Bar(label, quiet) as bar:
        while True:
            before = _size(part)
            try:
                _attempt(url, part, timeout, bar)
                return resumed
            except Dropped as broken:
                failed = 0 if _size(part) > before else failed + 1
                reason = str(broken)
            except urllib.error.HTTPError as error:
                if error.code not in BUSY:
                    raise PawsError(Errors.P506.format(url=url, reason=_told(error))) from error
                failed += 1
                reason = _told(error)
                wait = error.headers.get("Retry-After", "") if error.headers else ""
                time.sleep(min(float(wait), LONGEST_WAIT) if wait.isdigit() else 0)
            if failed >= TRIES:
                raise PawsError(Errors.P508.format(url=url, reason=reason, done=f"{_size(part):,}"))
            time.sleep(min(FIRST_WAIT * 2 ** max(failed - 1, 0), LONGEST_WAIT))


def _attempt(url: str, part: Path, timeout: float, bar: "_Bar") -> None:
    """Ask for the file, or for the rest of it, and take what comes."""
    note = _note(part)
    # A key in an address may be another one by now; the file is the same.
    have = _size(part) if note.get("url") == without_secrets(url) else 0
    if have and have == note.get("total"):
        return
    headers = {"User-Agent": "paws-components", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        # With this a server that has another file by now sends that one from its beginning.
        if note.get("tag"):
            headers["If-Range"] = note["tag"]
    try:
        response = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=timeout)
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:  # the file is shorter than what we have: it is another one
            forget(part)
            raise Dropped("the file has changed on the server") from error
        raise
    except (urllib.error.URLError, TimeoutError, OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, FileNotFoundError):
            raise PawsError(Errors.P506.format(url=url, reason="there is no such file")) from error
        raise Dropped(f"{reason}") from error
    with response:
        if have and response.status != 206:
            have = 0  # the server knows nothing of ranges, or has another file by now: here it comes from its beginning
        elif have and not _goes_on(response, have, note):
            forget(part)
            raise Dropped("the file has changed on the server")
        total = _total(response, have)
        _write_note(part, {"url": without_secrets(url), "total": total, "tag": _tag(response)})
        if total is not None and total - have > shutil.disk_usage(part.parent).free:
            raise PawsError(Errors.P507.format(path=str(part), reason=f"{total - have:,} bytes are more than is free"))
        bar.begin(have, total)
        _take(response, part, have, total, bar)


def _take(response: Any, part: Path, have: int, total: Optional[int], bar: "_Bar") -> None:
    with part.open("r+b" if part.exists() else "wb") as file:
        file.truncate(have)
        file.seek(have)
        try:
            while True:
                try:
                    data = response.read1(CHUNK) if hasattr(response, "read1") else response.read(CHUNK)
                # A server that went away, or is silent.
                except (OSError, http.client.HTTPException) as error:
                    raise Dropped(str(error) or type(error).__name__) from error
                if not data:
                    break
                file.write(data)
                have += len(data)
                bar.add(len(data))
        finally:
            file.flush()
    if total is not None and have < total:
        raise Dropped(f"the connection ended at {have:,} of {total:,} bytes")


def _goes_on(response: Any, have: int, note: Dict[str, Any]) -> bool:
    """Whether an answer is the rest of the very file whose beginning is there."""
    span = response.headers.get("Content-Range", "")
    start, _, total = span.removeprefix("bytes ").partition("/")
    if not start.startswith(f"{have}-") or (note.get("total") is not None and total not in ("*", str(note["total"]))):
        return False
    return not note.get("tag") or _tag(response) in (None, note["tag"])


def _total(response: Any, have: int) -> Optional[int]:
    length = response.headers.get("Content-Length", "")
    return have + int(length) if length.isdigit() else None


def _tag(response: Any) -> Optional[str]:
    """What tells this file from a later one at the same address. A weak tag does not, for parts."""
    tag = response.headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified")


def _told(error: urllib.error.HTTPError) -> str:
    return f"the server says {error.code} {error.reason}"


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _note_path(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _note(part: Path) -> Dict[str, Any]:
    try:
        return dict(json.loads(_note_path(part).read_text(encoding="utf8")))
    except (OSError, ValueError, TypeError):
        return {}


def _write_note(part: Path, note: Dict[str, Any]) -> None:
    if _note(part) != note:
        beside = part.with_name(part.name + ".json.new")
        beside.write_text(json.dumps(note), encoding="utf8")
        # What is there belongs to the old note: it goes before the new one comes.
        if _note(part).get("url") != note["url"] or _note(part).get("tag") != note["tag"]:
            part.unlink(missing_ok=True)
        os.replace(beside, _note_path(part))


def forget(part: Path) -> None:
    """Remove what was begun, and the note beside it."""
    part.unlink(missing_ok=True)
    _note_path(part).unlink(missing_ok=True)


def sum_file(path: Path) -> Sum:
    """The size and the checksums of a file."""
    md5, sha256, size = hashlib.md5(usedforsecurity=False), hashlib.sha256(), 0
    with path.open("rb") as file:
        while data := file.read(1 << 20):
            md5.update(data)
            sha256.update(data)
            size += len(data)
    return Sum(size, md5.hexdigest(), sha256.hexdigest())


class _Bar:
    """The progress of a download, on a terminal."""

    def __init__(self, label: str, quiet: bool) -> None:
        self.label, self.shown, self.bar = label, not quiet and sys.stderr.isatty(), None

    def __enter__(self) -> "_Bar":
        return self

    def begin(self, have: int, total: Optional[int]) -> None:
        if self.shown:
            import tqdm

            self.__exit__()
            self.bar = tqdm.tqdm(total=total, initial=have, unit="B", unit_scale=True, desc=self.label, leave=False)

    def add(self, count: int) -> None:
        if self.bar is not None:
            self.bar.update(count)

    def __exit__(self, *_: Any) -> None:
        if self.bar is not None:
            self.bar.close()
