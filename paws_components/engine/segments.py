"""The files of a cache: answers that are appended by whoever finds them, and read by all.

Each process appends to files of its own, so nothing is locked, nothing is mapped, and several processes and nodes
write side by side, also on a network file system. An answer is served only if its key and its checksum are right: what
a killed process left half written, what the disk damaged and what is gone is not there, and is asked anew.

A segment is two files: `NAME.answers` has the records, `NAME.index` says where each begins.
"""

import os
import re
import socket
import struct
import time
from collections import OrderedDict
from hashlib import blake2b
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import numpy

ANSWERS, INDEX = ".answers", ".index"
NAME = re.compile(r"[\w.-]+-\d+-[0-9a-f]{8}")
# A record: how long the answer is, whose it is, and a checksum over both and over the answer.
RECORD = struct.Struct("<I16s8s")
# What the index has of it: the first half of the key, the model, where it begins, and how many questions it answers.
ENTRY = numpy.dtype([("key", "<u8"), ("model", "<u8"), ("offset", "<u4"), ("count", "<u4")])
# A segment is closed when it is this large, or has this share of what the cache may have.
SEGMENT, SHARE = 64 * 2**20, 16
# Where there is too much, the oldest segments go until this share of the limit is left.
LEFT = 0.9
# So much is read at once where answers are asked for in the order in which they were given, and where they are not.
BLOCK, PAGE = 64 * 1024, 4096
BLOCKS = 64
# After so many seconds it is looked again what others have written.
AGAIN = 5.0
# From so many entries on they are sorted in; fewer are held in a dict, which takes ten times the memory.
MANY = 50_000


class Segment(NamedTuple):
    """A segment as it is found in the folder.

    name (str): Its name.
    size (int): The bytes of both its files.
    used (float): When it was last written to, or used.
    """

    name: str
    size: int
    used: float


class Segments:
    """The segments of a folder.

    folder (Path): The folder.
    limit (int): How many bytes they may have.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder = folder
        self.limit = limit
        self.full = max(1, min(SEGMENT, limit // SHARE))
        self.names: List[str] = []
        self._read: Dict[str, int] = {}
        # Where the record of a key begins: its segment's number, and the place in there.
        self._keys = numpy.zeros(0, "u8")
        self._places = numpy.zeros(0, "u8")
        self._fresh: Dict[int, int] = {}
        self._gone: Set[int] = set()
        self._used: Set[int] = set()
        self._blocks: "OrderedDict[int, tuple]" = OrderedDict()
        self._writer: Optional[_Writer] = None
        self._looked = float("-inf")
        self._too_much = False

    def get(self, key: bytes) -> Optional[bytes]:
        """The answer to a question.

        key (bytes): The question, as 16 bytes.
        RETURNS (Optional[bytes]): The answer; None if it is not there, or not as it was written.
        """
        found = self._find(key)
        if found is None and time.monotonic() - self._looked >= AGAIN:
            self.look()
            found = self._find(key)
        return found

    def put(self, key: bytes, model: int, count: int, answer: bytes) -> None:
        """Keep an answer. OSError where it can't be written.

        key (bytes): The question, as 16 bytes.
        model (int): The number of whoever answered.
        count (int): How many questions the answer is to.
        answer (bytes): The answer.
        """
        if self._too_much:
            # Where many write, there is too much long before the segment of one of them is full.
            self.prune()
            self._too_much = False
        writer = self._writer
        if writer is None or writer.size >= self.full or not writer.usable():
            self.close()
            self.prune()
            writer = self._writer = _Writer(self.folder, len(self.names))
            self.names.append(writer.name)
        offset = writer.add(key, model, count, answer)
        self._fresh[_prefix(key)] = writer.number << 32 | offset
        if len(self._fresh) > MANY:
            self._sort_in()
        # What this process wrote need not be read again from the index.
        self._read[writer.name] = writer.entries * ENTRY.itemsize

    def look(self) -> None:
        """See what others have written since."""
        self._looked = time.monotonic()
        known = {name: i for i, name in enumerate(self.names)}
        more: List[Tuple[Any, Any]] = []
        size = 0
        for segment in found_segments(self.folder):
            size += segment.size
            number = known.get(segment.name)
            if number is None:
                number = len(self.names)
                self.names.append(segment.name)
            start = self._read.get(segment.name, 0)
            entries = read_index(self.folder / (segment.name + INDEX), start)
            self._read[segment.name] = start + entries.nbytes
            more.append((entries["key"], entries["offset"].astype("u8") | numpy.uint64(number << 32)))
        self._too_much = size > self.limit
        if sum(len(keys) for keys, _ in more) + len(self._fresh) > MANY:
            self._sort_in(*more)
        else:
            for keys, places in more:
                self._fresh.update(zip(keys.tolist(), places.tolist()))

    def prune(self, limit: Optional[int] = None) -> int:
        """Remove what was not used for the longest time, as far as there is too much.

        limit (Optional[int]): How many bytes may stay; None for what the cache may have.
        RETURNS (int): How many bytes were removed.
        """
        there = sorted(found_segments(self.folder), key=lambda segment: segment.used)
        limit = self.limit if limit is None else limit
        size = sum(segment.size for segment in there)
        removed = 0
        if size > limit:
            for segment in there:
                if size - removed <= limit * LEFT:
                    break
                remove_segment(self.folder, segment.name)
                removed += segment.size
        return removed

    def close(self) -> None:
        """Close what is written to. It is open again when there is more."""
        if self._writer is not None:
            self._writer.close()
        self._writer = None

    def _sort_in(self, *more: Tuple[Any, Any]) -> None:
        """Sort in what is fresh, and more keys with their places."""
        fresh = numpy.fromiter(self._fresh.keys(), "u8"), numpy.fromiter(self._fresh.values(), "u8")
        parts = [(self._keys, self._places), fresh, *more]
        keys = numpy.concatenate([keys for keys, _ in parts])
        order = numpy.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._places = numpy.concatenate([places for _, places in parts])[order]
        self._fresh.clear()

    def _find(self, key: bytes) -> Optional[bytes]:
        prefix = _prefix(key)
        place = self._fresh.get(prefix)
        if place is None and len(self._keys):
            # The last of those that are equal is the latest.
            last = int(numpy.searchsorted(self._keys, numpy.uint64(prefix), side="right")) - 1
            place = int(self._places[last]) if last >= 0 and int(self._keys[last]) == prefix else None
        return None if place is None else self._record(place >> 32, place & 0xFFFFFFFF, key)

    def _record(self, number: int, offset: int, key: bytes) -> Optional[bytes]:
        """The answer that begins at a place, if it is whole and the one to this question."""
        if number in self._gone:
            return None
        answer = None
        start, block = self._blocks.get(number, (0, b""))
        if start <= offset < start + len(block):
            answer = read_record(block, offset - start, key)
        if answer is None:
            follows = 0 <= offset - start <= len(block) + PAGE
            path = self.folder / (self.names[number] + ANSWERS)
            try:
                block = read_block(path, offset, BLOCK if follows else PAGE)
            except OSError:
                self._gone.add(number)
                return None
            self._blocks[number] = offset, block
            if len(self._blocks) > BLOCKS:
                self._blocks.popitem(last=False)
            answer = read_record(block, 0, key)
        if answer is not None and number not in self._used:
            self._used.add(number)
            self._touch(self.names[number])
        return answer

    def _touch(self, name: str) -> None:
        """What is used is removed last."""
        try:
            os.utime(self.folder / (name + ANSWERS))
        except OSError:
            pass  # a folder that is only read


class _Writer:
    """A segment that this process appends to."""

    def __init__(self, folder: Path, number: int) -> None:
        host = re.sub(r"[^\w.]", "_", socket.gethostname()) or "host"
        self.process = os.getpid()
        self.name = f"{host}-{self.process}-{os.urandom(4).hex()}"
        self.number = number
        self.size = self.entries = 0
        self.checked = time.monotonic()
        # Unbuffered: a process that is killed leaves all that it had found out.
        self.answers = open(folder / (self.name + ANSWERS), "xb", buffering=0)
        self.index = open(folder / (self.name + INDEX), "xb", buffering=0)

    def add(self, key: bytes, model: int, count: int, answer: bytes) -> int:
        """Append a record. RETURNS (int): Where it begins."""
        offset = self.size
        _write(self.answers, RECORD.pack(len(answer), key, checksum(key, answer)) + answer)
        self.size += RECORD.size + len(answer)
        # The index after the record: it never tells of what is not there yet.
        _write(self.index, numpy.array([(_prefix(key), model, offset, count)], ENTRY).tobytes())
        self.entries += 1
        return offset

    def usable(self) -> bool:
        """Whether it is this process's, and nobody has removed it: what is written then, nobody would read."""
        if self.process != os.getpid():
            return False  # a forked process has the files of its parent
        now = time.monotonic()
        if now - self.checked < AGAIN:
            return True
        self.checked = now
        return os.path.exists(self.index.name)

    def close(self) -> None:
        self.answers.close()
        self.index.close()


def _write(file: Any, data: bytes) -> None:
    while data:
        data = data[file.write(data) :]


def _prefix(key: bytes) -> int:
    return int.from_bytes(key[:8], "little")


def checksum(key: bytes, answer: bytes) -> bytes:
    """What tells a record that is as it was written."""
    return blake2b(key + len(answer).to_bytes(4, "little") + answer, digest_size=8).digest()


def read_block(path: Path, offset: int, size: int) -> bytes:
    """What a segment has from a place on: so many bytes, or as many more as the record there takes."""
    with open(path, "rb", buffering=0) as file:
        file.seek(offset)
        block = file.read(size) or b""
        if len(block) == size:
            end = offset + RECORD.size + int(RECORD.unpack_from(block)[0])
            # A damaged record can say anything of its size.
            if offset + size < end <= os.fstat(file.fileno()).st_size:
                file.seek(offset)
                block = b""
                while part := file.read(end - offset - len(block)):
                    block += part
    return block


def read_record(block: bytes, start: int, key: Optional[bytes]) -> Optional[bytes]:
    """The answer of the record that begins at a place of a block; None if it is not all there, not as it was written,
    or the answer to another question. With None as the key any question will do."""
    if start + RECORD.size > len(block):
        return None
    size, found, told = RECORD.unpack_from(block, start)
    end = start + RECORD.size + size
    if end > len(block) or (key is not None and found != key):
        return None
    answer = block[start + RECORD.size : end]
    return answer if checksum(found, answer) == told else None


def found_segments(folder: Path) -> Iterator[Segment]:
    """The segments of a folder, whoever writes them; others may come and go meanwhile."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(INDEX))
    except OSError:
        return
    for name in names:
        name = name.removesuffix(INDEX)
        if not NAME.fullmatch(name):
            continue
        try:
            answers, index = os.stat(folder / (name + ANSWERS)), os.stat(folder / (name + INDEX))
        except OSError:
            continue
        yield Segment(name, answers.st_size + index.st_size, max(answers.st_mtime, index.st_mtime))


def read_index(path: Path, start: int = 0) -> Any:
    """The entries of an index from a place on, as far as they are whole; none where it can't be read."""
    try:
        with open(path, "rb", buffering=0) as file:
            file.seek(start)
            data = file.readall() or b""
    except OSError:
        data = b""
    return numpy.frombuffer(data[: len(data) // ENTRY.itemsize * ENTRY.itemsize], ENTRY)


def remove_segment(folder: Path, name: str) -> None:
    """A segment goes; the index first, so that nobody begins with it."""
    for ending in (INDEX, ANSWERS):
        try:
            os.unlink(folder / (name + ending))
        except FileNotFoundError:
            pass  # somebody else was faster
