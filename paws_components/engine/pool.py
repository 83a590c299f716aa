"""Workers that may die: chunks go out to them, results come back in order, and what a dead one had in hand goes to
another.

A pool knows nothing of where its workers live. A `Place` starts them, hands them chunks and tells what became of them:
processes of this machine (`local.py`) or actors of a Ray cluster (`ray.py`).
"""

import pickle
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Deque, Dict, Generator, Iterable, Iterator, List, NamedTuple, Optional, Protocol, TypeVar

from ..errors import Errors, PawsError

# Work is always cut the same way, whatever the number of workers: some models' last digits depend on it.
CHUNK = 256
# How many chunks a worker has: one that it works on, and one that waits, so that it is never idle.
AHEAD = 2
# After so many seconds without any worker something is said, and then again every three times as many.
PATIENCE = 10.0

In = TypeVar("In")
Out = TypeVar("Out", covariant=True)


class Job(Protocol[Out]):
    """The recipe of a worker; it travels to other processes, so it is plain data. It may have a `chunk` of its own, and
    say with `split` and `lost` what becomes of a chunk that its workers die of.
    """

    def start(self) -> Out:
        """Make the worker, in the process that it works in."""


def in_chunks(items: Iterable[In], size: int) -> Iterator[List[In]]:
    """Items in chunks of a fixed size; the last may be shorter."""
    items = iter(items)
    while chunk := list(islice(items, size)):
        yield chunk


def portable(error: Exception) -> Exception:
    """An error that can go to another process: it may go in and not come out again there."""
    try:
        again = pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error if type(again) is type(error) else RuntimeError(f"{type(error).__name__}: {error}")


class Event(NamedTuple):
    """What became of a worker.

    worker (int): Which one.
    kind (str): "ready": it can work; "result": of the first chunk it has; "error": that one, or starting, raised;
        "dead": it is gone.
    value (Any): The result, the exception, or why it died.
    """

    worker: int
    kind: str
    value: Any = None


class Place(Protocol):
    """Where workers live.

    count (int): How many there are; known once it is open.
    """

    count: int

    def open(self, job: Job) -> None:
        """Be ready to start workers for a job."""

    def hire(self, worker: int) -> None:
        """Start a worker of this number. It is told of when it is ready."""

    def give(self, worker: int, chunk: Any) -> None:
        """Hand a chunk to a worker, which works on one after the other."""

    def events(self, seconds: float) -> List[Event]:
        """What became of the workers; waits for something to happen, but no longer than this."""

    def waits_for(self) -> Optional[str]:
        """Why no worker is ready yet, in words for the user, if there is something to say."""

    def close(self, finished: bool) -> None:
        """Let all workers go. If the work is not finished nobody waits for what they have in hand."""


@dataclass
class Task:
    """A chunk on its way. One that its workers die of is cut into smaller ones."""

    chunk: Any
    deaths: int = 0
    done: bool = False
    result: Any = None
    pieces: List["Task"] = field(default_factory=list)


@dataclass
class Hired:
    """A worker, and the tasks it has, the one it works on first."""

    ready: bool = False
    has: Deque[Task] = field(default_factory=deque)


@dataclass
class Staff:
    """The workers of a run, in numbers.

    alive (int), hired (int), died (int): How many there are, were started, and died.
    most (int): How many there were at once.
    """

    alive: int = 0
    hired: int = 0
    died: int = 0
    most: int = 0


class Pool:
    """Several workers.

    place (Place): Where they live.
    retry (int): How often a chunk is tried again whose worker died. After that it is cut into smaller ones, if the job
        can do so, so that only the row is rejected that its worker dies of.
    """

    def __init__(self, place: Place, retry: int) -> None:
        self.place = place
        self.retry = retry
        self.staff = Staff()

    def map(self, job: Job, chunks: Iterable[Any]) -> Generator[Any, None, None]:
        """What a worker makes of each chunk, in the order of the chunks."""
        shift = _Shift(self.place, job, self.retry, self.staff)
        finished = False
        try:
            yield from shift.work(iter(chunks))
            finished = True
        finally:
            self.place.close(finished)


class _Shift:
    """The work of a pool on one job."""

    def __init__(self, place: Place, job: Any, retry: int, staff: Staff) -> None:
        self.place = place
        self.job = job
        self.retry = retry
        self.staff = staff
        self.workers: Dict[int, Hired] = {}
        self.hired = 0
        # Deaths in starting since one was last ready: if nobody can start there is no use in trying on.
        self.stillborn = 0
        self.queue: Deque[Task] = deque()

    def work(self, chunks: Iterator[Any]) -> Generator[Any, None, None]:
        waiting: Deque[Task] = deque()
        more = True
        opened = False
        idle_since, told = time.monotonic(), float("-inf")
        while True:
            while more and len(waiting) < self._most():
                chunk = next(chunks, None)
                if chunk is None:
                    more = False
                    break
                if not opened:
                    self.place.open(self.job)
                    opened = True
                waiting.append(Task(chunk))
                self.queue.append(waiting[-1])
                self._hand_out()
            while waiting and (waiting[0].done or waiting[0].pieces):
                task = waiting.popleft()
                waiting.extendleft(reversed(task.pieces))
                if task.done:
                    yield task.result
            if not waiting:
                if not more:
                    return
                continue
            if len(waiting) < self._most() and more:
                continue
            self._hand_out()
            for event in self.place.events(1.0):
                self._take(event)
            now = time.monotonic()
            if any(worker.ready for worker in self.workers.values()):
                idle_since = now
            elif now - idle_since > PATIENCE and now - told > 3 * PATIENCE:
                told = now
                if why := self.place.waits_for():
                    print(f"paws: {why}", file=sys.stderr, flush=True)

    def _most(self) -> int:
        """How many chunks are on their way at once: while one takes long, the later ones keep all workers busy. A place
        may know only when it is open how many workers it has.
        """
        return (AHEAD + 1) * self.place.count + 2

    def _hand_out(self) -> None:
        """Give what waits to who has least; start workers while there is more than those have that are there."""
        while self.queue:
            free = [number for number, worker in self.workers.items() if worker.ready and len(worker.has) < AHEAD]
            if not free:
                break
            number = min(free, key=lambda each: (len(self.workers[each].has), each))
            worker = self.workers[number]
            task = self.queue.popleft()
            worker.has.append(task)
            self.place.give(number, task.chunk)
        starting = sum(not worker.ready for worker in self.workers.values())
        while len(self.workers) < self.place.count and len(self.queue) > starting:
            self.hired += 1
            starting += 1
            self.workers[self.hired] = Hired()
            self.place.hire(self.hired)
            self.staff.hired = self.hired
            self.staff.alive = len(self.workers)
            self.staff.most = max(self.staff.most, self.staff.alive)

    def _take(self, event: Event) -> None:
        worker = self.workers.get(event.worker)
        if worker is None:
            return
        if event.kind == "ready":
            worker.ready = True
            self.stillborn = 0
        elif event.kind == "result":
            task = worker.has.popleft()
            task.result, task.done = event.value, True
        elif event.kind == "error":
            raise event.value
        else:
            self._bury(event.worker, str(event.value))

    def _bury(self, number: int, reason: str) -> None:
        """A worker died: it costs what it had in hand, and a death only to what it worked on."""
        worker = self.workers.pop(number)
        self.staff.died += 1
        self.staff.alive = len(self.workers)
        if not worker.ready:
            self.stillborn += 1
            if self.stillborn > self.retry:
                raise PawsError(Errors.P049.format(count=self.stillborn, reason=reason))
        again = list(worker.has)
        if again:
            again[0].deaths += 1
            if again[0].deaths > self.retry:
                again[:1] = self._apart(again[0], reason)
        for task in reversed(again):
            self.queue.appendleft(task)

    def _apart(self, task: Task, reason: str) -> List[Task]:
        """What is to be tried in place of a chunk that its workers died of."""
        if not hasattr(self.job, "split"):
            raise PawsError(Errors.P022.format(reason=reason))
        chunks = self.job.split(task.chunk)
        if len(chunks) == 1:
            told = Errors.P048.format(count=task.deaths, reason=reason)
            task.result, task.done = self.job.lost(chunks[0], told), True
            return []
        task.pieces = [Task(chunk, deaths=self.retry) for chunk in chunks]
        return task.pieces
