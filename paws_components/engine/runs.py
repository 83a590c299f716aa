"""Runs that broke off, or are under way: found beside their outputs, given again, and removed."""

import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ..errors import HIDDEN, Errors, PawsError
from ..storage import LocalFolder, folder_at, is_url
from .store import LOCK, MANIFEST, OURS, RUN, SHARD_NAME, read_shard, restore_output

# How a run is: under way; broken off, so that it can go on; come to its end and kept; not to be read; or nobody knows,
# where there are no locks.
RUNNING, STOPPED, DONE, DAMAGED, UNKNOWN = "running", "stopped", "done", "damaged", "unknown"
FRESH = "--fresh"


class FoundRun(NamedTuple):
    """A run, by what its folder tells.

    output (str): Where its output goes.
    path (str): Its folder.
    command (str): The name of the command.
    arguments (Optional[List[str]]): Those that `paws` was given; None where it was not begun by `paws`.
    directory (str): Where it was given.
    begun (str): When it was begun, or last went on.
    state (str): How it is.
    rows (int), found (int), errors (int): How many are done, came to something, and are errors.
    inputs (Tuple[str, ...]): What it reads.
    """

    output: str
    path: str
    command: str = ""
    arguments: Optional[List[str]] = None
    directory: str = ""
    begun: str = ""
    state: str = DAMAGED
    rows: int = 0
    found: int = 0
    errors: int = 0
    inputs: Tuple[str, ...] = ()

    def to_dict(self) -> Dict[str, Any]:
        return self._asdict()


def find_runs(place: str = ".") -> List[FoundRun]:
    """The runs under a folder, links aside; or the one of an output.

    place (str): A folder; or an output or the folder of a run, which may be a URL.
    RETURNS (List[FoundRun]): The runs, by their paths.
    """
    own = _own(place)
    path = own if own.endswith(RUN) else own + RUN
    try:
        if folder_at(path).exists(MANIFEST) or (not is_url(path) and os.path.isdir(path)):
            return [read_run(path)]
    except OSError as error:
        raise PawsError(Errors.P020.format(path=place, reason=error)) from error
    if is_url(place) or not os.path.isdir(place):
        raise PawsError(Errors.P061.format(path=place))
    found = []
    for folder, folders, _ in os.walk(place):
        for name in [name for name in folders if name.endswith(RUN)]:
            path = os.path.join(folder, name)
            # A link is not followed; a folder of that name may be anything.
            folders.remove(name)
            if not os.path.islink(path) and os.path.isfile(os.path.join(path, MANIFEST)):
                found.append(read_run(os.path.normpath(path)))
    return sorted(found, key=lambda run: run.path)


def _own(place: str) -> str:
    """A place by its own name. The run of an output that is a link is beside what it links to."""
    own = place.rstrip("/") or place
    return os.path.realpath(own) if not is_url(own) and os.path.islink(own) else own


def read_run(path: str) -> FoundRun:
    """What a folder tells of its run. One that can't be read is damaged, and no error."""
    files = folder_at(path)
    run = FoundRun(path.removesuffix(RUN), path)
    try:
        manifest = json.loads(files.read(MANIFEST).decode("utf8"))
        about = manifest.get("about", {})
        arguments = about.get("arguments")
        run = run._replace(
            command=str(manifest["command"]),
            arguments=[str(argument) for argument in arguments] if isinstance(arguments, list) else None,
            directory=str(about.get("directory", "")),
            begun=str(about.get("begun", "")),
            inputs=tuple(str(one["path"]) for one in manifest["inputs"]),
        )
        ended = bool(manifest.get("notes", {}).get("ended"))
        shards = [shard for shard in (read_shard(files, name) for name in files.names() if SHARD_NAME.fullmatch(name))]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return run._replace(state=RUNNING) if is_running(path) else run
    held = is_running(path)
    whole = [shard for shard in shards if shard is not None]
    return run._replace(
        state=UNKNOWN if held is None else RUNNING if held else DONE if ended else STOPPED,
        rows=sum(shard.rows for shard in whole),
        found=sum(shard.found for shard in whole),
        errors=sum(shard.errors for shard in whole),
    )


def is_running(path: str) -> Optional[bool]:
    """Whether a run is under way; None where nobody can tell."""
    with _held(path) as held:
        return None if held is None else not held


def to_resume(place: Optional[str] = None) -> FoundRun:
    """The run that is to go on: the one of an output, or the only one under this folder. Our error if it can't."""
    if place is None:
        runs = [run for run in find_runs() if run.state == STOPPED]
        if not runs:
            raise PawsError(Errors.P065.format(path="."))
        if len(runs) > 1:
            told = "\n".join(f"    {run.output}" for run in runs)
            raise PawsError(Errors.P062.format(count=len(runs), runs=told))
    else:
        runs = _the_one(place)
    (run,) = runs
    reason = None
    if run.state == RUNNING:
        raise PawsError(Errors.P063.format(path=run.path, what="resumed"))
    if run.state == DAMAGED:
        reason = "its manifest is damaged"
    elif run.arguments is None:
        reason = "it was not begun by the command `paws`, but from Python"
    elif any(HIDDEN in argument for argument in run.arguments):
        reason = "a URL in its command has a password, which is not kept"
    elif any(path == "(pipe)" or path.startswith("/dev/fd/") for path in run.inputs):
        reason = "it reads a pipe"
    elif not os.path.isdir(run.directory):
        reason = f"the folder that it was begun in, {run.directory!r}, is gone"
    if reason:
        raise PawsError(Errors.P064.format(path=run.path, reason=reason))
    return run


def command_of(run: FoundRun) -> List[str]:
    """The arguments of `paws` for a run to go on: as they were, but for what would start it over."""
    return [argument for argument in run.arguments or () if argument != FRESH]


def resume(run: FoundRun) -> None:
    """Give the command of a run again, where it was given, in place of this process."""
    os.chdir(run.directory)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", __name__.split(".")[0], *command_of(run)])


def to_remove(place: str) -> FoundRun:
    """The run of an output that is to be removed. Our error if it is under way, or the folder is somebody's own."""
    (run,) = _the_one(place)
    if run.state == RUNNING:
        raise PawsError(Errors.P063.format(path=run.path, what="removed"))
    if any(not OURS.fullmatch(name) for name in folder_at(run.path).names()):
        raise PawsError(Errors.P040.format(path=run.path))
    return run


def remove(run: FoundRun) -> None:
    """Remove what a run left; its output, if there is one, stays."""
    files = folder_at(run.path)
    with _held(run.path) as held:
        if held is False:
            raise PawsError(Errors.P063.format(path=run.path, what="removed"))
        restore_output(files)
        # The manifest first: a folder without one is nothing that anybody would go on with.
        files.remove(MANIFEST)
        files.remove_all()


def _the_one(place: str) -> List[FoundRun]:
    runs = find_runs(place)
    own = _own(place).removesuffix(RUN)
    if len(runs) != 1 or os.path.normpath(runs[0].output) != os.path.normpath(own) and not is_url(place):
        raise PawsError(Errors.P061.format(path=place))
    return runs


@contextmanager
def _held(path: str) -> Iterator[Optional[bool]]:
    """Hold the lock of a run: whether that could be done, which it can't while the run is under way. None if there are
    no locks.
    """
    try:
        import fcntl
    except ImportError:  # not on this system
        yield None
        return
    if is_url(path) or not isinstance(folder_at(path), LocalFolder):
        yield None
        return
    try:
        lock = open(Path(path) / LOCK)
    except OSError:  # never taken
        yield True
        return
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError:  # a file system without locks
            yield None
            return
        yield True
