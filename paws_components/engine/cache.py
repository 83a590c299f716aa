"""A cache of what models answered: in memory for a process, and with `--cache FOLDER` on disk for all runs to come.

The cache changes nothing in what comes of a run. Whatever is served is, to the bit, what the model would have said
here and now: a key is a hash of all that an answer depends on, the weights themselves among it (`KeptAnswers`). That is
why a key stands for a forward pass as it would be made, and not for a question of it: a model's last digits depend on
what else is in the pass, so that serving some of its questions would change the answers to the others.
"""

import json
import os
import sys
import warnings
from collections import Counter, OrderedDict
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Callable, Dict, Generic, Iterable, List, NamedTuple, Optional, Sequence, Tuple, TypeVar
from weakref import WeakSet

import numpy

from ..errors import Errors, PawsError, Warnings
from ..storage import is_url
from .segments import ANSWERS, INDEX, NAME, Segments, found_segments, read_index, remove_segment

FORMAT = 1
MARK, MODEL = "cache.json", ".model.json"
LIMIT = 2**30
# Kinds of arrays that are told whole by their type and their bytes: numbers, times, texts; not objects or records.
KINDS = "biufcmMSU"

Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")


class Memory(Generic[Q, A]):
    """Answers to single questions, in the memory of this process.

    size (Optional[int]): How many are kept, the latest; None for all.
    asked (int), cached (int): How many questions were new, and how many were answered before.
    """

    def __init__(self, size: Optional[int] = None) -> None:
        self.size = size
        self.known: "OrderedDict[Q, A]" = OrderedDict()
        self.asked = self.cached = 0

    def __getitem__(self, question: Q) -> A:
        return self.known[question]

    def __contains__(self, question: Q) -> bool:
        return question in self.known

    def new(self, questions: Sequence[Q]) -> List[Q]:
        """Those of some questions that have to be asked, each once. They count as asked, the others as cached."""
        new = [question for question in dict.fromkeys(questions) if question not in self.known]
        self.asked += len(new)
        self.cached += len(questions) - len(new)
        return new

    def learn(self, answers: Iterable[Tuple[Q, A]]) -> None:
        """Keep answers; where that is too many, what was not asked for the longest time is forgotten."""
        for question, answer in answers:
            self.known[question] = answer
            self.known.move_to_end(question)
        while self.size is not None and len(self.known) > self.size:
            self.known.popitem(last=False)

    def forget(self) -> None:
        """Drop the answers; the counts stay."""
        self.known.clear()

    def forget_with_chunks(self) -> "Memory[Q, A]":
        """Have a run forget it between chunks: see `forget_answers`."""
        _memories.add(self)
        return self


_memories: "WeakSet[Memory]" = WeakSet()


def forget_answers() -> None:
    """Forget what was answered in memory. A run does so before each chunk: else what a model is asked, and with it its
    last digits, would depend on which chunks this process had before."""
    for memory in list(_memories):
        memory.forget()


class Counts(NamedTuple):
    """What a cache was good for in this process, in questions.

    served (int): How many it answered.
    asked (int): How many it could not, so that a model was asked.
    """

    served: int = 0
    asked: int = 0


class AnswerCache:
    """A folder of answers. Several processes and nodes can use it at once.

    folder (str): The folder. It is made if it is not there.
    """

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.counts = Counts()
        self.broken = False
        self.limit = LIMIT
        try:
            check_cache(folder)
            self.limit = _open_folder(self.folder)
        except OSError as error:
            self._stop(error)
        self.segments = Segments(self.folder, self.limit)
        self._told: Dict[int, bool] = {}

    def get(self, key: bytes, count: int) -> Optional[bytes]:
        """An answer; None if it is not there."""
        found = self.segments.get(key)
        served, asked = self.counts
        self.counts = Counts(served + count, asked) if found is not None else Counts(served, asked + count)
        return found

    def put(self, key: bytes, model: "KeptAnswers", count: int, answer: bytes) -> None:
        """Keep an answer. Where that can't be done, it is told once, and the run goes on."""
        if self.broken:
            return
        try:
            number = model.number
            if number not in self._told:
                self._told[number] = True
                _write_whole(self.folder / f"{number:016x}{MODEL}", model.card)
            self.segments.put(key, number, count, answer)
        except OSError as error:
            self._stop(error)

    def _stop(self, error: OSError) -> None:
        self.broken = True
        reason = error.strerror or str(error)
        warnings.warn(Warnings.W091.format(path=str(self.folder), reason=reason), stacklevel=2)


_cache: Optional[AnswerCache] = None


def use_cache(folder: Optional[str]) -> None:
    """Have this process keep the answers of its models in a folder, and take them from there, from now on.

    folder (Optional[str]): The folder; None for none.
    """
    global _cache
    if folder is None:
        _cache = None
    elif _cache is None or os.path.abspath(folder) != os.path.abspath(_cache.folder) or _cache.broken:
        _cache = AnswerCache(folder)


def current_cache() -> Optional[AnswerCache]:
    """The cache that this process uses."""
    return _cache


class KeptAnswers:
    """What one model answers, kept where a cache is on; else it is asked, and nothing is done besides.

    name (str): What the model is called, for `paws cache info`.
    about (Callable): All that its answers depend on besides what it is asked, as plain data: a hash of its weights, its
        config, versions, the device. None if that can't be known: then nothing is kept. Called when it is first needed.
    """

    def __init__(self, name: str, about: Callable[[], Optional[Dict[str, Any]]]) -> None:
        self.name = name
        self.about = about
        self._identity: Optional[bytes] = None
        self.card: Dict[str, Any] = {}

    @property
    def number(self) -> int:
        """The number of the model in an index."""
        return int.from_bytes(self.identity[:8], "little")

    @property
    def identity(self) -> bytes:
        """The fingerprint; b"" if there is none."""
        if self._identity is None:
            about = self.about()
            self.card = {"name": self.name, **(about or {})}
            text = json.dumps(about, sort_keys=True, default=str)
            self._identity = b"" if about is None else blake2b(text.encode("utf8"), digest_size=16).digest()
        return self._identity

    def __call__(self, asked: Sequence[Any], ask: Callable[[], T], count: int = 1) -> T:
        """What the model answers, from the cache if it was asked the very same before.

        asked (Sequence[Any]): All that it is asked, and how: plain data and arrays.
        ask (Callable): Asks it. The answer is an array or plain data, as JSON has it: without tuples.
        count (int): How many questions that are.
        RETURNS (Any): The answer.
        """
        key = self.key([asker(ask), *asked])
        found = self.get(key, count)
        if found is None:
            found = ask()
            self.put(key, found, count)
        return found

    def key(self, asked: Sequence[Any]) -> Optional[bytes]:
        """The key of what is asked; None where nothing is kept."""
        if _cache is None or not self.identity:
            return None
        found = blake2b(self.identity, digest_size=16)
        for part in asked:
            data = pack(part)
            found.update(len(data).to_bytes(8, "little"))
            found.update(data)
        return found.digest()

    def get(self, key: Optional[bytes], count: int = 1) -> Any:
        """The answer to a key; None if there is none."""
        found = _cache.get(key, count) if _cache is not None and key is not None else None
        return None if found is None else unpack(found)

    def put(self, key: Optional[bytes], answer: Any, count: int = 1) -> None:
        """Keep the answer to a key."""
        if _cache is not None and key is not None:
            _cache.put(key, self, count, pack(answer))


def asker(ask: Callable[[], Any]) -> List[str]:
    """The module that asks a model, and the version of its package: two plugins may ask the same of one model and make
    different things of it, and so may two versions of our own code."""
    plain: Any = ask
    while isinstance(plain, partial):
        plain = plain.func
    module = str(plain.__module__)
    return [module, str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))]


def pack(value: Any) -> bytes:
    """An array or plain data as bytes; numbers come back as they were, to the last bit."""
    if isinstance(value, numpy.ndarray):
        if value.dtype.kind not in KINDS:
            raise TypeError(f"an array of {value.dtype} can't be kept: its bytes do not say what it holds")
        head = json.dumps([value.dtype.str, value.shape])
        return b"A" + head.encode("ascii") + b"\n" + value.tobytes()
    return b"J" + json.dumps(value, separators=(",", ":")).encode("ascii")


def unpack(data: bytes) -> Any:
    """The same value again."""
    if data[:1] == b"J":
        return json.loads(data[1:])
    head, _, rest = data[1:].partition(b"\n")
    dtype, shape = json.loads(head)
    # A copy: an array that is served may be written to, as one may that comes from the model.
    return numpy.frombuffer(rest, numpy.dtype(dtype)).reshape(shape).copy()


class Held(NamedTuple):
    """What a cache has of one model.

    name (str): What it is called.
    answers (int): To how many questions.
    about (Dict[str, Any]): What tells it from others.
    """

    name: str
    answers: int
    about: Dict[str, Any]


class Info(NamedTuple):
    """What a cache has.

    answers (int): Answers to how many questions.
    size (int), limit (int): Its bytes, and how many it may have.
    segments (int): In how many segments.
    models (List[Held]): The models, the one with the most answers first.
    """

    answers: int
    size: int
    limit: int
    segments: int
    models: List[Held]


def cache_info(folder: str) -> Info:
    """What a cache has; our error where a folder is none.

    folder (str): The folder.
    RETURNS (Info): What it has.
    """
    path = _known_folder(folder)
    counts: Counter = Counter()
    size = segments = 0
    for segment in found_segments(path):
        entries = read_index(path / (segment.name + INDEX))
        models, places = numpy.unique(entries["model"], return_inverse=True)
        for model, count in zip(models.tolist(), numpy.bincount(places, entries["count"]).astype(int).tolist()):
            counts[model] += count
        size += segment.size
        segments += 1
    held = []
    for model, count in counts.most_common():
        card = _read_json(path / f"{model:016x}{MODEL}")
        held.append(Held(str(card.pop("name", "?")), count, card))
    return Info(sum(counts.values()), size, _read_limit(path), segments, held)


def clear_cache(folder: str, limit: int = 0) -> int:
    """Remove answers, those that were not used for the longest time first. A run that is going on does not mind.

    folder (str): The folder.
    limit (int): How many bytes may stay.
    RETURNS (int): How many bytes were removed.
    """
    path = _known_folder(folder)
    try:
        removed = Segments(path, LIMIT).prune(limit)
        if not limit:
            for name in os.listdir(path):
                if name.endswith(MODEL):
                    (path / name).unlink(missing_ok=True)
                elif name.endswith(ANSWERS) and NAME.fullmatch(name.removesuffix(ANSWERS)):
                    # Without an index, it is what a killed `clear` left.
                    remove_segment(path, name.removesuffix(ANSWERS))
    except OSError as error:
        raise PawsError(Errors.P021.format(path=folder, reason=error)) from error
    return removed


def limit_cache(folder: str, limit: int) -> int:
    """Say how large a cache may become, and remove what is too much.

    folder (str): The folder.
    limit (int): How many bytes.
    RETURNS (int): How many bytes were removed.
    """
    path = _known_folder(folder)
    try:
        _write_whole(path / MARK, {"format": FORMAT, "limit": limit}, again=True)
    except OSError as error:
        raise PawsError(Errors.P021.format(path=folder, reason=error)) from error
    return clear_cache(folder, max(1, limit))


def check_cache(folder: Optional[str]) -> None:
    """Our error where a folder is somebody else's, a cache of another version, or none that can be appended to."""
    if folder is not None and is_url(folder):
        raise PawsError(Errors.P091.format(path=folder, reason="it is a URL, and a cache is on a disk"))
    if folder is not None and os.path.lexists(folder):
        _check_folder(Path(folder))


def _open_folder(path: Path) -> int:
    """Have a folder as a cache. RETURNS (int): How many bytes it may have."""
    if not path.is_dir() and not os.path.lexists(path):
        path.mkdir(parents=True, exist_ok=True)
    if not _check_folder(path):
        _write_whole(path / MARK, {"format": FORMAT, "limit": LIMIT})
    return _read_limit(path)


def _check_folder(path: Path) -> bool:
    """Whether a folder is a cache already; our error where it must not become one."""
    if not path.is_dir():
        raise PawsError(Errors.P091.format(path=str(path), reason="it is a file"))
    others = sorted(name for name in os.listdir(path) if not name.startswith(MARK))
    # Looked for last: another process may make the cache at this moment.
    if not (path / MARK).is_file():
        if others:
            raise PawsError(Errors.P091.format(path=str(path), reason=f"it holds {others[0]!r}"))
        return False
    found = _read_json(path / MARK).get("format")
    if found != FORMAT:
        raise PawsError(Errors.P092.format(path=str(path), found=found, known=FORMAT))
    return True


def _known_folder(folder: str) -> Path:
    path = Path(folder)
    if not (path / MARK).is_file():
        raise PawsError(Errors.P093.format(path=folder))
    _check_folder(path)
    return path


def _read_limit(path: Path) -> int:
    limit = _read_json(path / MARK).get("limit")
    return limit if isinstance(limit, int) and limit > 0 else LIMIT


def _read_json(path: Path) -> Dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_whole(path: Path, data: Dict[str, Any], again: bool = False) -> None:
    """Write a small file, if it is not there; others may do the same at this moment."""
    if path.is_file() and not again:
        return
    beside = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}.new")
    try:
        beside.write_text(json.dumps(data, indent=2, default=str) + "\n", encoding="utf8")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
