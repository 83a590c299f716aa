"""Folders of a run, wherever they are."""

import os
import shutil
import uuid
from pathlib import Path
from typing import IO, Any, List

from .records import PathLike
from .writers import sync


def is_url(path: PathLike) -> bool:
    return "://" in str(path)


class LocalFolder:
    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)

    def __str__(self) -> str:
        return str(self.path)

    def names(self) -> List[str]:
        return sorted(file.name for file in self.path.iterdir())

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def tail(self, name: str, count: int) -> bytes:
        with open(self.path / name, "rb") as file:
            file.seek(-min(count, os.path.getsize(self.path / name)), os.SEEK_END)
            return file.read()

    def open(self, name: str) -> IO[bytes]:
        return open(self.path / name, "rb")

    def exists(self, name: str) -> bool:
        return (self.path / name).exists()

    def write(self, name: str, data: bytes) -> None:
        # A name of its own: a worker that was thought dead may be writing the same file.
        beside = self.path / f"{name}.{uuid.uuid4().hex}.new"
        try:
            with open(beside, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self.path / name)
            sync(self.path)
        finally:
            beside.unlink(missing_ok=True)

    def remove(self, name: str) -> None:
        place = self.path / name
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)

    def remove_all(self) -> None:
        shutil.rmtree(self.path)


def folder_at(path: PathLike) -> Any:
    return LocalFolder(path)


def put_path(path: Path, url: str) -> None:
    raise OSError(url)
