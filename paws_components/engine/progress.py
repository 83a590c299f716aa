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
        self.count = self.begun = 0
        self.started = self.told = time.monotonic()
        self.plain = not quiet and not sys.stderr.isatty()
        known = total is not None or self._known()
        self.bar = tqdm(
            total=100 if known else None,
            disable=quiet or self.plain,
            leave=False,
            dynamic_ncols=True,
            desc="paws",
            # Where there is little room, what is told comes first.
            bar_format="{desc} |{bar}|" if known else "{desc}",
        )
        self.below = tqdm(
            total=0, disable=self.bar.disable, leave=False, position=1, dynamic_ncols=True, bar_format="  {desc}"
        )

    def begin(self, count: int) -> None:
        """So many were done before: they say nothing of how fast it goes."""
        self.count = self.begun = count
        self.started = self.told = time.monotonic()
        self.bar.set_description_str("paws: " + (f"{count:,} {self.unit} were done before" if count else "starting"))

    def update(self, count: int, about: Callable[[], str], stages: Callable[[], str] = str) -> None:
        """Some more are done.

        count (int): How many are done by now.
        about (Callable): Says what came of them.
        stages (Callable): Says where the time goes.
        """
        now = time.monotonic()
        self.count = count
        if not self.bar.disable:
            share = self.share()
            told = "" if share is None else f"{share:.0%}, "
            self.bar.n = round(100 * (share or 0.0))
            self.bar.set_description_str(f"paws: {told}{self.line(about(), now)}")
            self.below.set_description_str(stages())
        elif self.plain and now - self.told >= EVERY:
            self.told = now
            share = self.share()
            told = f"{share:.0%} of the input, " if share is not None else ""
            where = f"; {stages()}" if stages() else ""
            print(f"paws: {told}{self.line(about(), now)}{where}", file=sys.stderr, flush=True)

    def share(self) -> Optional[float]:
        """How much is done, from 0 to 1, if anybody knows."""
        if self.total:
            return min(1.0, self.count / self.total)
        return min(1.0, self.meter.done / self.meter.total) if self._known() else None

    def line(self, about: str, now: float) -> str:
        """How long it will take, what came of the rows, and how fast it goes: in a narrow window the end is cut off."""
        left = self.left(now)
        return f"{'' if left is None else f'{clock(left)} left, '}{about}, {self.speed(now):,.1f} {self.unit}/s"

    def speed(self, now: float) -> float:
        """How many a second are done."""
        return (self.count - self.begun) / max(now - self.started, 1e-6)

    def left(self, now: float) -> Optional[float]:
        """How many seconds are left, if that can be told."""
        share = self.share() or 0.0
        # What was done before took no time, though its share of the input is read again.
        ours = share * (self.count - self.begun) / max(self.count, 1)
        return (now - self.started) * (1 - share) / ours if ours > 0.005 else None

    def close(self) -> None:
        self.below.close()
        self.bar.close()

    def _known(self) -> bool:
        return bool(self.meter is not None and self.meter.total)


def clock(seconds: float) -> str:
    """A time for a reader: 0:42, 3:05, 2:10:00."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
