"""The frame of every long command: rows in, an outcome for each on disk, the output in one step at the end.

A row ends as one that came to something, as one that did not, or as an error; the three add up to the rows that went
in. What is done stays in `OUTPUT.run` until the output is there, so the same command goes on after whatever ended it.
"""

import base64
import itertools
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Deque, Dict, Generator, Iterable, Iterator, List, Optional, Protocol, Sequence, Tuple

from ..errors import Errors, Fatal, PawsError
from ..writers import check_outputs, is_pipe, move_into_place
from .local import CHUNK, Job, find_backend, in_chunks
from .progress import Progress
from .store import Entry, RunFolder, digest_rows

# A shard is closed after a second, or after a hundredth of the time so far: a kill costs little, and a run of a day has
# some hundreds of files. It never holds more than so many rows.
SHARD_SECONDS, SHARD_SHARE, SHARD_ROWS = 1.0, 0.01, 16_384
ERRORS = ".errors.jsonl"
# How many errors are told where there is no file to put them into.
TOLD = 20

Worker = Callable[[List[Any]], List[Any]]
# What came of the rows that were no errors, as plain data; can be gone through several times.
Values = Iterable[Any]
Finish = Callable[[Values, str], int]


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


class Stopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM, with what to tell the user about it."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


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


@dataclass
class Run:
    """A run of a command.

    command (str): Its name.
    job (Job): Makes workers, which take a list of payloads and give an outcome, or a PawsError, for each.
    inputs (Sequence[str]): What is read, for the manifest and for the check that no input is written over.
    output (str): Where the output goes: a file, a folder, or "-".
    settings (Dict[str, Any]): What the outcome depends on.
    value (Callable): Plain data for the outcome of a row, given both.
    finish (Callable): Writes the output to a path from the values of all rows; gives how many rows came to something.
    unit (str): What rows are called.
    outcome (str): What a row is called that came to something, while the run goes on.
    counts (Callable): Whether a value is such an outcome.
    streams (bool): Whether `finish` goes through the values once: then a pipe gets them as they come.
    keeps (bool): Whether the run's folder stays, for outcomes that are too expensive to be found twice.
    others (Sequence[str]): What else the command writes.
    """

    command: str
    job: Job[Worker]
    inputs: Sequence[str]
    output: str
    settings: Dict[str, Any]
    value: Callable[[Any, Any], Any]
    finish: Finish
    unit: str = "rows"
    outcome: str = "with an outcome"
    counts: Callable[[Any], bool] = bool
    streams: bool = True
    keeps: bool = False
    others: Sequence[str] = ()
    folder: Optional[RunFolder] = None

    def __post_init__(self) -> None:
        self.pipe = is_pipe(self.output)
        check_outputs(self.inputs, [self.output, *([] if self.pipe else [self.errors_path]), *self.others])
        _check_folder(self.place)

    @property
    def place(self) -> Path:
        """The output itself; a link stays one."""
        return Path(os.path.realpath(self.output))

    @property
    def errors_path(self) -> str:
        return self.output.rstrip("/") + ERRORS

    def open(self, fresh: bool = False) -> RunFolder:
        """The folder of the run: a new one, or the one of a run that did not come to its end.

        fresh (bool): Whether to start over.
        RETURNS (RunFolder): The folder.
        """
        if self.folder is None:
            manifest = {
                "command": self.command,
                "inputs": [_describe(path) for path in self.inputs],
                "settings": self.settings,
                "chunk": int(getattr(self.job, "chunk", CHUNK)),
                "versions": versions(),
            }
            # What goes to a pipe can't go on anywhere.
            path = Path(tempfile.mkdtemp()) if self.pipe else self.place.with_name(self.place.name + ".run")
            self.folder = RunFolder(path, manifest, fresh)
        return self.folder

    def __call__(
        self,
        items: Iterable[Item],
        *,
        n_process: int = 1,
        quiet: bool = False,
        fresh: bool = False,
        max_errors: Optional[int] = None,
        total: Optional[int] = None,
        meter: Any = None,
    ) -> Tally:
        """Do it.

        items (Iterable[Item]): The rows, from the first on, also where some are done already.
        n_process (int): How many processes work; 0 or less for one per core.
        quiet (bool): Whether to show no progress.
        fresh (bool): Whether to start over, whatever is done.
        max_errors (Optional[int]): Stop when there are more errors than this; None to go on.
        total (Optional[int]): How many rows there are, if that is known.
        meter (Any): How far the reading is; see `readers.files.Meter`.
        RETURNS (Tally): What came of the rows.
        """
        work = _Work(self, items, n_process, max_errors, Progress(self.unit, quiet, total, meter))
        with _stoppable() as stop:
            try:
                return self._to_pipe(work) if self.pipe and self.streams else self._to_place(work, fresh)
            except KeyboardInterrupt:
                raise Stopped(self._told_of_stop(work), stop.code) from None
            finally:
                work.progress.close()
                if self.folder is not None:
                    self.folder.release()

    def _to_pipe(self, work: "_Work") -> Tally:
        listed = 0

        def values() -> Generator[Any, None, None]:
            nonlocal listed
            for entries, _ in work.entries():
                for entry in entries:
                    if entry.error is None:
                        yield entry.value
                    elif (listed := listed + 1) <= TOLD:
                        print(f"paws: {_where(entry)}: {entry.error}", file=sys.stderr)

        with closing(values()) as live:
            work.tally.found = self.finish(live, self.output)
        self._check_all_failed(work.tally, None)
        return work.tally

    def _to_place(self, work: "_Work", fresh: bool) -> Tally:
        folder = self.open(fresh)
        try:
            self._fill(work, folder)
            done = self._finish(work.tally, folder)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise PawsError(self._told_of_disk(folder, error)) from error
        except PawsError:
            if self.pipe or (not folder.rows and not folder.notes):
                folder.remove()  # nothing to go on with: leave no trace
            raise
        return done

    def _fill(self, work: "_Work", folder: RunFolder) -> None:
        """Have a shard for every row."""
        work.skip(folder)
        held: List[Entry] = []
        rows: List[Item] = []

        def close() -> None:
            if held:
                folder.add(held, digest_rows(rows), self.count(held))
            held.clear()
            rows.clear()

        started = last = time.monotonic()
        try:
            with closing(work.entries()) as chunks:
                for entries, items in chunks:
                    held += entries
                    rows += items
                    now = time.monotonic()
                    if now - last >= max(SHARD_SECONDS, SHARD_SHARE * (now - started)) or len(held) >= SHARD_ROWS:
                        close()
                        last = now
        except OSError:
            raise  # the shard before is the last there is room for
        except BaseException:
            # What is done is not thrown away, whatever ends the run.
            close()
            raise
        close()

    def count(self, entries: List[Entry]) -> int:
        """How many came to something."""
        return sum(bool(entry.value) and self.counts(entry.value) for entry in entries)

    def _finish(self, tally: Tally, folder: RunFolder) -> Tally:
        """Put the shards together and give the output its place."""
        errors = folder.path / "errors.jsonl"
        with open(errors, "w", encoding="utf8", newline="\n") as file:
            for entry in folder.entries():
                if entry.error is not None:
                    file.write(json.dumps(_told_error(entry), ensure_ascii=False) + "\n")
        if tally.errors and not self.pipe:
            move_into_place(errors, Path(self.errors_path))
            tally.errors_path = self.errors_path
        self._check_all_failed(tally, folder)
        beside = folder.path / "output" / self.place.name
        shutil.rmtree(beside.parent, ignore_errors=True)
        beside.parent.mkdir()
        try:
            try:
                tally.found = self.finish(_Values(folder), self.output if self.pipe else str(beside))
            except PawsError as error:
                # Writers tell of a full disk in our words; here there is more to say.
                if isinstance(error.__cause__, OSError):
                    raise error.__cause__ from None
                raise
            if not self.pipe:
                move_into_place(beside, self.place)
        finally:
            # A full disk has room again.
            shutil.rmtree(beside.parent, ignore_errors=True)
        if not tally.errors and not self.pipe:
            Path(self.errors_path).unlink(missing_ok=True)
        if not self.keeps:
            folder.remove()
        return tally

    def _check_all_failed(self, tally: Tally, folder: Optional[RunFolder]) -> None:
        if tally.rows and tally.errors == tally.rows:
            first = next((entry.error for entry in folder.entries() if entry.error), "") if folder else ""
            if folder is not None:
                folder.remove()
            first = first.rstrip(".") + "." if first else ""
            where = f" They are listed in {tally.errors_path}." if tally.errors_path else ""
            raise PawsError(Errors.P037.format(rows=f"{tally.rows:,}", unit=self.unit, first=first, where=where))

    def _told_of_stop(self, work: "_Work") -> str:
        rows = self.folder.rows if self.folder else 0
        if not rows or self.folder is None or self.pipe:
            if self.folder is not None and (self.pipe or not self.folder.notes):
                self.folder.remove()
            return "Stopped." if self.pipe else "Stopped; nothing was done yet."
        return (
            f"Stopped. {rows:,} {self.unit} are done and kept in {self.folder.path}; the same command goes on from "
            f"there, and {self.output} is as it was."
        )

    def _told_of_disk(self, folder: RunFolder, error: OSError) -> str:
        kept = f"{folder.rows:,} {self.unit} are done and kept in {folder.path}"
        return Errors.P038.format(path=self.output, reason=error, kept=kept)


class _Values:
    """The values of a run, as often as somebody wants them."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder

    def __iter__(self) -> Iterator[Any]:
        return (entry.value for entry in self.folder.entries() if entry.error is None)


class _Work:
    """The rows of a run on their way through the workers."""

    def __init__(
        self, run: Run, items: Iterable[Item], n_process: int, max_errors: Optional[int], progress: Progress
    ) -> None:
        self.run = run
        self.chunk = int(getattr(run.job, "chunk", CHUNK))
        self.backend = find_backend(n_process)
        self.max_errors = max_errors
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
        with closing(self.backend.map(Accounted(self.run.job), payloads())) as results:
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
            last = next((f"{_where(entry)}: {entry.error}" for entry in reversed(entries) if entry.error), "")
            raise PawsError(Errors.P036.format(count=self.tally.errors, limit=self.max_errors, last=last))

    def _entries(self, held: List["_Held"], outcomes: Iterator[Tuple[Any, Optional[str]]]) -> Iterator[Entry]:
        for each in held:
            item, value, error = each.item, None, each.error
            if each.works:
                outcome, error = next(outcomes)
                value = self.run.value(item, outcome) if error is None else None
            if error is None:
                yield Entry(item.path, item.number, value)
            else:
                yield Entry(item.path, item.number, None, error, item.raw)

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

    def start(self) -> Callable[[List[Any]], List[Tuple[Any, Optional[str]]]]:
        return partial(_work, self.job.start())


def _work(worker: Worker, payloads: List[Any]) -> List[Tuple[Any, Optional[str]]]:
    if not payloads:
        return []
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


class _Stop:
    """Which signal stopped a run, as an exit code."""

    code = 128 + signal.SIGINT


@contextmanager
def _stoppable() -> Iterator[_Stop]:
    """Handle SIGTERM, with which schedulers stop a job, like Ctrl-C."""
    stop = _Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def handle(number: int, frame: Optional[FrameType]) -> None:
        stop.code = 128 + number
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, before)


def is_folder(output: str) -> bool:
    """Whether an output is a folder: its name says so, or it is one."""
    return output.endswith("/") or os.path.isdir(output)


def _check_folder(place: Path) -> None:
    """Nothing of anybody else's is replaced."""
    if place.is_dir() and any(not path.name.startswith("shard-") for path in place.iterdir()):
        raise PawsError(Errors.P040.format(path=str(place)))


def versions() -> Dict[str, str]:
    """What the outcome may depend on besides the settings."""
    import spacy

    from .. import __version__

    return {"paws-components": __version__, "spacy": spacy.__version__}


def _describe(path: str) -> Dict[str, Any]:
    """An input as the manifest has it. Whether its rows are the same is told by a hash in each shard."""
    if os.path.isfile(path):
        return {"path": path, "size": os.path.getsize(path)}
    return {"path": path if not is_pipe(path) else "(pipe)"}


def _where(entry: Entry) -> str:
    return f"{entry.path}, {entry.number}"


def _told_error(entry: Entry) -> Dict[str, Any]:
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
