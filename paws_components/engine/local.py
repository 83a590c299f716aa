"""One machine, one or several processes: chunks of lines go out, results come back in order.

Workers load the pipeline themselves, hand back records rather than Docs, and open a memory zone for each chunk, so
that neither their memory nor the parent's grows with the input.
"""

import os
import signal
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from typing import Deque, Iterable, Iterator, List, NamedTuple, Optional, Protocol, Sequence, Tuple

from ..errors import Errors, PawsError
from ..records import PairRecord
from .sources import Line

# Work is always cut the same way, whatever the number of processes: some models' last digits depend on it.
CHUNK = 256


class Result(NamedTuple):
    """What came of one line: its pairs (perhaps none), or an error."""

    line: Line
    pairs: List[PairRecord]
    error: Optional[str] = None


class Worker(Protocol):
    """Turns texts into pairs. It is made in the process that it works in."""

    def __call__(self, texts: Sequence[str]) -> List[List[PairRecord]]: ...


class Job(Protocol):
    """The recipe of a worker; it travels to other processes, so it is plain data."""

    def start(self) -> Worker: ...


def run(job: Job, lines: Iterable[Line], n_process: int = 1) -> Iterator[Result]:
    """Run a job over lines of text.

    job (Job): Makes the worker, once in each process.
    lines (Iterable[Line]): The input. Lines with an error pass through; empty ones have no pairs.
    n_process (int): How many processes do the work; 0 or less for one a core.
    YIELDS (Result): One for each line, in the order of the input.
    """
    chunks = _chunks(lines)
    if n_process < 1:
        n_process = os.cpu_count() or 1
    if n_process == 1:
        worker = job.start()
        for chunk in chunks:
            yield from _work(worker, chunk)
    else:
        yield from _run_pool(job, chunks, n_process)


def _run_pool(job: Job, chunks: Iterator[List[Line]], n_process: int) -> Iterator[Result]:
    # Forking a process that has run torch can deadlock; a spawned one starts clean.
    pool = ProcessPoolExecutor(n_process, get_context("spawn"), initializer=_start, initargs=(job,))
    waiting: Deque[Tuple["Future[List[Result]]", List[Line]]] = deque()
    done = 0
    try:
        for chunk in chunks:
            waiting.append((pool.submit(_work_here, chunk), chunk))
            # A few chunks ahead keep the workers busy; more would only fill the memory.
            if len(waiting) > n_process + 2:
                results = waiting.popleft()[0].result()
                done += len(results)
                yield from results
        while waiting:
            results = waiting.popleft()[0].result()
            done += len(results)
            yield from results
    except BrokenProcessPool as error:
        raise PawsError(Errors.P022.format(reason=error, done=done)) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_job: Optional[Job] = None
_worker: Optional[Worker] = None


def _start(job: Job) -> None:
    global _job
    # Ctrl-C reaches the whole group; the parent alone decides what is to be done about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _job = job


def _work_here(chunk: List[Line]) -> List[Result]:
    # The worker is made here rather than in _start, since an error there would reach nobody.
    global _worker
    if _worker is None:
        assert _job is not None
        _worker = _job.start()
    return _work(_worker, chunk)


def _work(worker: Worker, chunk: List[Line]) -> List[Result]:
    good = [line for line in chunk if line.error is None and line.text]
    outcomes: List[Tuple[List[PairRecord], Optional[str]]]
    try:
        outcomes = [(pairs, None) for pairs in worker([line.text for line in good])]
    except Exception:
        outcomes = [_work_alone(worker, line.text) for line in good]
    found = iter(outcomes)
    results = []
    for line in chunk:
        if line.error is None and line.text:
            pairs, error = next(found)
            results.append(Result(line, pairs, error))
        else:
            results.append(Result(line, [], line.error))
    return results


def _work_alone(worker: Worker, text: str) -> Tuple[List[PairRecord], Optional[str]]:
    """One line by itself, after its chunk failed: only the line that is to blame becomes an error."""
    try:
        return worker([text])[0], None
    except Exception as error:
        return [], f"{type(error).__name__}: {error}"


def _chunks(lines: Iterable[Line]) -> Iterator[List[Line]]:
    lines = iter(lines)
    while chunk := list(islice(lines, CHUNK)):
        yield chunk
