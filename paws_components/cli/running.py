"""A run of the engine as a command shows it: progress, output, errors, and the closing line."""

import json
import sys
from itertools import islice
from pathlib import Path
from typing import Callable, Optional, Sequence

import click
from tqdm import tqdm

from ..engine.local import Job, Result, Worker, run
from ..engine.sources import read_lines, total_bytes
from ..errors import PawsError
from ..records import RecordWriter


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
    field: str = "text",
    n_process: int = 1,
    limit: Optional[int] = None,
    quiet: bool = False,
    watch: Optional[Callable[[Result], None]] = None,
) -> Counts:
    """Run a job over files, write the pairs as they come, and close with a line that accounts for every input line."""
    counts = Counts()
    errors = Path(output + ".errors.jsonl")
    errors.unlink(missing_ok=True)
    bar = tqdm(
        total=None if limit else total_bytes(inputs), unit="B", unit_scale=True, disable=quiet, leave=False, desc="paws"
    )
    with RecordWriter(output) as writer, bar:
        lines = islice(read_lines(inputs, field, bar.update), limit)
        try:
            for result in run(job, lines, n_process):
                counts.add(result)
                for record in result.pairs:
                    writer.write(record)
                if result.error is not None:
                    _note_error(errors, result)
                if watch:
                    watch(result)
                if counts.lines % 100 == 0:
                    bar.set_postfix_str(f"{counts.lines:,} lines, {counts.pairs:,} pairs", refresh=False)
        except KeyboardInterrupt:
            bar.close()
            click.echo(f"Stopped. {counts} in {output}", err=True)
            sys.exit(130)
        except PawsError:
            bar.close()
            click.echo(f"Broken off. {counts} in {output}", err=True)
            raise
    click.echo(f"{counts} in {output}", err=True)
    if counts.respaced:
        click.echo(f"Tabs or runs of spaces within {counts.respaced:,} lines were read as single spaces", err=True)
    if counts.errors:
        click.echo(f"The errors, with their line numbers, are in {errors}", err=True)
    return counts


def _note_error(path: Path, result: Result) -> None:
    entry = {"path": result.line.path, "line": result.line.number, "error": result.error, "text": result.line.text}
    with path.open("a", encoding="utf8", errors="surrogatepass") as file:
        file.write(json.dumps(entry, ensure_ascii=False) + "\n")
