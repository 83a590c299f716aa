"""A run of the engine as a command shows it: progress, output, errors, and the closing line."""

import json
import signal
import sys
from array import array
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Callable, Iterable, Iterator, Optional, Sequence

import click
from tqdm import tqdm

from ..engine.generate_job import Chooser
from ..engine.local import Job, Result, Worker, run
from ..engine.sources import Line, read_lines, total_bytes
from ..errors import PawsError
from ..records import PairRecord, RecordWriter, read_records


class Counts:
    """How many lines came to what. The three kinds add up to the lines that went in."""

    def __init__(self) -> None:
        self.with_pairs = self.without = self.errors = self.pairs = self.respaced = 0

    @property
    def lines(self) -> int:
        return self.with_pairs + self.without + self.errors

    def add(self, result: Result) -> None:
        if result.error is not None:
            self.errors += 1
        elif result.pairs:
            self.with_pairs += 1
        else:
            self.without += 1
        self.pairs += len(result.pairs)
        self.respaced += result.line.respaced

    def __str__(self) -> str:
        return (
            f"{self.lines:,} lines in = {self.with_pairs:,} with pairs + {self.without:,} without + "
            f"{self.errors:,} errors; {self.pairs:,} pairs"
        )


def run_to_file(
    job: Job[Worker],
    inputs: Sequence[str],
    output: str,
    *,
    read: Callable[..., Iterable[Line]] = read_lines,
    skip: int = 0,
    n_process: int = 1,
    limit: Optional[int] = None,
    quiet: bool = False,
    watch: Optional[Callable[[Result], None]] = None,
    chooser: Optional[Chooser] = None,
) -> Counts:
    """Run a job over files, write the pairs as they come, and close with a line that accounts for every input line.

    With a chooser the pairs go to a file beside the output first, and those that are chosen among all of them to the
    output at the end, also when the run is broken off.
    """
    counts = Counts()
    errors = Path(output + ".errors.jsonl")
    errors.unlink(missing_ok=True)
    bar = tqdm(
        total=None if limit else total_bytes(inputs), unit="B", unit_scale=True, disable=quiet, leave=False, desc="paws"
    )
    with _Output(output, chooser) as out, bar:
        stop = None if limit is None else skip + limit
        lines = islice(read(inputs, advance=bar.update), skip, stop)
        try:
            for result in run(job, lines, n_process):
                # A line is written and counted, or neither: the closing line says what is in the files.
                with _uninterrupted():
                    out.write(result)
                    counts.add(result)
                    if result.error is not None:
                        _note_error(errors, result)
                if watch:
                    watch(result)
                if counts.lines % 100 == 0:
                    bar.set_postfix_str(f"{counts.lines:,} lines, {counts.pairs:,} pairs", refresh=False)
        except KeyboardInterrupt:
            bar.close()
            out.finish(counts)
            click.echo(f"Stopped. {counts} in {output}{_go_on(skip, counts)}", err=True)
            sys.exit(130)
        except PawsError:
            bar.close()
            out.finish(counts)
            click.echo(f"Broken off. {counts} in {output}{_go_on(skip, counts)}", err=True)
            raise
        out.finish(counts)
    click.echo(f"{counts} in {output}", err=True)
    if counts.respaced:
        click.echo(f"Tabs or runs of spaces within {counts.respaced:,} lines were read as single spaces", err=True)
    if counts.errors:
        click.echo(f"The errors, with their line numbers, are in {errors}", err=True)
    return counts


class _Output:
    """Where the pairs of a run go: straight to the output, or first to one side where a choice is still to be made."""

    def __init__(self, path: str, chooser: Optional[Chooser]) -> None:
        self.path = path
        self.chooser = chooser
        self.writer = RecordWriter(path)
        self.aside = path + ".candidates.jsonl"
        self.spool = RecordWriter(self.aside) if chooser else None
        # How many pairs each line with any has, so that lines can be counted once it is known which pairs stay.
        self.sizes = array("L")

    def write(self, result: Result) -> None:
        if result.pairs and self.spool:
            self.sizes.append(len(result.pairs))
        for record in result.pairs:
            (self.spool or self.writer).write(record)

    def finish(self, counts: Counts) -> None:
        """Choose, if that is to be done, and correct the counts."""
        if self.chooser is None or self.spool is None:
            return
        self.spool.close()
        keep = self.chooser(read_records(self.aside))
        records = read_records(self.aside)
        for size in self.sizes:
            if not self._copy(islice(records, size), keep):
                counts.with_pairs -= 1
                counts.without += 1
        if counts.pairs:
            click.echo(f"{self.writer.count:,} of {counts.pairs:,} candidates were chosen", err=True)
        counts.pairs = self.writer.count
        Path(self.aside).unlink()

    def _copy(self, records: Iterator[PairRecord], keep: Callable[[PairRecord], bool]) -> int:
        before = self.writer.count
        for record in records:
            if keep(record):
                self.writer.write(record)
        return self.writer.count - before

    def __enter__(self) -> "_Output":
        return self

    def __exit__(self, *_: object) -> None:
        if self.spool:
            self.spool.close()
        self.writer.close()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until the block is done, where the system can make it wait."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _go_on(skip: int, counts: Counts) -> str:
    return f". To go on from there: --skip {skip + counts.lines}, and another output" if counts.lines else ""


def _note_error(path: Path, result: Result) -> None:
    entry = {"path": result.line.path, "line": result.line.number, "error": result.error, "text": result.line.text}
    with path.open("a", encoding="utf8", errors="surrogatepass") as file:
        file.write(json.dumps(entry, ensure_ascii=False) + "\n")
