"""Rows on their way through the workers: each comes out as an outcome or as an error, and is counted.

A worker has a lot in hand: some chunks of rows that will be one shard. It goes through them a chunk at a time, and
writes the shard itself, so that what comes back is a few numbers.
"""

import base64
import time
from bisect import bisect_right
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generator,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
)

from ..errors import Errors, Fatal, PawsError, without_secrets
from ..models import use_gpu
from .backends import find_backend
from .cache import forget_answers, use_cache
from .live import Live
from .options import RunOptions
from .pool import CHUNK, Job, in_chunks
from .store import Entry, RunFolder, Shard, ShardPlace, digest_rows
from .timing import collected, timed

if TYPE_CHECKING:
    from .frame import Run

Worker = Callable[[List[Any]], List[Any]]
# What a worker says of a payload: an outcome, or what went wrong.
Answer = Tuple[Any, Optional[str]]
# A shard takes a second, or a hundredth of the time so far: a kill costs little, and a run of a day has some hundreds
# of files. It never holds more than so many rows.
SHARD_SECONDS, SHARD_SHARE, SHARD_ROWS = 1.0, 0.01, 16_384


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


@dataclass
class Failed:
    """What a run's `value` gives for a row that came to an error after all.

    error (str): Why.
    value (Any): What is to be kept of it, as plain data.
    """

    error: str
    value: Any = None


Value = Callable[[Any, Any], Any]


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

    def add(self, shard: Shard) -> None:
        self.rows += shard.rows
        self.found += shard.found
        self.errors += shard.errors

    def recount(self, shards: Iterable[Shard]) -> None:
        """Count anew what is on the disk."""
        self.rows = self.found = self.errors = 0
        for shard in shards:
            self.add(shard)


class Lot(NamedTuple):
    """What a worker has in hand.

    start (int): How many rows come before.
    rows (List[Item]): The rows.
    """

    start: int
    rows: List[Item]


class Done(NamedTuple):
    """What came of a lot.

    rows (int): How many rows of it.
    shard (Optional[Shard]): What they came to, in numbers.
    entries (Optional[List[Entry]]): What came of each, where no shard was written.
    answers (Optional[List[Answer]]): What the worker said, where what that comes to is found out elsewhere.
    last_error (str): The last of its errors.
    seconds (Dict[str, float]): How long each stage took.
    """

    rows: int
    shard: Optional[Shard] = None
    entries: Optional[List[Entry]] = None
    answers: Optional[List[Answer]] = None
    last_error: str = ""
    seconds: Dict[str, float] = {}


class Work:
    """The rows of a run on their way through the workers."""

    def __init__(self, run: "Run", items: Iterable[Item], options: RunOptions, live: Live) -> None:
        self.run = run
        self.options = options
        self.chunk = int(getattr(run.job, "chunk", CHUNK))
        self.backend = find_backend(options)
        self.live = live
        live.staff = self.backend.staff
        self.tally = Tally()
        self.items = self._watched(items)
        self.started = time.monotonic()
        # How long a chunk takes, by the latest ones.
        self.pace: Optional[float] = None

    def results(self, folder: Optional[RunFolder] = None) -> Generator[Done, None, None]:
        """What came of each lot, in their order. Where there is a folder, it is in a shard by then.

        folder (Optional[RunFolder]): Where the shards are, those that are done already among them.
        """
        for shard in folder.shards if folder else ():
            self.tally.add(shard)
        if folder is not None:
            self._check_errors(lambda: last_error(folder.entries()))
        self.live.begin(self.tally)
        place = folder.place if folder else None
        job = LotJob(Accounted(self.run.job, self._gpu, self.options.cache), self.chunk, place)
        if not self.run.in_order:
            job.value, job.counts = self.run.value, self.run.counts
        held: List[Lot] = []

        def lots() -> Iterator[Lot]:
            for lot in self._lots(folder.shards if folder else []):
                held.append(lot)
                yield lot

        # Closed by hand: the workers must not outlive a run that ends here.
        with closing(self.backend.map(job, lots())) as results, self.live.working():
            for done in results:
                done = self._settled(done, held, folder)
                assert done.shard is not None
                self.tally.add(done.shard)
                if folder is not None:
                    folder.keep(done.shard)
                yield done
                self.live.update(done.seconds, self._told)
                self._check_errors(lambda: done.last_error)  # noqa: B023 - asked at once

    @property
    def _gpu(self) -> int:
        """The GPU of a worker. On a cluster each sees but the one that it was given, if it was given any."""
        options = self.options
        if options.engine == "local" or options.gpu_id < 0:
            return options.gpu_id
        return -1 if options.judges else 0

    def _settled(self, done: Done, held: List[Lot], folder: Optional[RunFolder]) -> Done:
        """See that a lot is in a shard, and take it from those in hand."""
        if done.answers is not None:
            rows = held[0].rows[: done.rows]
            with timed("work"):
                entries = [*make_entries(rows, done.answers, self.run.value)]
                told = report(held[0].start, rows, entries, self.run.counts)
            done = told._replace(entries=entries, seconds=done.seconds)
        assert done.shard is not None
        if folder is not None and done.entries is not None:
            with timed("write"):
                folder.place.write(done.shard, done.entries)
        # What was loaded before the first lot is not loaded again.
        seconds = sum(done.seconds.values()) - done.seconds.get("load", 0.0)
        pace = seconds / -(-done.rows // self.chunk)
        self.pace = pace if self.pace is None else 0.7 * self.pace + 0.3 * pace
        # Of a lot whose worker died of it the pieces come one by one.
        held[0] = Lot(held[0].start + done.rows, held[0].rows[done.rows :])
        if not held[0].rows:
            held.pop(0)
        return done

    def _lots(self, shards: Sequence[Shard]) -> Iterator[Lot]:
        """The rows that are not done yet. Those that are must be what they were."""
        done = {shard.start: shard for shard in shards}
        starts = sorted(done)
        start = 0
        while True:
            if start in done:
                with timed("read"):
                    rows = [*islice(self.items, done[start].rows)]
                    same = digest_rows(rows) == done[start].digest
                if not same:
                    raise self._changed(rows)
                start += len(rows)
                continue
            later = bisect_right(starts, start)
            until = starts[later] if later < len(starts) else start + SHARD_ROWS
            with timed("read"):
                rows = [*islice(self.items, min(until - start, self._size(start)))]
            if not rows:
                break
            yield Lot(start, rows)
            start += len(rows)
        if starts and start < starts[-1]:
            raise self._changed([])

    def _changed(self, rows: Sequence[Item]) -> PawsError:
        where = f"{rows[0].path}, {rows[0].number:,} and after" if rows else "it is shorter"
        path = str(self.run.folder.path) if self.run.folder else ""
        return PawsError(Errors.P032.format(path=path, where=where))

    def _size(self, start: int) -> int:
        """How many rows the next lot has. Chunks begin at the same rows, however a run was cut into lots."""
        if start % self.chunk:
            return self.chunk - start % self.chunk
        chunks = 1
        if self.pace is not None:
            wanted = max(SHARD_SECONDS, SHARD_SHARE * (time.monotonic() - self.started))
            chunks = int(max(1, min(wanted / max(self.pace, 1e-6), SHARD_ROWS // self.chunk)))
        return chunks * self.chunk

    def _check_errors(self, last: Callable[[], str]) -> None:
        most = self.options.max_errors
        if most is not None and self.tally.errors > most:
            raise PawsError(Errors.P036.format(count=self.tally.errors, limit=most, last=last()))

    def _watched(self, items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            self.tally.notes.update(item.notes)
            if item.broke_off:
                self.tally.broke_off.append(without_secrets(f"{item.path}: {item.reason}"))
            yield item

    def _told(self) -> str:
        tally = self.tally
        errors = f", {tally.errors:,} errors" if tally.errors else ""
        return f"{tally.rows:,} {self.run.unit}, {tally.found:,} {self.run.outcome}{errors}"


@dataclass
class LotJob:
    """The recipe of a worker that makes a shard of a lot.

    job (Accounted): Answers for each payload.
    chunk (int): How many rows the job's worker gets at once.
    place (Optional[ShardPlace]): Where the shard goes; None to hand the entries back.
    value (Optional[Callable]), counts (Callable): As in `Run`; without a value the answers are handed back.
    """

    job: "Accounted"
    chunk: int
    place: Optional[ShardPlace] = None
    value: Optional[Value] = None
    counts: Callable[[Any], bool] = bool
    # How long it took to make the worker, until that is told with the first lot.
    begun: Dict[str, float] = field(default_factory=dict)

    def start(self) -> Callable[[Lot], Done]:
        if self.place is not None and not self.place.is_seen():
            # Another machine's disk: whoever leads the run writes the shards.
            self.place = None
        with collected() as self.begun, timed("load"):
            worker = self.job.start()
        return partial(self._timed, worker)

    def _timed(self, worker: Callable[[List[Any]], List[Answer]], lot: Lot) -> Done:
        with collected() as seconds:
            done = self._work(worker, lot)
        begun, self.begun = self.begun, {}
        return done._replace(seconds={**seconds, **{name: begun[name] + seconds.get(name, 0.0) for name in begun}})

    def _work(self, worker: Callable[[List[Any]], List[Answer]], lot: Lot) -> Done:
        if self.value is None:
            answers: List[Answer] = []
            with timed("work"):
                for rows in in_chunks(lot.rows, self.chunk):
                    answers += _answers(worker, rows)
            return Done(len(lot.rows), answers=answers)
        entries: List[Entry] = []
        try:
            with timed("work"):
                for rows in in_chunks(lot.rows, self.chunk):
                    # Whole chunks only: what is left of one would be worked on by itself, to other last digits.
                    entries += [*make_entries(rows, _answers(worker, rows), self.value)]
        except BaseException:
            # What is done is not thrown away, whatever ends the run.
            if entries and self.place is not None:
                self._report(lot.start, lot.rows[: len(entries)], entries)
            raise
        with timed("write"):
            return self._report(lot.start, lot.rows, entries)

    def _report(self, start: int, rows: Sequence[Item], entries: List[Entry]) -> Done:
        done = report(start, rows, entries, self.counts)
        if self.place is None:
            return done._replace(entries=entries)
        assert done.shard is not None
        self.place.write(done.shard, entries)
        return done

    def split(self, lot: Lot) -> List[Lot]:
        """A lot whose worker died, as smaller ones: chunks, and of a chunk the rows."""
        size = self.chunk if len(lot.rows) > self.chunk else 1
        return [Lot(lot.start + i * size, rows) for i, rows in enumerate(in_chunks(lot.rows, size))]

    def lost(self, lot: Lot, reason: str) -> Done:
        """What comes of a row that its worker dies of."""
        if self.value is None:
            return Done(1, answers=[(None, reason)])
        (item,) = lot.rows
        entries = [Entry(without_secrets(item.path), item.number, None, reason, item.raw)]
        return report(lot.start, lot.rows, entries, self.counts)._replace(entries=entries)


def report(start: int, rows: Sequence[Item], entries: List[Entry], counts: Callable[[Any], bool]) -> Done:
    """What some rows came to, in numbers."""
    errors = sum(entry.error is not None for entry in entries)
    found = sum(entry.error is None and bool(entry.value) and counts(entry.value) for entry in entries)
    return Done(
        len(entries), Shard(start, len(entries), found, errors, digest_rows(rows)), last_error=last_error(entries)
    )


def last_error(entries: Iterable[Entry]) -> str:
    """The last error of some rows, and where; "" if there is none."""
    told = ""
    for entry in entries:
        if entry.error is not None:
            told = f"{where(entry)}: {entry.error}"
    return told


def make_entries(rows: Sequence[Item], answers: Iterable[Answer], value: Value) -> Iterator[Entry]:
    """What came of rows, by what the worker said of those that it was asked about."""
    said = iter(answers)
    for item in rows:
        payload, error = _hold(item)
        kept = None
        if error is None and payload is not None:
            outcome, error = next(said)
            kept = value(item, outcome) if error is None else None
            if isinstance(kept, Failed):
                kept, error = kept.value, kept.error
        yield Entry(without_secrets(item.path), item.number, kept, error, "" if error is None else item.raw)


def _answers(worker: Callable[[List[Any]], List[Answer]], rows: Sequence[Item]) -> List[Answer]:
    held = [_hold(item) for item in rows]
    return worker([payload for payload, error in held if error is None and payload is not None])


def _hold(item: Item) -> Tuple[Any, Optional[str]]:
    """What of a row goes to the worker, and what is wrong with it. One that is empty needs no work."""
    if item.reason is not None:
        return None, item.reason
    try:
        payload = item.payload
        return None if payload == "" else payload, None
    except PawsError as error:
        return None, str(error)


@dataclass
class Accounted:
    """A job whose worker answers for every payload of a chunk: with an outcome, or with what went wrong."""

    job: Job[Worker]
    gpu_id: int = -1
    cache: Optional[str] = None

    def start(self) -> Callable[[List[Any]], List[Answer]]:
        # Each process decides for itself where spaCy works.
        use_gpu(self.gpu_id)
        if self.cache is not None:
            use_cache(self.cache)
        return partial(_work, self.job.start())


def _work(worker: Worker, payloads: List[Any]) -> List[Answer]:
    if not payloads:
        return []
    forget_answers()
    try:
        return [_answer(outcome) for outcome in worker(payloads)]
    except Fatal:
        raise
    except Exception:
        return [_work_alone(worker, payload) for payload in payloads]


def _answer(outcome: Any) -> Answer:
    """An outcome; a worker that can say what is wrong with a row gives our error in its place."""
    return (None, str(outcome)) if isinstance(outcome, PawsError) else (outcome, None)


def _work_alone(worker: Worker, payload: Any) -> Answer:
    """One row by itself, after its chunk failed: only the row that is to blame becomes an error."""
    try:
        return _answer(worker([payload])[0])
    except Fatal:
        raise
    except Exception as error:
        return None, str(error) if isinstance(error, PawsError) else f"{type(error).__name__}: {error}"


def where(entry: Entry) -> str:
    return f"{entry.path}, {entry.number}"


def told_error(entry: Entry) -> Dict[str, Any]:
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
