"""One machine, one or several processes: chunks of lines go out, results come back in order.

Workers load the pipeline themselves, hand back records rather than Docs, and open a memory zone for each chunk, so
that neither their memory nor the parent's grows with the input.
"""

import os
import signal
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import (
    Any,
    Callable,
    Deque,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    TypeVar,
)

from ..errors import Errors, Fatal, PawsError
from ..records import PairRecord
from .sources import Line

# Work is always cut the same way, whatever the number of processes: some models' last digits depend on it.
CHUNK = 256


class Result(NamedTuple):
    """What came of one line: its pairs (perhaps none), or an error."""

    line: Line
    pairs: List[PairRecord]
    error: Optional[str] = None


In = TypeVar("In")
Out = TypeVar("Out", covariant=True)
Worker = Callable[[Sequence[str]], List[List[PairRecord]]]


class Job(Protocol[Out]):
    """The recipe of a worker; it travels to other processes, so it is plain data. It may have a `chunk` of its own."""

    def start(self) -> Out:
        """Make the worker, in the process that it works in."""


def run(job: Job[Worker], lines: Iterable[Line], n_process: int = 1) -> Iterator[Result]:
    """Run a job over lines of text.

    job (Job): Makes a worker that turns texts into pairs.
    lines (Iterable[Line]): The input. Lines with an error pass through; empty ones have no pairs.
    n_process (int): How many processes do the work; 0 or less for one a core.
    YIELDS (Result): One for each line, in the order of the input.
    """
    chunk = int(getattr(job, "chunk", CHUNK))
    for results in map_chunks(_Accounted(job), lines, n_process, chunk):
        yield from results


def map_chunks(
    job: Job[Callable[[List[In]], Out]], items: Iterable[In], n_process: int = 1, chunk: int = CHUNK
) -> Iterator[Out]:
    """Cut items into chunks and have workers turn each chunk into something; results come in the order of the input."""
    chunks = _chunks(items, chunk)
    if n_process < 1:
        n_process = os.cpu_count() or 1
    if n_process == 1:
        worker = job.start()
        for part in chunks:
            yield worker(part)
    else:
        yield from _map_pool(job, chunks, n_process, chunk)


def _map_pool(
    job: Job[Callable[[List[In]], Out]], chunks: Iterator[List[In]], n_process: int, size: int
) -> Iterator[Out]:
    # Forking a process that has run torch can deadlock; a spawned one starts clean.
    pool = ProcessPoolExecutor(n_process, get_context("spawn"), initializer=_start, initargs=(job,))
    waiting: Deque[Future] = deque()
    done = 0
    try:
        for chunk in chunks:
            waiting.append(pool.submit(_work_here, chunk))
            # A few chunks ahead keep the workers busy; more would only fill the memory.
            if len(waiting) > n_process + 2:
                yield waiting.popleft().result()
                done += 1
        while waiting:
            yield waiting.popleft().result()
            done += 1
    except BrokenProcessPool as error:
        raise PawsError(Errors.P022.format(reason=error, done=done * size)) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_job: Any = None
_worker: Any = None


def _start(job: Any) -> None:
    global _job
    # Ctrl-C reaches the whole group; the parent alone decides what is to be done about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _job = job


def _work_here(chunk: List[Any]) -> Any:
    # The worker is made here rather than in _start, since an error there would reach nobody.
    global _worker
    if _worker is None:
        _worker = _job.start()
    return _worker(chunk)


@dataclass
class _Accounted:
    """A job whose worker answers for every line of a chunk."""

    job: Job[Worker]

    def start(self) -> Callable[[List[Line]], List[Result]]:
        return partial(_work, self.job.start())


def _work(worker: Worker, chunk: List[Line]) -> List[Result]:
    good = [line for line in chunk if line.error is None and line.text]
    outcomes: List[Tuple[List[PairRecord], Optional[str]]]
    try:
        outcomes = [(pairs, None) for pairs in worker([line.text for line in good])]
    except Fatal:
        raise
    except Exception:
        outcomes = [_work_alone(worker, line.text) for line in good]
    found = iter(outcomes)
    results = []
    for line in chunk:
        if line.error is None and line.text:
            pairs, error = next(found)
            if line.source is not None:
                _inherit(pairs, line.source)
            results.append(Result(line, pairs, error))
        else:
            results.append(Result(line, [], line.error))
    return results


def _inherit(pairs: List[PairRecord], source: PairRecord) -> None:
    """What comes of a pair belongs to its source, and tells which pair that was and how it was labelled."""
    for pair in pairs:
        pair.source_id = source.source_id
        pair.evidence.update(pair_id=source.id, pair_label=source.label)


def _work_alone(worker: Worker, text: str) -> Tuple[List[PairRecord], Optional[str]]:
    """One line by itself, after its chunk failed: only the line that is to blame becomes an error."""
    try:
        return worker([text])[0], None
    except Fatal:
        raise
    except Exception as error:
        return [], f"{type(error).__name__}: {error}"


def _chunks(items: Iterable[In], size: int) -> Iterator[List[In]]:
    items = iter(items)
    while chunk := list(islice(items, size)):
        yield chunk
