"""What a run tells of itself: a line or two on a terminal, JSON lines in a log, and a table of where the time went."""

import sys
import time
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from datetime import datetime, timezone
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Type

from ..tables import text_table
from .log import RunLog
from .options import RunOptions
from .pool import Staff
from .progress import Progress, clock
from .timing import STAGES, collected

if TYPE_CHECKING:
    from .work import Tally

# Seconds between two lines of a log.
EVERY = 5.0
# A run that took longer tells where the time went.
LONG = 10.0
# A stage with a smaller share is not told of while the run goes on, nor are more than so many.
LEAST, MOST = 0.01, 4


class Live:
    """What is told of a run. A context manager, which lasts as long as the run.

    about (Dict[str, Any]): What the log tells of the run when it begins.
    unit (str): What rows are called.
    options (RunOptions): How it works.
    total (Optional[int]), meter (Any): See `Progress`.
    pipe (bool): Whether the output goes to a pipe, where nobody wants a table.
    """

    def __init__(
        self, about: Dict[str, Any], unit: str, options: RunOptions, total: Optional[int], meter: Any, pipe: bool
    ) -> None:
        self.log = RunLog(options.log)
        self.progress = Progress(unit, options.quiet, total, meter)
        self.silent = options.quiet or pipe
        self.about = about
        self.tally: Optional["Tally"] = None
        self.staff = Staff()
        self.shards = 0
        # Seconds per stage: of the workers, and of the process that leads the run.
        self.worked: Dict[str, float] = defaultdict(float)
        self.lead: Dict[str, float] = {}
        self.started = self.logged = time.monotonic()
        # How long there were workers.
        self.staffed = 0.0
        self._within = ExitStack()

    def __enter__(self) -> "Live":
        self.lead = self._within.enter_context(collected())
        self.log.write(time=_now(), event="begin", **self.about)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._within.close()
        self.progress.close()
        stages = self.stages(ended=True)
        state = "done" if error is None else "stopped" if isinstance(error, KeyboardInterrupt) else "failed"
        reason = {} if state == "done" else {"reason": str(error) or state}
        self._write("end", stages, state=state, **reason)
        self.log.close()
        if error is None and not self.silent and time.monotonic() - self.started > LONG:
            print(self.table(stages), file=sys.stderr, flush=True)

    def begin(self, tally: "Tally") -> None:
        """So much was done before."""
        self.tally = tally
        self.shards = 0
        self.progress.begin(tally.rows)

    @contextmanager
    def working(self) -> Iterator[None]:
        """While there are workers."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self.staffed += time.monotonic() - begun

    def update(self, seconds: Dict[str, float], about: Callable[[], str]) -> None:
        """A lot is done.

        seconds (Dict[str, float]): How long each of its stages took.
        about (Callable): Says what came of the rows so far.
        """
        self.shards += 1
        for stage, passed in seconds.items():
            self.worked[stage] += passed
        assert self.tally is not None
        self.progress.update(self.tally.rows, lambda: about() + self._deaths(), self._shares)
        if time.monotonic() - self.logged >= EVERY:
            self._write("update", self.stages())

    def stages(self, ended: bool = False) -> Dict[str, float]:
        """Seconds per stage, of all processes together, in the order of the work.

        ended (bool): Whether to add what is left of the time that passed, so that all of it is there.
        """
        found = {name: self.worked.get(name, 0.0) + self.lead.get(name, 0.0) for name in {**self.worked, **self.lead}}
        if ended and self.staff.most > 1:
            found["wait"] = max(0.0, self.staff.most * self.staffed - sum(self.worked.values()))
        elif ended:
            found["rest"] = max(0.0, time.monotonic() - self.started - sum(found.values()))
        names = [*STAGES, *(name for name in found if name not in STAGES)]
        return {name: found[name] for name in names if name in found}

    def table(self, stages: Dict[str, float]) -> str:
        """Where the time went, as a table."""
        total = sum(stages.values()) or 1.0
        rows: List[List[str]] = [["stage", "time", "share"]]
        rows += [
            [STAGES.get(name, name), clock(seconds), f"{seconds / total:.0%}"]
            for name, seconds in stages.items()
            if seconds / total >= LEAST / 2
        ]
        took = clock(time.monotonic() - self.started)
        if self.staff.most > 1:
            died = f", {self.staff.died:,} died" if self.staff.died else ""
            return f"{took} with {self.staff.most} workers{died}; the time of all together:\n{text_table(rows)}\n"
        return f"{took} in all:\n{text_table(rows)}\n"

    def _shares(self) -> str:
        stages = self.stages()
        total = sum(stages.values())
        told = [(seconds / total, name) for name, seconds in stages.items() if total and seconds / total >= LEAST]
        return ", ".join(f"{STAGES.get(name, name)} {share:.0%}" for share, name in sorted(told, reverse=True)[:MOST])

    def _deaths(self) -> str:
        died = self.staff.died
        return f", {died:,} worker{'s' if died > 1 else ''} died" if died else ""

    def _write(self, event: str, stages: Dict[str, float], **more: Any) -> None:
        now = self.logged = time.monotonic()
        tally, left = self.tally, self.progress.left(now)
        self.log.write(
            time=_now(),
            event=event,
            command=self.about.get("command"),
            rows=tally.rows if tally else 0,
            found=tally.found if tally else 0,
            errors=tally.errors if tally else 0,
            rate=round(self.progress.speed(now), 2),
            seconds=round(now - self.started, 2),
            seconds_left=0 if event == "end" else None if left is None else round(left, 1),
            stages={name: round(seconds, 3) for name, seconds in stages.items()},
            workers={"alive": self.staff.alive, "hired": self.staff.hired, "died": self.staff.died},
            shards=self.shards,
            **more,
        )


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
