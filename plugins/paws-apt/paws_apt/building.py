"""Corpora in the manner of AP_T5: every attempt at source sentences, in a run that goes on where it broke off."""

import hashlib
import json
import os
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, Dict, Iterable, Iterator, Set

from paws_components.engine.local import Job, Result, Worker, run
from paws_components.engine.sources import Line
from paws_components.errors import PawsError
from paws_components.records import PairRecord, RecordWriter, read_records

from .errors import Errors


@dataclass
class Progress:
    """How far a run is. It is written after every chunk: what is in the files beyond it is cut off and done again.

    settings (Dict[str, Any]): What the attempts depend on.
    sources (str): A hash of the sentences that are done.
    lines (int): How many these are.
    bytes (int), error_bytes (int): How long the two files are.
    attempted (int), failed (int), attempts (int), passed (int): What came of them.
    """

    settings: Dict[str, Any]
    sources: str = ""
    lines: int = 0
    bytes: int = 0
    error_bytes: int = 0
    attempted: int = 0
    failed: int = 0
    attempts: int = 0
    passed: int = 0

    def __str__(self) -> str:
        return (
            f"{self.lines:,} sentences = {self.attempted:,} with attempts + {self.failed:,} errors; "
            f"{self.attempts:,} attempts, {self.passed:,} passed"
        )


def distinct(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines with a sentence that was not there before, and those that can't be read."""
    seen: Set[str] = set()
    for line in lines:
        if line.error is not None or (line.text and line.text not in seen):
            seen.add(line.text)
            yield line


def build_attempts(job: Job[Worker], settings: Dict[str, Any], lines: Iterable[Line], path: str) -> Iterator[Progress]:
    """Have a generator attempt sentences, and write every attempt as a record whose label is its MI verdict.

    job (Job): The generator's; its `chunk` is how many sentences are worked on together.
    settings (Dict[str, Any]): What its attempts depend on. A file that was begun with others is not gone on with.
    lines (Iterable[Line]): The sentences, each once.
    path (str): The JSONL file of attempts. If a run with the same settings broke off there, it goes on.
    YIELDS (Progress): How far it is, after every chunk.
    """
    state, errors = Path(path + ".progress.json"), Path(path + ".errors.jsonl")
    progress = _begun(state, settings, path)
    rest = iter(lines)
    digest = hashlib.blake2b(digest_size=8)
    for line in islice(rest, progress.lines):
        digest.update(_key(line))
    if progress.lines and digest.hexdigest() != progress.sources:
        raise PawsError(Errors.A020.format(path=path, state=state, what="sentences"))
    with ExitStack() as stack:
        file = stack.enter_context(_open_at(Path(path), progress.bytes))
        error_file = stack.enter_context(_open_at(errors, progress.error_bytes))
        results = run(job, rest)
        while chunk := list(islice(results, int(getattr(job, "chunk", 1)))):
            for result in chunk:
                digest.update(_key(result.line))
                _write(result, file, error_file, progress)
            for each in (file, error_file):
                each.flush()
                os.fsync(each.fileno())
            progress.sources = digest.hexdigest()
            progress.bytes, progress.error_bytes = file.tell(), error_file.tell()
            _replace(state, progress)
            yield replace(progress)
    if not progress.error_bytes:
        errors.unlink()


def pairs_of(attempts: Iterable[PairRecord]) -> Iterator[PairRecord]:
    """The attempts as a corpus: each pair once, and none that is empty or repeats its source."""
    seen: Set[str] = set()
    for record in attempts:
        copied = record.sentence2.casefold() == record.sentence1.casefold()
        if record.sentence2 and not copied and record.id not in seen:
            seen.add(record.id)
            yield record


def write_pairs(attempts: str, path: str) -> int:
    """Write the pairs of a file of attempts; how many there are."""
    with RecordWriter(path) as writer:
        for record in pairs_of(read_records(attempts)):
            writer.write(record)
    return writer.count


def _begun(state: Path, settings: Dict[str, Any], path: str) -> Progress:
    # As JSON gives it back: tuples are lists there.
    wanted = json.loads(json.dumps(settings))
    if not state.exists():
        return Progress(wanted)
    progress = Progress(**json.loads(state.read_text(encoding="utf8")))
    if progress.settings != wanted:
        raise PawsError(Errors.A020.format(path=path, state=state, what="settings"))
    if not Path(path).exists() or Path(path).stat().st_size < progress.bytes:
        raise PawsError(Errors.A021.format(path=path, state=state))
    return progress


def _open_at(path: Path, size: int) -> IO[bytes]:
    """A file to append to, cut off where the last chunk ended."""
    file = open(path, "r+b" if path.exists() else "w+b")
    file.truncate(size)
    file.seek(size)
    return file


def _write(result: Result, file: IO[bytes], error_file: IO[bytes], progress: Progress) -> None:
    progress.lines += 1
    if result.error is not None:
        line = result.line
        progress.failed += 1
        error_file.write(_json({"path": line.path, "line": line.number, "error": result.error, "text": line.text}))
        return
    progress.attempted += 1
    for record in result.pairs:
        record.label, record.label_source = int(record.evidence["mi"]), "silver"
        progress.attempts += 1
        progress.passed += bool(record.evidence["passed"])
        file.write(_json(record.to_dict()))


def _json(data: Dict[str, Any]) -> bytes:
    return (json.dumps(data, ensure_ascii=False) + "\n").encode("utf8", "surrogatepass")


def _key(line: Line) -> bytes:
    return f"{line.text}\n".encode("utf8", "surrogatepass")


def _replace(state: Path, progress: Progress) -> None:
    """Write the progress so that it is there whole, or as it was."""
    new = state.with_name(state.name + ".new")
    new.write_text(json.dumps(asdict(progress)), encoding="utf8")
    os.replace(new, state)


def first_sentences(lines: Iterable[Line]) -> Iterator[Line]:
    """Of lines with pairs the first sentences: the paper has its sources from there (section 3.2)."""
    for line in lines:
        yield line._replace(text=line.text.split("\t")[0], source=None)
