"""Rows on their way through the workers: each comes out as an outcome or as an error, and is counted."""

import base64
import itertools
from collections import Counter, deque
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Deque,
    Dict,
    Generator,
    Iterable,
    Iterator,
    List,
    Optional,
    Protocol,
    Tuple,
)

from ..errors import Errors, Fatal, PawsError
from ..models import use_gpu
from .cache import forget_answers, use_cache
from .local import CHUNK, Job, find_backend, in_chunks
from .options import RunOptions
from .progress import Progress
from .store import Entry, RunFolder, digest_rows

if TYPE_CHECKING:
    from .frame import Run

Worker = Callable[[List[Any]], List[Any]]


class Item(Protocol):
    """A row as the frame sees it."""

    @property
    def path(self) -> str: ...

    @property
    def number(self) -> int: ...

    @property
    def reason(self) -> Optional[str]: ...

    @property
    def raw(self) -> str: ...

    @property
    def payload(self) -> Any: ...

    @property
    def notes(self) -> List[str]: ...

    @property
    def broke_off(self) -> bool: ...


@dataclass
class Failed:
    """What a run's `value` gives for a row that came to an error after all.

    error (str): Why.
    value (Any): What is to be kept of it, as plain data.
    """

    error: str
    value: Any = None


@dataclass
class Tally:
    """How many rows came to what.

    rows (int): How many went in.
    found (int): How many came to something.
    errors (int): How many are errors.
    notes (Counter): What was changed in reading, and in how many rows.
    errors_path (str): Where the errors are listed; "" if there are none.
    broke_off (List[str]): The sources whose rest could not be read.
    """

    rows: int = 0
    found: int = 0
    errors: int = 0
    notes: Counter = field(default_factory=Counter)
    errors_path: str = ""
    broke_off: List[str] = field(default_factory=list)

    @property
    def nothing(self) -> int:
        """How many came to nothing, and are not errors."""
        return self.rows - self.found - self.errors


class Work:
    """The rows of a run on their way through the workers."""

    def __init__(self, run: "Run", items: Iterable[Item], options: RunOptions, progress: Progress) -> None:
        self.run = run
        self.job = Accounted(run.job, options.gpu_id, options.cache)
        self.chunk = int(getattr(run.job, "chunk", CHUNK))
        self.backend = find_backend(options.n_process)
        self.max_errors = options.max_errors
        self.progress = progress
        self.tally = Tally()
        self.items = self._watched(items)

    def skip(self, folder: RunFolder) -> None:
        """Read what is done already, and see that it is what it was."""
        for shard in folder.shards:
            rows = list(itertools.islice(self.items, shard.rows))
            if digest_rows(rows) != shard.digest:
                where = f"{rows[0].path}, {rows[0].number:,} and after" if rows else "it is shorter"
                raise PawsError(Errors.P032.format(path=str(folder.path), where=where))
            self.tally.rows += shard.rows
            self.tally.errors += shard.errors
            self.tally.found += shard.found
        self.progress.begin(self.tally.rows)

    def entries(self) -> Generator[Tuple[List[Entry], List[Item]], None, None]:
        """What came of each chunk, and its rows."""
        waiting: Deque[List[_Held]] = deque()

        def payloads() -> Iterator[List[Any]]:
            for chunk in in_chunks(self.items, self.chunk):
                held = [_hold(item) for item in chunk]
                waiting.append(held)
                yield [each.payload for each in held if each.works]

        # Closed by hand: the workers must not outlive a run that ends here.
        with closing(self.backend.map(self.job, payloads())) as results:
            for outcomes in results:
                held = waiting.popleft()
                entries = [*self._entries(held, iter(outcomes))]
                self.tally.rows += len(entries)
                self.tally.errors += sum(entry.error is not None for entry in entries)
                self.tally.found += self.run.count(entries)
                yield entries, [each.item for each in held]
                self.progress.update(self.tally.rows, self._told)
                self._check_errors(entries)

    def _check_errors(self, entries: List[Entry]) -> None:
        if self.max_errors is not None and self.tally.errors > self.max_errors:
            last = next((f"{where(entry)}: {entry.error}" for entry in reversed(entries) if entry.error), "")
            raise PawsError(Errors.P036.format(count=self.tally.errors, limit=self.max_errors, last=last))

    def _entries(self, held: List["_Held"], outcomes: Iterator[Tuple[Any, Optional[str]]]) -> Iterator[Entry]:
        for each in held:
            item, value, error = each.item, None, each.error
            if each.works:
                outcome, error = next(outcomes)
                value = self.run.value(item, outcome) if error is None else None
                if isinstance(value, Failed):
                    value, error = value.value, value.error
            yield Entry(item.path, item.number, value, error, "" if error is None else item.raw)

    def _watched(self, items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            self.tally.notes.update(item.notes)
            if item.broke_off:
                self.tally.broke_off.append(f"{item.path}: {item.reason}")
            yield item

    def _told(self) -> str:
        tally = self.tally
        errors = f", {tally.errors:,} errors" if tally.errors else ""
        return f"{tally.rows:,} {self.run.unit}, {tally.found:,} {self.run.outcome}{errors}"


@dataclass
class _Held:
    """A row whose chunk is being worked on. One that is empty needs no work."""

    item: Item
    payload: Any = None
    error: Optional[str] = None

    @property
    def works(self) -> bool:
        return self.error is None and self.payload not in (None, "")


def _hold(item: Item) -> _Held:
    if item.reason is not None:
        return _Held(item, error=item.reason)
    try:
        return _Held(item, item.payload)
    except PawsError as error:
        return _Held(item, error=str(error))


@dataclass
class Accounted:
    """A job whose worker answers for every payload of a chunk: with an outcome, or with what went wrong."""

    job: Job[Worker]
    gpu_id: int = -1
    cache: Optional[str] = None

    def start(self) -> Callable[[List[Any]], List[Tuple[Any, Optional[str]]]]:
        # Each process decides for itself where spaCy works.
        use_gpu(self.gpu_id)
        if self.cache is not None:
            use_cache(self.cache)
        return partial(_work, self.job.start())


def _work(worker: Worker, payloads: List[Any]) -> List[Tuple[Any, Optional[str]]]:
    if not payloads:
        return []
    forget_answers()
    try:
        return [_answer(outcome) for outcome in worker(payloads)]
    except Fatal:
        raise
    except Exception:
        return [_work_alone(worker, payload) for payload in payloads]


def _answer(outcome: Any) -> Tuple[Any, Optional[str]]:
    """An outcome; a worker that can say what is wrong with a row gives our error in its place."""
    return (None, str(outcome)) if isinstance(outcome, PawsError) else (outcome, None)


def _work_alone(worker: Worker, payload: Any) -> Tuple[Any, Optional[str]]:
    """One row by itself, after its chunk failed: only the row that is to blame becomes an error."""
    try:
        return _answer(worker([payload])[0])
    except Fatal:
        raise
    except Exception as error:
        return None, str(error) if isinstance(error, PawsError) else f"{type(error).__name__}: {error}"


def where(entry: Entry) -> str:
    return f"{entry.path}, {entry.number}"


def told_error(entry: Entry) -> Dict[str, Any]:
    """An error as its file has it. Where the row is not valid UTF-8, its bytes stand beside the text."""
    told: Dict[str, Any] = {"path": entry.path, "line": entry.number, "error": entry.error, "text": entry.raw}
    try:
        entry.raw.encode("utf8")
    except UnicodeEncodeError:
        raw = entry.raw.encode("utf8", "surrogateescape" if _escaped(entry.raw) else "surrogatepass")
        told.update(text=raw.decode("utf8", "replace"), bytes=base64.b64encode(raw).decode())
    told["error"] = str(entry.error).encode("utf8", "replace").decode("utf8")
    return told


def _escaped(text: str) -> bool:
    return all("\udc80" <= char <= "\udcff" for char in text if "\ud800" <= char <= "\udfff")
