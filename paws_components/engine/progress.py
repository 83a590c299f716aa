"""How a long command tells how far it is: a bar on a terminal, a plain line now and then elsewhere."""

import sys
import time
from typing import Any, Callable, Optional

from tqdm import tqdm

# Seconds between plain lines, in a log file or a pipe.
EVERY = 30.0


class Progress:
    """Shows how far a run is.

    unit (str): What is counted: "lines", "pairs", …
    quiet (bool): Whether to show nothing.
    total (Optional[int]): How many there are, if anybody knows.
    meter (Any): Tells how many bytes of the input were read, and how many there are, where `total` is not known.
    """

    def __init__(self, unit: str, quiet: bool = False, total: Optional[int] = None, meter: Any = None) -> None:
        self.unit = unit
        self.total = total
        self.meter = meter
        self.begun_share = 0.0
        self.count = self.begun = 0
        self.started = self.told = time.monotonic()
        self.plain = not quiet and not sys.stderr.isatty()
        self.bar = tqdm(
            total=None if total is None and not self._known() else 100,
            disable=quiet or self.plain,
            leave=False,
            desc="paws",
            bar_format=None if total is None and not self._known() else "{desc}: {percentage:3.0f}%|{bar}| {postfix}",
        )

    def begin(self, count: int) -> None:
        """So many were done before: they say nothing of how fast it goes."""
        self.count = self.begun = count
        self.started = self.told = time.monotonic()
        self.begun_share = self.share() or 0.0

    def update(self, count: int, about: Callable[[], str]) -> None:
        """Some more are done.

        count (int): How many are done by now.
        about (Callable): Says what came of them.
        """
        now = time.monotonic()
        self.count = count
        if not self.bar.disable:
            share = self.share()
            if share is not None:
                self.bar.n = round(100 * share)
            self.bar.set_postfix_str(f"{about()}, {self.rate(now)}")
        elif self.plain and now - self.told >= EVERY:
            self.told = now
            share = self.share()
            told = f"{share:.0%} of the input, " if share is not None else ""
            print(f"paws: {told}{about()}, {self.rate(now)}", file=sys.stderr, flush=True)

    def share(self) -> Optional[float]:
        """How much is done, from 0 to 1, if anybody knows."""
        if self.total:
            return min(1.0, self.count / self.total)
        return min(1.0, self.meter.done / self.meter.total) if self._known() else None

    def rate(self, now: float) -> str:
        """How fast it goes, and how long it will take."""
        seconds = max(now - self.started, 1e-6)
        share = (self.share() or 0.0) - self.begun_share
        left = f", {clock(seconds * (1 - self.begun_share) / share - seconds)} left" if share > 0.005 else ""
        return f"{(self.count - self.begun) / seconds:,.1f} {self.unit}/s{left}"

    def close(self) -> None:
        self.bar.close()

    def _known(self) -> bool:
        return bool(self.meter is not None and self.meter.total)


def clock(seconds: float) -> str:
    """A time for a reader: 0:42, 3:05, 2:10:00."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
