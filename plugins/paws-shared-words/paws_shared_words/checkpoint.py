"""A file that grows by chunks, and beside it how far it is: killed at any point, a run goes on with the same bytes."""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Dict, Iterable

from paws_components.errors import Errors as PawsErrors
from paws_components.errors import PawsError

from .errors import Errors


@dataclass
class Progress:
    """How far a run is. What is in the file beyond it is cut off and done again.

    settings (Dict[str, Any]): What the content of the file depends on.
    done (int): How many examples are in the file.
    bytes (int): How long it is.
    counts (Dict[str, int]): What came of them.
    notes (Dict[str, Any]): What else was found out, and need not be found out again.
    """

    settings: Dict[str, Any]
    done: int = 0
    bytes: int = 0
    counts: Dict[str, int] = field(default_factory=dict)
    notes: Dict[str, Any] = field(default_factory=dict)


class Checkpointed:
    """A JSONL file of a run that can be killed.

    path (str): The file. Beside it `.progress.json` says how far it is.
    settings (Dict[str, Any]): What its content depends on. One that was begun with others is not gone on with.
    anew (bool): Whether to begin anew, whatever there is.
    """

    def __init__(self, path: str, settings: Dict[str, Any], anew: bool = False) -> None:
        self.path = Path(path)
        self.state = Path(path + ".progress.json")
        # As JSON gives it back: tuples are lists there.
        wanted = json.loads(json.dumps(settings))
        self.progress = Progress(wanted) if anew else self._begun(wanted)
        try:
            if anew:
                self.state.unlink(missing_ok=True)
            self.file: IO[bytes] = open(self.path, "r+b" if self.path.exists() else "w+b")
            # Before the file is touched: from now on it belongs to this run.
            self._save()
        except OSError as error:
            raise PawsError(PawsErrors.P021.format(path=path, reason=error)) from error
        self.file.truncate(self.progress.bytes)
        self.file.seek(self.progress.bytes)

    def note(self, **notes: Any) -> None:
        """Keep what was found out."""
        self.progress.notes.update(notes)
        self._save()

    def write(self, chunk: Iterable[Dict[str, Any]], counts: Dict[str, int]) -> None:
        """Write the lines of a chunk. They are on the disk before the progress says so.

        chunk (Iterable[Dict[str, Any]]): The lines.
        counts (Dict[str, int]): What came of them; added to what came before.
        """
        for data in chunk:
            self.file.write((json.dumps(data, ensure_ascii=False) + "\n").encode("utf8", "surrogatepass"))
            self.progress.done += 1
        self.file.flush()
        os.fsync(self.file.fileno())
        self.progress.bytes = self.file.tell()
        for name, count in counts.items():
            self.progress.counts[name] = self.progress.counts.get(name, 0) + count
        self._save()

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> "Checkpointed":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begun(self, wanted: Dict[str, Any]) -> Progress:
        if not self.state.exists():
            if self.path.exists() and self.path.stat().st_size:
                raise PawsError(Errors.S030.format(path=self.path))
            return Progress(wanted)
        progress = Progress(**json.loads(self.state.read_text(encoding="utf8")))
        if progress.settings != wanted:
            other = [
                name for name in {**wanted, **progress.settings} if wanted.get(name) != progress.settings.get(name)
            ]
            raise PawsError(Errors.S031.format(path=self.path, names=", ".join(other)))
        if progress.bytes and (not self.path.exists() or self.path.stat().st_size < progress.bytes):
            raise PawsError(Errors.S032.format(path=self.path, state=self.state))
        return progress

    def _save(self) -> None:
        """Write the progress so that it is there whole, or as it was."""
        new = self.state.with_name(self.state.name + ".new")
        new.write_text(json.dumps(asdict(self.progress)), encoding="utf8")
        os.replace(new, self.state)
