"""Files and folders wherever they are: on this machine, or at a URL that fsspec knows (`s3://`, `gs://`, `hf://`, …).

What is written is there whole or not at all. A store that fails for a moment is asked again, with growing pauses.
"""

import errno
import io
import os
import random
import re
import shutil
import time
import uuid
from pathlib import Path
from typing import IO, Any, Callable, Dict, List, Optional, Tuple, TypeVar, Union

from .errors import Errors, PawsError
from .needed import import_needed

# How long a store that fails is asked again, and what says otherwise.
SECONDS, SECONDS_ENV = 15.0, "PAWS_STORE_SECONDS"
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 8.0
# How much is fetched at once of a file that is read, or sent at once of one that is put, in bytes.
BLOCK, PUT_BLOCK = 4 << 20, 16 << 20
# When a write counts as stuck: after this many seconds, and as many bytes per second. aiohttp, which most drivers
# use, would wait for ever for a store that takes a connection and says nothing.
STUCK_SECONDS, STUCK_RATE = 30.0, 500_000
# Two letters at least: `C:\\` is a drive.
URL = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
LOCAL, S3 = ("file", "local"), ("s3", "s3a")
# Stores in which a name gets what is sent in one step; elsewhere that is written beside and moved.
IN_ONE_STEP = "s3 s3a gs gcs az abfs abfss adl oss oci hf memory".split()
READ_ONLY = ("http", "https")
# How many parts of a path are the bucket, the repository or what else must be there before a file can be.
ROOTS = {"hf": 3, "memory": 0}
# What fsspec says of a driver that is missing names its package; not so all of them.
PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "hf": "huggingface-hub", "az": "adlfs"} | {
    "abfs": "adlfs",
    "abfss": "adlfs",
    "http": "aiohttp",
    "https": "aiohttp",
    "sftp": "paramiko",
}
# What passes: by the answer's code, by the system's, and by what drivers and what they are made of call it.
PASSING_CODES = {408, 425, 429, 500, 502, 503, 504}
PASSING_ERRNO = {errno.EBUSY, errno.EAGAIN, errno.ETIMEDOUT, errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE} | {
    getattr(errno, "EREMOTEIO", errno.EBUSY),
    errno.ENETUNREACH,
    errno.EHOSTUNREACH,
}
PASSING_NAMES = {
    "TimeoutError",
    "ConnectionError",
    "HTTPClientError",
    "ResponseParserError",
    "IncompleteRead",
    "ClientConnectionError",
    "ClientPayloadError",
    "TransportError",
}
# What a driver calls a file that was replaced by another while it was read.
REPLACED = "FileExpired"

Found = TypeVar("Found")


class StoreError(OSError):
    """What a store answers that is not an answer. The same question may be answered another time."""


class NotThere(StoreError, FileNotFoundError):
    """There is nothing at a URL."""


class Refused(StoreError, PermissionError):
    """The store knows who asks, or does not, and says no."""


def is_url(path: Union[str, Path]) -> bool:
    """Whether a path is a URL, as `s3://bucket/pairs.jsonl`."""
    return URL.match(str(path)) is not None


def plain_url(path: Union[str, Path]) -> str:
    """A URL as it can be compared with others; a path, and the URL of one, as the path that it leads to."""
    text = str(path)
    protocol = _protocol(text)
    if not protocol or protocol in LOCAL:
        return os.path.realpath(text[len(protocol) + 3 :] if protocol else text)
    return {"s3a": "s3", "gcs": "gs"}.get(protocol, protocol) + text[len(protocol) :].rstrip("/")


def without_query(path: Union[str, Path]) -> str:
    """A path or a URL; one of the web without what follows the name of its file, as the signature of a signed URL."""
    text = str(path)
    return re.split("[?#]", text, maxsplit=1)[0] if _protocol(text) in READ_ONLY else text


def url_suffix(path: Union[str, Path]) -> str:
    """The ending of a file's name, as `.gz`, of a path or a URL."""
    return Path(without_query(path).rpartition("/")[2]).suffix


def open_url(path: str, mode: str = "rb") -> IO[bytes]:
    """Open a file for reading. It can seek wherever the store can give a piece of a file.

    path (str): The URL.
    mode (str): "rb".
    RETURNS (IO[bytes]): The file. A read that fails for a moment is repeated; an end that comes too early is an error.
    """
    fs, place = _store(path)
    return io.BufferedReader(_Steady(path, _asked(path, lambda: fs.open(place, mode, block_size=BLOCK))), 1 << 16)


def url_size(path: str) -> Optional[int]:
    """How many bytes a file has; None where the store does not say, as of a folder. OSError if nothing is there."""
    fs, place = _store(path)
    about = _asked(path, lambda: fs.info(place))
    return about.get("size") if about.get("type") == "file" else None


def url_kind(path: str) -> Optional[str]:
    """What is at a URL: "file", "directory", or None for nothing."""
    fs, place = _store(path)
    try:
        return _asked(path, lambda: str(fs.info(place)["type"]))
    except FileNotFoundError:
        return None


def put_file(local: Path, url: str) -> None:
    """Put a file of this machine at a URL, whole or not at all."""
    fs, place = _store(url)
    # S3 takes a file in pieces, 10,000 at most; several are held at once, and need not fill the memory.
    size = local.stat().st_size
    how: Dict[str, Any] = {"chunksize": max(PUT_BLOCK, size // 9000)} if _protocol(url) in S3 else {}
    how.update(_limit(fs, size))
    _in_one_step(url, fs, place, lambda to: fs.put_file(str(local), to, **how))


def put_path(local: Path, url: str) -> None:
    """Put a file, or a folder of files, of this machine at a URL.

    No store replaces a folder in one step: each file is there whole or not at all, and what is left of an earlier
    folder (`shard-…` where the new files are shards) goes last.
    """
    if local.is_file():
        put_file(local, url)
        return
    folder = RemoteFolder(url)
    new = sorted(file.name for file in local.iterdir())
    for name in new:
        put_file(local / name, f"{folder}/{name}")
    stems = {name.partition("-")[0] for name in new}
    for name in folder.names():
        if name not in new and name.partition("-")[0] in stems:
            folder.remove(name)


def remove_url(url: str) -> None:
    """Remove a file; it need not be there."""
    fs, place = _store(url)
    try:
        _asked(url, lambda: fs.rm_file(place))
    except FileNotFoundError:
        pass


def check_url(url: str) -> None:
    """OSError if nothing can be written at a URL, as far as that can be told without writing: the store answers, and
    its bucket, or what stands for one, is there."""
    protocol = _protocol(url)
    if protocol in READ_ONLY:
        raise Refused(f"{protocol}:// can be read from only")
    fs, place = _store(url)
    depth = ROOTS.get(protocol, 1)
    root = "/".join(place.strip("/").split("/")[:depth])
    if protocol in IN_ONE_STEP and depth:
        try:
            _asked(url, lambda: fs.info(root))
        except FileNotFoundError as error:
            raise NotThere(f"there is no {root!r} in this store") from error
        except Refused:
            # Who may use a part of a bucket alone need not be told of the bucket.
            url_kind(url)


class LocalFolder:
    """A folder of this machine with files in it.

    path (Union[str, Path]): The folder.
    """

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)

    def __str__(self) -> str:
        return str(self.path)

    def names(self) -> List[str]:
        """The names of what is in it, sorted; none where it is not there."""
        try:
            return sorted(os.listdir(self.path))
        except FileNotFoundError:
            return []

    def read(self, name: str) -> bytes:
        """A whole file."""
        return (self.path / name).read_bytes()

    def tail(self, name: str, n: int) -> bytes:
        """The last bytes of a file, all of it if it has fewer."""
        with self.open(name) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - n))
            return file.read()

    def write(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all; it is on the disk when this returns."""
        place = self.path / name
        # A name of its own: a worker that was thought dead may be writing the same file.
        beside = self.path / f"{name}.{uuid.uuid4().hex}.new"
        try:
            with open(beside, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, place)
            sync(self.path)
        finally:
            beside.unlink(missing_ok=True)

    def open(self, name: str) -> IO[bytes]:
        """Open a file for reading."""
        return open(self.path / name, "rb")

    def remove(self, name: str) -> None:
        """Remove a file, or a folder with all that is in it; it need not be there."""
        place = self.path / name
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)

    def remove_all(self) -> None:
        """Remove the folder, and what is in it; it need not be there."""
        try:
            shutil.rmtree(self.path)
        except FileNotFoundError:
            pass

    def exists(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return (self.path / name).is_file()


class RemoteFolder:
    """A folder of a store, which is no more than what the names of its files begin with.

    url (str): Its URL.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def __str__(self) -> str:
        return self.url

    def names(self) -> List[str]:
        """The names of what is in it, sorted, as it is now: no earlier list is trusted. None where it is not there."""
        fs, place = _store(self.url)
        try:
            found = _asked(self.url, lambda: fs.ls(place, detail=True))
        except FileNotFoundError:
            return []
        inside = {about["name"].strip("/") for about in found} - {place.strip("/")}
        return sorted(name.rpartition("/")[2] for name in inside)

    def read(self, name: str) -> bytes:
        """A whole file."""
        fs, place = _store(self._at(name))
        return _asked(self._at(name), lambda: fs.cat_file(place))

    def tail(self, name: str, n: int) -> bytes:
        """The last bytes of a file, all of it if it has fewer."""
        fs, place = _store(self._at(name))
        try:
            return _asked(self._at(name), lambda: fs.cat_file(place, start=-n))[-n:]
        except FileNotFoundError:
            raise
        except OSError:
            # Not every store knows the last bytes of a file, and none those of an empty one.
            return self.read(name)[-n:]

    def write(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all; the store has it when this returns."""
        fs, place = _store(self._at(name))
        _in_one_step(self._at(name), fs, place, lambda to: fs.pipe_file(to, data, **_limit(fs, len(data))))

    def open(self, name: str) -> IO[bytes]:
        """Open a file for reading."""
        return open_url(self._at(name))

    def remove(self, name: str) -> None:
        """Remove a file; it need not be there."""
        remove_url(self._at(name))

    def remove_all(self) -> None:
        """Remove all files of the folder, also those of folders in it; there need not be any."""
        fs, place = _store(self.url)
        try:
            _asked(self.url, lambda: fs.rm(place, recursive=True))
        except FileNotFoundError:
            pass

    def exists(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return url_kind(self._at(name)) == "file"

    def _at(self, name: str) -> str:
        return f"{self.url}/{name}"


Folder = Union[LocalFolder, RemoteFolder]


def folder_at(path: Union[str, Path]) -> Folder:
    """The folder at a path or a URL; nothing is done to it yet."""
    text = str(path)
    if not is_url(text):
        return LocalFolder(path)
    protocol = _protocol(text)
    return LocalFolder(text[len(protocol) + 3 :]) if protocol in LOCAL else RemoteFolder(text)


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _protocol(url: str) -> str:
    found = URL.match(url)
    return found.group(1).lower() if found else ""


def _store(url: str) -> Tuple[Any, str]:
    """The store that a URL leads to, and the path in it. Nothing is asked of the store yet."""
    protocol = _protocol(url)
    install = f"'paws-components[remote]' {PACKAGES.get(protocol, '')}".strip()
    fsspec = import_needed("fsspec", f"`{protocol}://`", install)
    # We ask again ourselves: a driver that does so too would have a dead store asked for minutes.
    options: Dict[str, Any] = {"use_listings_cache": False}
    if protocol in S3:
        known = fsspec.config.conf.get(protocol, {}).get("config_kwargs", {})
        options.update(config_kwargs={**known, "retries": {"total_max_attempts": 1}}, max_concurrency=2)
    try:
        fs, place = fsspec.core.url_to_fs(url, **options)
    except ImportError as error:
        package = PACKAGES.get(protocol, str(error))
        raise PawsError(Errors.P071.format(protocol=protocol, package=package)) from error
    except ValueError as error:
        raise PawsError(Errors.P072.format(url=url, reason=error)) from error
    if hasattr(fs, "retries"):
        fs.retries = 1
    # The hub's driver keeps lists all the same.
    fs.invalidate_cache()
    return fs, place


def _limit(fs: Any, size: int) -> Dict[str, float]:
    """How long a driver may take to write so many bytes, as far as it can be told."""
    return {"timeout": STUCK_SECONDS + size / STUCK_RATE} if getattr(fs, "async_impl", False) else {}


def _in_one_step(url: str, fs: Any, place: str, write: Callable[[str], Any]) -> None:
    """Write to a place of a store, whole or not at all."""
    if _protocol(url) in IN_ONE_STEP:
        _asked(url, lambda: write(place))
        return
    beside = f"{place}.{uuid.uuid4().hex}.new"

    def write_and_move() -> None:
        fs.makedirs(fs._parent(place), exist_ok=True)
        write(beside)
        fs.mv(beside, place)

    _asked(url, write_and_move)


def _asked(url: str, ask: Callable[[], Found]) -> Found:
    """What a store answers; OSError if it does not. What may pass is tried again for some seconds."""
    allowed = float(os.environ.get(SECONDS_ENV) or SECONDS)
    tries, longest = 0, FIRST_PAUSE
    failing: Optional[float] = None
    while True:
        try:
            return ask()
        # Each driver has errors of its own, of packages that need not be here.
        except Exception as error:
            if isinstance(error, PawsError):
                raise
            if not _passes(error):
                raise _told(error) from error
            # No two workers' pauses are alike, so that they do not all come back at once.
            pause = longest * random.uniform(0.75, 1.0)
            failing = failing or time.monotonic()
            spent, tries = time.monotonic() - failing, tries + 1
            if spent + pause > allowed:
                times = f"{tries} tries in {spent:.0f} seconds"
                told = f"the store failed again and again ({times}), at last with: {_text(error)}"
                raise StoreError(told) from error
        time.sleep(pause)
        longest = min(2 * longest, LONGEST_PAUSE)


def _passes(error: BaseException) -> bool:
    """Whether what failed may work a moment later. What is not known to pass fails at once."""
    if type(error).__name__ == REPLACED:
        return False
    chain: Optional[BaseException] = error
    while chain is not None:
        code = _code(chain)
        if code is not None:
            return code in PASSING_CODES
        if {kind.__name__ for kind in type(chain).__mro__} & PASSING_NAMES:
            return True
        if isinstance(chain, OSError) and chain.errno in PASSING_ERRNO:
            return True
        chain = chain.__cause__
    return False


def _code(error: BaseException) -> Optional[int]:
    """The code of the answer that is an error, wherever the driver keeps it."""
    answer = getattr(error, "response", None)
    if isinstance(answer, dict):
        answer = answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
    else:
        answer = getattr(answer, "status_code", None)
    found = [answer, *(getattr(error, name, None) for name in ("status", "status_code", "code"))]
    return next((code for code in found if isinstance(code, int) and 100 <= code < 600), None)


def _told(error: Exception) -> StoreError:
    """An error of a driver as one that every caller knows."""
    text = _text(error)
    if isinstance(error, FileNotFoundError):
        return NotThere(text if "bucket does not exist" in text else "there is no such file")
    if type(error).__name__ == REPLACED:
        return StoreError("it was replaced by another while it was read")
    return Refused(text) if isinstance(error, PermissionError) else StoreError(text)


def _text(error: Exception) -> str:
    told = getattr(error, "strerror", None) or str(error)
    return " ".join(str(told).split()).rstrip(".") or type(error).__name__


class _Steady(io.RawIOBase):
    """A file of a store that is read on where a read failed for a moment. One that is cut short is noticed."""

    def __init__(self, url: str, file: Any) -> None:
        self.url, self.file, self.place = url, file, 0
        # A stream, which has no size, can't be read again.
        self.size: Optional[int] = getattr(file, "size", None)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self.size is not None

    def tell(self) -> int:
        return self.place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if self.size is None:
            raise io.UnsupportedOperation("seek")
        self.place = max(0, offset + {os.SEEK_SET: 0, os.SEEK_CUR: self.place, os.SEEK_END: self.size}[whence])
        return self.place

    def readinto(self, buffer: Any) -> int:
        if self.size is None:
            try:
                data = self.file.read(len(buffer))
            # As in `_asked`; but a stream can't be asked again.
            except Exception as error:
                raise _told(error) from error
        else:
            data = _asked(self.url, lambda: self._read(min(len(buffer), BLOCK)))
            if not data and self.place < self.size and len(buffer):
                raise StoreError(f"it ends after {self.place:,} of {self.size:,} bytes")
        buffer[: len(data)] = data
        self.place += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self.file.close()
        super().close()

    def _read(self, count: int) -> bytes:
        self.file.seek(self.place)
        return bytes(self.file.read(count))
