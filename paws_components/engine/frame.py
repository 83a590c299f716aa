"""The frame of every long command: rows in, an outcome for each on disk, the output in one step at the end.

A row ends as one that came to something, as one that did not, or as an error; the three add up to the rows that went
in. What is done stays in `OUTPUT.run` until the output is there, so the same command goes on after whatever ended it.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
import threading
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Dict, Generator, Iterable, Iterator, List, Optional, Sequence, Union

from ..errors import Errors, PawsError, without_secrets
from ..storage import LocalFolder, folder_at, is_url, put_path
from ..writers import check_outputs, is_pipe, move_into_place
from .live import Live
from .options import RunOptions
from .pool import CHUNK, Job
from .store import RUN, SHOP, RunFolder
from .timing import timed
from .work import Item, Tally, Work, Worker, told_error, where

ERRORS = ".errors.jsonl"
# How many errors are told where there is no file to put them into.
TOLD = 20

# What came of the rows that were no errors, as plain data; can be gone through several times.
Values = Iterable[Any]
Finish = Callable[[Values, str], int]


class Stopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM, with what to tell the user about it."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class Run:
    """A run of a command.

    command (str): Its name.
    job (Job): Makes workers, which take a list of payloads and give an outcome, or a PawsError, for each.
    inputs (Sequence[str]): What is read, for the manifest and for the check that no input is written over.
    output (str): Where the output goes: a file, a folder, or "-".
    settings (Dict[str, Any]): What the outcome depends on.
    value (Callable): Plain data for the outcome of a row, given both; or why there is none after all, as `Failed`. It
        works where the worker is, and travels there.
    in_order (bool): Whether `value` has to see the rows in their order, because it remembers what came before.
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
    in_order: bool = False
    others: Sequence[str] = ()
    folder: Optional[RunFolder] = None

    def __post_init__(self) -> None:
        self.pipe = is_pipe(self.output)
        check_outputs(self.inputs, [self.output, *([] if self.pipe else [self.errors_path]), *self.others])
        if not is_url(self.output):
            _check_folder(self.place)

    @property
    def place(self) -> Path:
        """The output itself, on this machine; a link stays one."""
        return Path(os.path.realpath(self.output))

    @property
    def folder_path(self) -> Union[str, Path]:
        """Where the shards are."""
        if self.pipe:
            # What goes to a pipe can't go on anywhere.
            return Path(tempfile.mkdtemp())
        return self.output.rstrip("/") + RUN if is_url(self.output) else self.place.with_name(self.place.name + RUN)

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
            about = {"arguments": _arguments(), "directory": os.getcwd(), "begun": _now()}
            self.folder = RunFolder(self.folder_path, manifest, fresh, about)
        return self.folder

    def __call__(
        self, items: Iterable[Item], *, total: Optional[int] = None, meter: Any = None, **options: Any
    ) -> Tally:
        """Do it.

        items (Iterable[Item]): The rows, from the first on, also where some are done already.
        total (Optional[int]): How many rows there are, if that is known.
        meter (Any): How far the reading is; see `readers.files.Meter`.
        **options: How it works: see `RunOptions`.
        RETURNS (Tally): What came of the rows.
        """
        how = RunOptions(**options)
        if how.log is not None:
            check_outputs(self.inputs, [self.output, self.errors_path, *self.others, how.log])
        places = {"inputs": [*map(without_secrets, self.inputs)], "output": without_secrets(self.output)}
        live = Live({"command": self.command, **places}, self.unit, how, total, meter, self.pipe)
        with _stoppable() as stop, live:
            try:
                work = Work(self, items, how, live)
                return self._to_pipe(work) if self.pipe and self.streams else self._to_place(work, how.fresh)
            except KeyboardInterrupt:
                raise Stopped(self._told_of_stop(), stop.code) from None
            finally:
                live.progress.close()
                if self.folder is not None and self.pipe:
                    self.folder.remove()  # however it ended, nothing goes on from there
                elif self.folder is not None:
                    self.folder.release()

    def _to_pipe(self, work: "Work") -> Tally:
        listed, first = 0, ""

        def values() -> Generator[Any, None, None]:
            nonlocal listed, first
            for done in work.results():
                for entry in done.entries or ():
                    if entry.error is None:
                        yield entry.value
                        continue
                    first = first or entry.error
                    if (listed := listed + 1) <= TOLD:
                        print(f"paws: {where(entry)}: {entry.error}", file=sys.stderr)

        with closing(values()) as live:
            work.tally.found = self.finish(live, self.output)
        self._check_all_failed(work.tally, first)
        return work.tally

    def _to_place(self, work: "Work", fresh: bool) -> Tally:
        folder = self.open(fresh)
        try:
            self._fill(work, folder)
            done = self._finish(work.tally, folder)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise PawsError(self._told_of_disk(folder, error)) from error
        except PawsError:
            if not folder.rows and not folder.notes:
                folder.remove()  # nothing to go on with: leave no trace
            raise
        return done

    def _fill(self, work: "Work", folder: RunFolder) -> None:
        """Have a shard for every row."""
        try:
            with closing(work.results(folder)) as results:
                for _ in results:
                    pass
        except BaseException:
            folder.look_again()
            work.tally.recount(folder.shards)
            raise

    def _finish(self, tally: Tally, folder: RunFolder) -> Tally:
        """Put the shards together and give the output its place."""
        with _workshop(folder) as shop, timed("finish"):
            return self._put_together(tally, folder, shop)

    def _put_together(self, tally: Tally, folder: RunFolder, shop: Path) -> Tally:
        errors, first = shop / "errors.jsonl", ""
        with open(errors, "w", encoding="utf8", newline="\n") as file:
            for entry in folder.entries():
                if entry.error is not None:
                    first = first or entry.error
                    file.write(json.dumps(told_error(entry), ensure_ascii=False) + "\n")
        if tally.errors and not self.pipe:
            self._move(errors, self.errors_path)
            tally.errors_path = self.errors_path
        errors.unlink(missing_ok=True)
        self._check_all_failed(tally, first, folder)
        beside = shop / SHOP / self.place.name
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
                self._move(beside, str(self.place) if not is_url(self.output) else self.output)
        finally:
            # A full disk has room again.
            shutil.rmtree(beside.parent, ignore_errors=True)
        if not tally.errors and not self.pipe:
            _forget(self.errors_path)
        if self.keeps:
            folder.note(ended=_now())
        else:
            folder.remove()
        return tally

    def _move(self, beside: Path, place: str) -> None:
        if is_url(place):
            put_path(beside, place)
        else:
            move_into_place(beside, Path(place))

    def _check_all_failed(self, tally: Tally, first: str, folder: Optional[RunFolder] = None) -> None:
        if tally.rows and tally.errors == tally.rows:
            if folder is not None:
                folder.remove()
            told = {"rows": f"{tally.rows:,}", "unit": self.unit, "first": first.rstrip(".") + "."}
            where = f" They are listed in {tally.errors_path}." if tally.errors_path else ""
            raise PawsError(Errors.P037.format(**told, where=where))

    def _told_of_stop(self) -> str:
        if self.pipe:
            return "Stopped."
        if self.folder is None or not self.folder.rows:
            if self.folder is not None and not self.folder.notes:
                self.folder.remove()
            return "Stopped; nothing was done yet."
        rows = self.folder.rows
        return (
            f"Stopped. {rows:,} {self.unit} are done and kept in {self.folder.path}; run the same command again to "
            f"resume. {self.output} was not changed."
        )

    def _told_of_disk(self, folder: RunFolder, error: OSError) -> str:
        if self.pipe:
            return Errors.P021.format(path=self.output, reason=error)
        kept = f"{folder.rows:,} {self.unit} are done and kept in {folder.path}"
        return Errors.P038.format(path=self.output, reason=error, kept=kept)


class _Values:
    """The values of a run, as often as somebody wants them."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder

    def __iter__(self) -> Iterator[Any]:
        return (entry.value for entry in self.folder.entries() if entry.error is None)


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


@contextmanager
def _workshop(folder: RunFolder) -> Iterator[Path]:
    """Where the output is put together: beside the shards, or on this machine where they are not on it."""
    if isinstance(folder.files, LocalFolder):
        yield folder.files.path
    else:
        with tempfile.TemporaryDirectory(prefix="paws-") as path:
            yield Path(path)


def _forget(path: str) -> None:
    """Take away what an earlier run told of its errors."""
    folder, _, name = path.rpartition("/")
    folder_at(folder or ".").remove(name)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def _arguments() -> Optional[List[str]]:
    """What `paws` was given, so that it can be given again; None in any other program."""
    program = Path(sys.argv[0])
    ours = program.stem in ("paws", "paws-script") or program.parts[-2:] == ("paws_components", "__main__.py")
    return [without_secrets(argument) for argument in sys.argv[1:]] if ours else None


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
    if is_url(path):
        return {"path": without_secrets(path)}
    return {"path": path if not is_pipe(path) else "(pipe)"}
