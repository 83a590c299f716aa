"""Workers of this machine: one in this process, or several in processes of their own.

Workers load their models themselves, hand back plain data rather than Docs, and open a memory zone for each chunk, so
that neither their memory nor the parent's grows with the input.
"""

import os
import pickle
import signal
import threading
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import Any, Dict, Generator, Iterable, Iterator, List, NamedTuple, Optional

from srsly import cloudpickle

from .pool import Event, Job, Staff, portable

# How long a process may take to end by itself once there is nothing more to do.
PATIENCE = 5.0


def cores() -> int:
    """How many cores this process may use: a scheduler may give a job a few of those that a machine has."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


class Here:
    """One worker, in this process."""

    def __init__(self) -> None:
        self.staff = Staff(1, 1, 0, 1)

    def map(self, job: Job, chunks: Iterable[Any]) -> Generator[Any, None, None]:
        """What the worker makes of each chunk."""
        worker = None
        for chunk in chunks:
            worker = worker or job.start()
            yield worker(chunk)


@contextmanager
def _deaf() -> Iterator[None]:
    """Have a process that is started inside not hear Ctrl-C from its first moment on. It reaches the whole group; the
    parent alone decides what is to be done about it.
    """
    if not hasattr(signal, "pthread_sigmask"):  # not on this system
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Child(NamedTuple):
    """A process, and this end of the line to it."""

    process: Any
    line: Connection


class Processes:
    """Several processes of this machine, a worker in each.

    count (int): How many.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        # Forking a process that has run torch can deadlock; a spawned one starts clean.
        self.context = get_context("spawn")
        self.children: Dict[int, Child] = {}
        self.job = b""

    def open(self, job: Job) -> None:
        self.job = cloudpickle.dumps(job)

    def hire(self, worker: int) -> None:
        line, end = self.context.Pipe()
        process = self.context.Process(target=_live, args=(end, self.job), daemon=True)
        with _deaf():
            process.start()
        end.close()
        self.children[worker] = Child(process, line)

    def give(self, worker: int, chunk: Any) -> None:
        try:
            self.children[worker].line.send_bytes(pickle.dumps(chunk))
        except OSError:
            pass  # it is no more; that comes as an event

    def events(self, seconds: float) -> List[Event]:
        lines: Dict[Any, int] = {child.line: worker for worker, child in self.children.items()}
        found = []
        for line in wait(list(lines), seconds):
            worker = lines[line]
            try:
                found.append(Event(worker, *pickle.loads(self.children[worker].line.recv_bytes())))
            except (EOFError, OSError):
                found.append(Event(worker, "dead", self._bury(worker)))
        return found

    def waits_for(self) -> Optional[str]:
        return None

    def close(self, finished: bool) -> None:
        for child in self.children.values():
            if not finished:
                # Nobody waits for what is in hand: it is done again when the run goes on.
                child.process.terminate()
            child.line.close()
        for child in self.children.values():
            child.process.join(PATIENCE)
            if child.process.is_alive():
                child.process.kill()
                child.process.join()
        self.children.clear()

    def _bury(self, worker: int) -> str:
        child = self.children.pop(worker)
        child.line.close()
        child.process.join(PATIENCE)
        code = child.process.exitcode
        if code is not None and code < 0:
            return f"process {child.process.pid} was ended by {signal.Signals(-code).name}"
        return f"process {child.process.pid} ended with exit code {code}"


def _live(line: Connection, packed: bytes) -> None:
    """What a process does: make the worker, and have it work on one chunk after the other."""
    # Where it could not be started deaf.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    chunks: "SimpleQueue[bytes]" = SimpleQueue()
    # The line is watched before anything of the job is imported, which takes seconds.
    threading.Thread(target=_listen, args=(line, chunks), daemon=True).start()
    try:
        worker = pickle.loads(packed).start()
        _say(line, "ready")
        while True:
            _say(line, "result", worker(pickle.loads(chunks.get())))
    except Exception as error:
        _say(line, "error", error)
        chunks.get()  # until the parent lets go


def _listen(line: Connection, chunks: "SimpleQueue[bytes]") -> None:
    """Take chunks in as they come, so that the parent never waits; end when the parent has gone, however it went."""
    while True:
        try:
            chunks.put(line.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)


def _say(line: Connection, kind: str, value: Any = None) -> None:
    if kind == "error":
        value = portable(value)
    told = pickle.dumps((kind, value))
    try:
        line.send_bytes(told)
    except OSError:
        os._exit(0)  # nobody listens any more
