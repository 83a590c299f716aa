"""A run on disk: what it is (the manifest) and what is done of it (the shards), each there whole or not at all."""

import base64
import datetime
import hashlib
import json
import os
import re
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from ..errors import Errors, PawsError
from ..writers import sync

VERSION = 1
MANIFEST, LOCK = "manifest.json", "lock"
SHARD = "{:012d}.jsonl"
# What stands in the folder of a run; one with anything else in it is somebody's own.
OURS = re.compile(r"(manifest\.json|\d{12}\.jsonl|errors\.jsonl|\.errors\.jsonl)(\.new)?|lock|output|replaced")


class Entry(NamedTuple):
    """What came of one row, as plain data: a value, or why there is none.

    path (str), number (int): Where the row stands.
    value (Any): What came of it; None if nothing did. Where there is an error, what is kept of the row all the same.
    error (Optional[str]): Why nothing could.
    raw (str): The row as it stands, where there is an error.
    """

    path: str
    number: int
    value: Any = None
    error: Optional[str] = None
    raw: str = ""


class RunFolder:
    """The folder of a run.

    path (Path): The folder, beside the output: `OUTPUT.run`.
    manifest (Dict[str, Any]): What the run is: command, inputs, settings, versions.
    fresh (bool): Whether to start over, whatever is there.
    """

    def __init__(self, path: Path, manifest: Dict[str, Any], fresh: bool = False) -> None:
        self.path = path
        # As JSON gives it back: tuples are lists there.
        self.manifest: Dict[str, Any] = {"format": VERSION, **json.loads(dumps(manifest))}
        self.notes: Dict[str, Any] = {}
        self.shards: List[Shard] = []
        self._lock: Any = None
        try:
            path.mkdir(exist_ok=True)
            if any(not OURS.fullmatch(file.name) for file in path.iterdir()):
                raise PawsError(Errors.P040.format(path=str(path)))
            self._take()
            if (path / MANIFEST).exists() and not fresh:
                self._go_on()
            else:
                # Shards without a manifest are what a run left that ended while it cleaned up.
                self._clear()
                self._save()
        except OSError as error:
            self.release()
            raise PawsError(Errors.P021.format(path=str(path), reason=error)) from error
        except PawsError:
            self.release()
            raise

    @property
    def rows(self) -> int:
        """How many rows are done."""
        return sum(shard.rows for shard in self.shards)

    def note(self, **notes: Any) -> None:
        """Keep what was found out and need not be found out again."""
        self.notes.update(notes)
        self._save()

    def add(self, entries: List[Entry], digest: str, found: int) -> None:
        """Keep what came of the next rows. They are on the disk when this returns."""
        errors = sum(entry.error is not None for entry in entries)
        place = self.path / SHARD.format(self.rows)
        shard = Shard(place, self.rows, len(entries), found, errors, digest)
        lines = [dumps(_packed(entry)) for entry in entries]
        self._write(place, "\n".join([*lines, dumps(shard[1:])]) + "\n")
        self.shards.append(shard)

    def entries(self) -> Iterator[Entry]:
        """What came of all rows, in their order."""
        for shard in self.shards:
            with open(shard.path, encoding="utf8", errors="surrogatepass", newline="\n") as lines:
                for line, _ in zip(lines, range(shard.rows)):
                    yield _unpacked(loads(line))

    def release(self) -> None:
        """Let another run have the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def remove(self) -> None:
        """The folder goes."""
        self._clear()
        shutil.rmtree(self.path)
        self.release()

    def _clear(self) -> None:
        # The manifest first: a folder without one is nothing that anybody would go on with.
        (self.path / MANIFEST).unlink(missing_ok=True)
        for file in self.path.iterdir():
            if file.is_dir():
                shutil.rmtree(file)
            elif file.name != LOCK:
                file.unlink()

    def _take(self) -> None:
        """Two runs at once would write over each other. The lock goes with the process, however that ends."""
        try:
            import fcntl
        except ImportError:  # not on this system
            return
        self._lock = open(self.path / LOCK, "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.release()
            raise PawsError(Errors.P031.format(path=str(self.path))) from error
        except OSError:
            pass  # a file system without locks

    def _go_on(self) -> None:
        try:
            found = json.loads((self.path / MANIFEST).read_text(encoding="utf8"))
            self.notes = dict(found.pop("notes"))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise PawsError(Errors.P035.format(path=str(self.path / MANIFEST), reason=error)) from error
        other = list(setting_differences(found, self.manifest))
        if other:
            raise PawsError(Errors.P030.format(path=str(self.path), differences="\n".join(other)))
        self.shards = list(self._found_shards())

    def _found_shards(self) -> Iterator["Shard"]:
        """The shards from the first row on, as far as they follow each other; what comes after is done again."""
        start, whole = 0, True
        for path in sorted(self.path.glob("[0-9]*.jsonl")):
            shard = read_shard(path) if whole else None
            if shard is None or shard.start != start:
                whole = False
                path.unlink()
                continue
            start += shard.rows
            yield shard

    def _save(self) -> None:
        text = json.dumps({**self.manifest, "notes": self.notes}, ensure_ascii=False, indent=2)
        self._write(self.path / MANIFEST, text + "\n")

    def _write(self, place: Path, text: str) -> None:
        beside = place.with_name(place.name + ".new")
        try:
            with open(beside, "w", encoding="utf8", errors="surrogatepass", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, place)
            sync(self.path)
        finally:
            beside.unlink(missing_ok=True)


class Shard(NamedTuple):
    """A finished piece of a run: which rows, what came of how many, and a hash of what the rows were."""

    path: Path
    start: int
    rows: int
    found: int
    errors: int
    digest: str


def read_shard(path: Path) -> Optional[Shard]:
    """A shard by its last line; None if it is damaged."""
    try:
        with open(path, "rb") as file:
            file.seek(-min(4096, os.path.getsize(path)), os.SEEK_END)
            start, rows, found, errors, digest = json.loads(file.read().splitlines()[-1])
        return Shard(path, int(start), int(rows), int(found), int(errors), str(digest))
    except (OSError, ValueError, TypeError, IndexError):
        return None


def setting_differences(old: Any, new: Any, name: str = "") -> Iterator[str]:
    """What is not the same in two manifests, a line each."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from setting_differences(old.get(key), new.get(key), f"{name}.{key}" if name else str(key))
    elif old != new:
        yield f"    {name}: {_short(old)} then, {_short(new)} now"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:99] + "…"


def digest_rows(rows: Iterable[Any]) -> str:
    """A hash of rows as they stand."""
    found = hashlib.blake2b(digest_size=8)
    for row in rows:
        found.update(f"{row.number}\t{row.raw}\n".encode("utf8", "surrogatepass"))
    return found.hexdigest()


def _packed(entry: Entry) -> List[Any]:
    """An entry without what is empty at its end."""
    values: List[Any] = list(entry)
    while values[-1] in (None, ""):
        values.pop()
    return values


def _unpacked(values: List[Any]) -> Entry:
    return Entry(*values)


# Columns of Parquet files hold what JSON has no name for.
TYPES: Dict[str, Tuple[type, Any, Any]] = {
    "datetime": (datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    "date": (datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    "time": (datetime.time, datetime.time.isoformat, datetime.time.fromisoformat),
    "timedelta": (datetime.timedelta, datetime.timedelta.total_seconds, lambda s: datetime.timedelta(seconds=s)),
    "decimal": (Decimal, str, Decimal),
    "bytes": (bytes, lambda value: base64.b64encode(value).decode(), base64.b64decode),
}
TYPE_KEY = "\0type"


def dumps(value: Any) -> str:
    """A value as JSON, types that JSON does not know included."""
    return json.dumps(value, ensure_ascii=False, default=_to_json)


def loads(text: str) -> Any:
    """The same value again."""
    return json.loads(text, object_hook=_from_json if TYPE_KEY_JSON in text else None)


TYPE_KEY_JSON = json.dumps(TYPE_KEY)


def _to_json(value: Any) -> Any:
    for name, (kind, pack, _) in TYPES.items():
        if isinstance(value, kind):
            return {TYPE_KEY: name, "value": pack(value)}
    return str(value)


def _from_json(data: Dict[str, Any]) -> Any:
    name = data.get(TYPE_KEY)
    return TYPES[name][2](data["value"]) if name in TYPES else data
