"""A run on disk: what it is (the manifest) and what is done of it (the shards), each there whole or not at all."""

import base64
import datetime
import hashlib
import json
import re
import time
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..errors import Errors, PawsError
from ..records import PathLike
from ..storage import LocalFolder, folder_at
from ..writers import take_back

VERSION = 1
# The folder of a run is called after its output; in its shop the output is put together.
RUN, SHOP = ".run", "output"
MANIFEST, LOCK = "manifest.json", "lock"
SHARD, SHARD_NAME = "{:012d}.jsonl", re.compile(r"\d{12}\.jsonl")
# What stands in the folder of a run; one with anything else in it is somebody's own.
OURS = re.compile(
    r"(manifest\.json|\d{12}\.jsonl|errors\.jsonl|\.errors\.jsonl)((\.[0-9a-f]{32})?\.new)?|lock|output|replaced"
)


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


class Shard(NamedTuple):
    """A finished piece of a run: which rows, what came of how many, and a hash of what the rows were.

    start (int): How many rows come before.
    rows (int), found (int), errors (int): How many it has, came to something, and are errors.
    digest (str): The hash.
    """

    start: int
    rows: int
    found: int
    errors: int
    digest: str

    @property
    def name(self) -> str:
        return SHARD.format(self.start)


@dataclass
class ShardPlace:
    """Where shards go, for whoever writes them: plain data that travels to the workers.

    path (str): The folder of the run, or its URL.
    run (str): The name of the run that the folder is of.
    """

    path: str
    run: str

    def is_seen(self) -> bool:
        """Whether this is the folder that is meant, rather than nothing, or the same path on another machine's disk."""
        try:
            return self._run_there() == self.run
        except OSError:
            return False

    def _run_there(self) -> Optional[str]:
        """The name of the run that the folder is of now; None if there is none."""
        try:
            found = _read_manifest(folder_at(self.path)).get("about", {}).get("run")
            return None if found is None else str(found)
        except (FileNotFoundError, NotADirectoryError, ValueError, AttributeError):
            return None

    def write(self, shard: Shard, entries: Sequence[Entry]) -> None:
        """Keep what came of some rows. It is on the disk when this returns."""
        # A run that goes on has a new name: nobody who is left of an earlier one writes into it. A store that does not
        # answer is another matter, and says so itself.
        if self._run_there() != self.run:
            raise PawsError(Errors.P056.format(path=self.path))
        lines = [dumps(_packed(entry)) for entry in entries]
        text = "\n".join([*lines, dumps(shard)]) + "\n"
        folder_at(self.path).write(shard.name, text.encode("utf8", "surrogatepass"))


class RunFolder:
    """The folder of a run.

    path (Union[str, Path]): The folder, beside the output: `OUTPUT.run`. It may be a URL.
    manifest (Dict[str, Any]): What the run is: command, inputs, settings, versions.
    fresh (bool): Whether to start over, whatever is there.
    about (Optional[Dict[str, Any]]): What is told of the run and need not be the same when it goes on.
    """

    def __init__(
        self, path: PathLike, manifest: Dict[str, Any], fresh: bool = False, about: Optional[Dict[str, Any]] = None
    ) -> None:
        self.path = path
        self.files = folder_at(path)
        # As JSON gives it back: tuples are lists there.
        self.manifest: Dict[str, Any] = {"format": VERSION, **json.loads(dumps(manifest))}
        self.about = {**(about or {}), "run": uuid.uuid4().hex}
        self.notes: Dict[str, Any] = {}
        self.shards: List[Shard] = []
        self._lock: Any = None
        try:
            if isinstance(self.files, LocalFolder):
                self.files.path.mkdir(exist_ok=True)
            if any(not OURS.fullmatch(name) for name in self.files.names()):
                raise PawsError(Errors.P040.format(path=str(path)))
            self._take()
            restore_output(self.files)
            for name in self.files.names():
                if name.endswith(".new"):  # of somebody who was killed while writing it
                    self.files.remove(name)
            if self.files.exists(MANIFEST) and not fresh:
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

    @property
    def place(self) -> ShardPlace:
        return ShardPlace(str(self.path), self.about["run"])

    def note(self, **notes: Any) -> None:
        """Keep what was found out and need not be found out again."""
        self.notes.update(notes)
        self._save()

    def keep(self, shard: Shard) -> None:
        """Take notice of a shard that is on the disk."""
        self.shards.append(shard)

    def look_again(self) -> None:
        """See which shards there are: a worker may have written some that nobody was told of."""
        self.shards = self._found_shards()

    def entries(self) -> Iterator[Entry]:
        """What came of all rows, in their order."""
        for shard in sorted(self.shards):
            with self.files.open(shard.name) as lines:
                for line, _ in zip(lines, range(shard.rows)):
                    yield _unpacked(loads(line.decode("utf8", "surrogatepass")))

    def release(self) -> None:
        """Let another run have the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def remove(self) -> None:
        """The folder goes."""
        self._clear()
        self.files.remove_all()
        self.release()

    def _clear(self) -> None:
        # The manifest first: a folder without one is nothing that anybody would go on with.
        for name in sorted(self.files.names(), key=lambda name: name != MANIFEST):
            if name != LOCK:
                self.files.remove(name)

    def _take(self) -> None:
        """Two runs at once would write over each other. The lock goes with the process, however that ends."""
        try:
            import fcntl
        except ImportError:  # not on this system
            return
        if not isinstance(self.files, LocalFolder):
            return  # an object store has no locks; there two runs of the same command write the same shards
        self._lock = open(self.files.path / LOCK, "w")
        try:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                # `paws runs` holds a lock for as long as it takes to see that nobody else does.
                time.sleep(0.1)
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.release()
            raise PawsError(Errors.P031.format(path=str(self.path))) from error
        except OSError:
            pass  # a file system without locks

    def _go_on(self) -> None:
        try:
            found = _read_manifest(self.files)
            self.notes = dict(found.pop("notes"))
            self.about = {**dict(found.pop("about", {})), **self.about}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise PawsError(Errors.P035.format(path=f"{self.path}/{MANIFEST}", reason=error)) from error
        other = list(setting_differences(found, self.manifest))
        if other:
            raise PawsError(Errors.P030.format(path=str(self.path), differences="\n".join(other)))
        self.shards = self._found_shards()

    def _found_shards(self) -> List[Shard]:
        """The shards, none of which has rows of another. Damaged ones go, and are done again."""
        found: List[Shard] = []
        for name in sorted(name for name in self.files.names() if SHARD_NAME.fullmatch(name)):
            shard = read_shard(self.files, name)
            if shard is None or (found and shard.start < found[-1].start + found[-1].rows):
                self.files.remove(name)
            else:
                found.append(shard)
        return found

    def _save(self) -> None:
        told = {**self.manifest, "notes": self.notes, "about": self.about}
        self.files.write(MANIFEST, (json.dumps(told, ensure_ascii=False, indent=2) + "\n").encode("utf8"))


def restore_output(files: Any) -> None:
    """Give an earlier output, a folder, its place again, if a run was killed while it put the new one there.

    files (Any): The folder of the run.
    """
    if isinstance(files, LocalFolder) and files.path.name.endswith(RUN):
        take_back(files.path / SHOP, files.path.with_name(files.path.name.removesuffix(RUN)))


def _read_manifest(files: Any) -> Any:
    return json.loads(files.read(MANIFEST).decode("utf8"))


def read_shard(files: Any, name: str) -> Optional[Shard]:
    """A shard by its last line; None if it is damaged."""
    try:
        start, rows, found, errors, digest = json.loads(files.tail(name, 4096).splitlines()[-1])
        shard = Shard(int(start), int(rows), int(found), int(errors), str(digest))
    except (OSError, ValueError, TypeError, IndexError):
        return None
    return shard if shard.name == name else None


def setting_differences(old: Any, new: Any, name: str = "") -> Iterator[str]:
    """What is not the same in two manifests, a line each."""
    if isinstance(old, dict) and isinstance(new, dict):
        # An input is called what it is: which of them has grown is what somebody wants to know.
        same = old.get("path") if "path" in old and old.get("path") == new.get("path") else None
        for key in {**old, **new}:
            place = f"{same}, {key}" if same else f"{name}.{key}" if name else str(key)
            yield from setting_differences(old.get(key), new.get(key), place)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new)):
            yield from setting_differences(one, other, f"{name}.{number}")
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
