"""Where workers live: in this process, or in several of this machine. Chunks go out, results come back in order.

Workers load their models themselves, hand back plain data rather than Docs, and open a memory zone for each chunk, so
that neither their memory nor the parent's grows with the input.
"""

import os
import pickle
import signal
import threading
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import Any, Callable, Deque, Generator, Iterable, Iterator, List, Protocol, TypeVar

from ..errors import Errors, PawsError

# Work is always cut the same way, whatever the number of processes: some models' last digits depend on it.
CHUNK = 256

In = TypeVar("In")
Out = TypeVar("Out", covariant=True)


class Job(Protocol[Out]):
    """The recipe of a worker; it travels to other processes, so it is plain data. It may have a `chunk` of its own."""

    def start(self) -> Out:
        """Make the worker, in the process that it works in."""


class Backend(Protocol):
    """Decides where workers live, and nothing else."""

    def map(self, job: Job[Callable[[List[In]], Out]], chunks: Iterable[List[In]]) -> Generator[Out, None, None]:
        """What a worker makes of each chunk, in the order of the chunks."""


def find_backend(n_process: int) -> Backend:
    """The backend for so many processes; 0 or less for one per core."""
    count = n_process if n_process > 0 else os.cpu_count() or 1
    return Here() if count == 1 else Processes(count)


def map_chunks(
    job: Job[Callable[[List[In]], Out]], items: Iterable[In], n_process: int = 1, chunk: int = CHUNK
) -> Iterator[Out]:
    """Cut items into chunks and have workers turn each chunk into something; results come in the order of the input."""
    return find_backend(n_process).map(job, in_chunks(items, chunk))


def in_chunks(items: Iterable[In], size: int) -> Iterator[List[In]]:
    """Items in chunks of a fixed size; the last may be shorter."""
    items = iter(items)
    while chunk := list(islice(items, size)):
        yield chunk


class Here:
    """One worker, in this process."""

    def map(self, job: Job[Callable[[List[In]], Out]], chunks: Iterable[List[In]]) -> Generator[Out, None, None]:
        worker = None
        for chunk in chunks:
            worker = worker or job.start()
            yield worker(chunk)


class Processes:
    """Several processes of this machine, a worker in each.

    count (int): How many.
    """

    def __init__(self, count: int) -> None:
        self.count = count

    def map(self, job: Job[Callable[[List[In]], Out]], chunks: Iterable[List[In]]) -> Generator[Out, None, None]:
        # Forking a process that has run torch can deadlock; a spawned one starts clean.
        # The job goes packed: a worker watches its parent before it imports what the job needs, which takes seconds.
        packed = pickle.dumps(job)
        pool = ProcessPoolExecutor(self.count, get_context("spawn"), initializer=_start, initargs=(packed,))
        waiting: Deque[Future] = deque()
        finished = False
        try:
            for chunk in chunks:
                waiting.append(pool.submit(_work_here, chunk))
                # A few chunks ahead keep the workers busy; more would only fill the memory.
                if len(waiting) > self.count + 2:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
            finished = True
        except BrokenProcessPool as error:
            raise PawsError(Errors.P022.format(reason=error)) from error
        finally:
            if not finished:
                # Nobody waits for a chunk in hand: it is done again when the run goes on.
                for process in list((getattr(pool, "_processes", None) or {}).values()):
                    process.terminate()
            pool.shutdown(wait=finished, cancel_futures=True)


_packed = b""
_worker: Any = None


def _start(packed: bytes) -> None:
    global _packed
    # Ctrl-C reaches the whole group; the parent alone decides what is to be done about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    _packed = packed


def _leave_with_parent() -> None:
    """End when the parent has gone, however it went: a pool's workers would wait for ever for the next chunk."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _work_here(chunk: List[Any]) -> Any:
    # The worker is made here rather than in _start, since an error there would reach nobody.
    global _worker
    if _worker is None:
        _worker = pickle.loads(_packed).start()
    return _worker(chunk)
