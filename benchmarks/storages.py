"""Ways to store answers, measured side by side: what they cost, what two writers at once and a kill do to them, and
whether they lock or map files. `cache.py` runs it.

Nothing heavy is imported here: the writers are processes of their own, which begin with this module.
"""

import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from paws_components.engine.segments import Segments

# As large as the answer of a pass over eight pairs and three labels.
ANSWER = 110

# Each has put, get and close, and is told of a folder.


class AsSegments:
    """Ours: append-only files, some for each writer."""

    def __init__(self, folder: str) -> None:
        Path(folder).mkdir(exist_ok=True)
        self.segments = Segments(Path(folder), 2**30)

    def put(self, key: bytes, value: bytes) -> None:
        self.segments.put(key, 1, 1, value)

    def get(self, key: bytes) -> Optional[bytes]:
        return self.segments.get(key)

    def close(self) -> None:
        self.segments.close()


class AsFiles:
    """A file per answer, renamed when it is whole, in 256 folders."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        for number in range(256):
            (self.folder / f"{number:02x}").mkdir(parents=True, exist_ok=True)

    def put(self, key: bytes, value: bytes) -> None:
        name = key.hex()
        beside = self.folder / f"{name}.{os.getpid()}"
        beside.write_bytes(value)
        os.replace(beside, self.folder / name[:2] / name)

    def get(self, key: bytes) -> Optional[bytes]:
        name = key.hex()
        try:
            return (self.folder / name[:2] / name).read_bytes()
        except FileNotFoundError:
            return None

    def close(self) -> None:
        pass


class AsSQLite:
    """A table, with a commit for so many answers."""

    journal, each = "DELETE", 1

    def __init__(self, folder: str) -> None:
        Path(folder).mkdir(exist_ok=True)
        self.db = sqlite3.connect(Path(folder) / "answers.db", timeout=120, isolation_level=None)
        self.db.execute(f"PRAGMA journal_mode = {self.journal}")
        self.db.execute("PRAGMA synchronous = OFF")  # nobody else waits for the disk either
        self.db.execute("CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        self.waiting: List[Tuple[bytes, bytes]] = []

    def put(self, key: bytes, value: bytes) -> None:
        self.waiting.append((key, value))
        if len(self.waiting) >= self.each:
            self.flush()

    def flush(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        self.db.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?)", self.waiting)
        self.db.execute("COMMIT")
        self.waiting.clear()

    def get(self, key: bytes) -> Optional[bytes]:
        row = self.db.execute("SELECT value FROM answers WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def close(self) -> None:
        self.flush()
        self.db.close()


class AsSQLiteWal(AsSQLite):
    """The same with a write-ahead log."""

    journal = "WAL"


class AsSQLiteBatches(AsSQLite):
    """The same with a write-ahead log, and a commit for every 256 answers."""

    journal, each = "WAL", 256


STORAGES: Dict[str, Callable[[str], Any]] = {
    "segments": AsSegments,
    "a_file_each": AsFiles,
    "sqlite": AsSQLite,
    "sqlite_wal": AsSQLiteWal,
    "sqlite_wal_256": AsSQLiteBatches,
}


def key_of(number: int) -> bytes:
    return random.Random(number).randbytes(16)


def value_of(number: int) -> bytes:
    return random.Random(-number - 1).randbytes(ANSWER + number % 40)


def fill(name: str, folder: str, start: int, count: int) -> None:
    """What a writer does."""
    with closing(STORAGES[name](folder)) as storage:
        for number in range(start, start + count):
            storage.put(key_of(number), value_of(number))


def fill_forever(name: str, folder: str, told: Any) -> None:
    storage = STORAGES[name](folder)
    for number in range(10**9):
        storage.put(key_of(number), value_of(number))
        told.value = number + 1


def measure_storage(name: str, count: int, rounds: int, chance: random.Random) -> Dict[str, Any]:
    folder = f"storage_{name}"
    spawn = multiprocessing.get_context("spawn")
    data = [(key_of(number), value_of(number)) for number in range(count)]

    def timed(work: Callable[[], Any]) -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    storage = STORAGES[name](folder)
    put = timed(lambda: [storage.put(*each) for each in data])
    locks, maps = locks_and_maps(storage, folder)
    storage.close()
    storage = STORAGES[name](folder)
    first = timed(lambda: storage.get(data[0][0]))
    wrong = 0

    def read(order: List[int]) -> None:
        nonlocal wrong
        wrong += sum(storage.get(data[i][0]) != data[i][1] for i in order)

    inorder = timed(lambda: read(list(range(count))))
    mixed = timed(lambda: read(chance.sample(range(count), count)))
    storage.close()
    size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    files = sum(path.is_file() for path in Path(folder).rglob("*"))
    shutil.rmtree(folder)
    # Two at once, each with half of its work the same as the other's.
    part = max(1, count // 3)
    STORAGES[name](folder).close()  # SQLite can't be made by two at once
    both = [spawn.Process(target=fill, args=(name, folder, start, part)) for start in (0, part // 2)]
    together = timed(lambda: [[each.start() for each in both], [each.join() for each in both]])
    with closing(STORAGES[name](folder)) as storage:
        lost = sum(storage.get(key_of(i)) != value_of(i) for i in range(part // 2 + part))
    shutil.rmtree(folder)
    # Killed: what was put, and is not there; what is there, and is wrong.
    gone = []
    for _ in range(rounds):
        told = spawn.Value("q", 0, lock=False)
        process = spawn.Process(target=fill_forever, args=(name, folder, told))
        process.start()
        while not told.value:
            time.sleep(0.005)
        time.sleep(0.1 + chance.random() * 0.3)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        with closing(STORAGES[name](folder)) as storage:
            found = [storage.get(key_of(i)) for i in range(told.value)]
        wrong += sum(each is not None and each != value_of(i) for i, each in enumerate(found))
        gone.append(sum(each is None for each in found))
        shutil.rmtree(folder)
    figures = {
        "put_us": round(put / count * 1e6, 1),
        "open_ms": round(first * 1e3, 1),
        "get_us": round(inorder / count * 1e6, 1),
        "get_mixed_us": round(mixed / count * 1e6, 1),
        "bytes_each": round(size / count),
        "files": files,
        "two_writers_s": round(together, 1),
        "lost_by_two": lost,
        "lost_by_a_kill": max(gone, default=0),
        "wrong": wrong,
        "locks": locks,
        "maps": maps,
    }
    print(f"  {name}: {figures}", flush=True)
    return figures


def locks_and_maps(storage: Any, folder: str) -> Tuple[bool, bool]:
    """Whether a storage that writes locks files, and whether it maps them."""
    db = getattr(storage, "db", None)
    if db is not None:
        db.execute("BEGIN IMMEDIATE")
    inodes = {path.stat().st_ino for path in Path(folder).rglob("*") if path.is_file()}
    held = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    locks = any(int(line[5].split(":")[2]) in inodes for line in held if line[1] != "->")
    maps = str(Path(folder).resolve()) in Path("/proc/self/maps").read_text()
    if db is not None:
        db.execute("ROLLBACK")
    return locks, maps
