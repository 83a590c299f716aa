"""What a project has done already: the settings, inputs and outputs of each stage, by their hashes."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Dict, Iterable, List

from ..engine.store import setting_differences
from ..errors import Errors, PawsError
from ..writers import write_text

LEDGER = "state.json"
Entry = Dict[str, Any]


class Ledger:
    """The stages of a project that were begun or done.

    root (Path): The project. Paths are written down as seen from it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / ".build" / LEDGER
        self.stages: Dict[str, Entry] = {}
        if self.path.is_file():
            try:
                self.stages = dict(json.loads(self.path.read_text(encoding="utf8"))["stages"])
            except (ValueError, KeyError, TypeError) as error:
                raise PawsError(Errors.P724.format(path=str(self.path), reason=error)) from error

    def describe(self, paths: Iterable[str]) -> Dict[str, str]:
        """A hash of each file, or of all files of a folder; what is neither is told by its name alone."""
        return {self.name(path): digest(Path(path)) for path in paths}

    def name(self, path: str) -> str:
        """A path as it is seen from the project, wherever the command is given; what is not a path stays as it is."""
        if not os.path.exists(path) and not str(path).startswith(str(self.root)):
            return str(path)
        return Path(os.path.relpath(os.path.abspath(path), os.path.abspath(self.root))).as_posix()

    def is_done(self, stage: str) -> bool:
        return bool(self.stages.get(stage, {}).get("done"))

    def differences(self, stage: str, settings: Entry, inputs: Dict[str, str]) -> List[str]:
        """What is not as it was when a stage was done, a line each."""
        entry = self.stages[stage]
        told = list(setting_differences(entry["settings"], json.loads(json.dumps(settings))))
        for name in sorted({*entry["inputs"], *inputs}):
            if entry["inputs"].get(name) != inputs.get(name):
                told.append(f"    {name} is not what it was")
        return told

    def changed_outputs(self, stage: str) -> List[str]:
        """The outputs of a stage that somebody changed since."""
        outputs = self.stages.get(stage, {}).get("outputs", {})
        return [name for name, was in outputs.items() if digest(self.root / name) not in (was, "")]

    def lost_outputs(self, stage: str) -> List[str]:
        """Those that are gone."""
        return [name for name in self.stages.get(stage, {}).get("outputs", {}) if not (self.root / name).exists()]

    def begin(self, stage: str) -> None:
        """From now on what stands where the stage writes is its own."""
        self.stages.setdefault(stage, {})["done"] = False
        self._save()

    def end(self, stage: str, settings: Entry, inputs: Dict[str, str], outputs: List[str], counts: Entry) -> None:
        """The stage is done."""
        self.stages[stage] = {
            "done": True,
            "settings": settings,
            "inputs": inputs,
            "outputs": self.describe(outputs),
            "counts": counts,
        }
        self._save()

    def _save(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PawsError(Errors.P021.format(path=str(self.path), reason=error)) from error
        write_text(self.path, json.dumps({"stages": self.stages}, ensure_ascii=False, indent=1) + "\n")


def digest(path: Path) -> str:
    """A hash of a file, or of all files of a folder with their names; "" if it is neither."""
    found = hashlib.blake2b(digest_size=16)
    if path.is_dir():
        for one in sorted(path.rglob("*")):
            if one.is_file():
                found.update(f"{one.relative_to(path).as_posix()}\n{digest(one)}\n".encode("utf8", "surrogatepass"))
        return found.hexdigest()
    if not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()
