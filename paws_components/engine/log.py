"""What a run tells of itself as JSON lines, which other programs can read while it goes on."""

import json
import os
import stat
import warnings
from typing import Any, Optional

from ..errors import Errors, PawsError, Warnings


class RunLog:
    """Whole lines at the end of a file. One that can't be written is an error at first; later on it ends no run.

    path (Optional[str]): The file; None for none.
    """

    def __init__(self, path: Optional[str]) -> None:
        self.path = path
        self.file: Optional[int] = None
        self.failed = False
        if path is not None:
            try:
                self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
            except OSError as error:
                raise PawsError(Errors.P060.format(path=path, reason=error.strerror or error)) from error

    def write(self, **told: Any) -> None:
        """Add a line, or none of it."""
        if self.file is None:
            return
        line = (json.dumps(told, ensure_ascii=False) + "\n").encode("utf8", "replace")
        try:
            written = os.write(self.file, line)
            if written < len(line):
                self._take_back(written)
                raise OSError(28, "No space left on device")
        except OSError as error:
            if not self.failed:
                self.failed = True
                warnings.warn(Warnings.W035.format(path=self.path, reason=error.strerror), stacklevel=2)

    def close(self) -> None:
        if self.file is not None:
            os.close(self.file)
            self.file = None

    def _take_back(self, count: int) -> None:
        """Half a line goes again, where nobody else has written after it."""
        assert self.file is not None
        about = os.fstat(self.file)
        if stat.S_ISREG(about.st_mode) and os.lseek(self.file, 0, os.SEEK_CUR) == about.st_size:
            os.ftruncate(self.file, about.st_size - count)
