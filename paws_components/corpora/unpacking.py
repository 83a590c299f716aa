"""Takes the files that a card names out of an archive, and nothing else."""

import gzip
import lzma
import shutil
import tarfile
import zipfile
import zlib
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Callable, Dict, Iterator, Tuple

from ..errors import Errors, PawsError

BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    # A member that is encrypted, or packed in a way that Python does not know.
    RuntimeError,
)


def unpack(archive: Path, kind: str, wanted: Dict[str, Path], told: str) -> None:
    """Write files of an archive to paths of our own choice: the names in it decide about nothing.

    archive (Path): The archive.
    kind (str): "tar", "zip" or "gz".
    wanted (Dict[str, Path]): Where each member goes. They are whole paths of the archive.
    told (str): What the archive is called in messages.
    """
    left = dict(wanted)
    try:
        # To the end, also when all is found: that is where the checksum of most archives stands.
        for name, open_member in _members(archive, kind):
            member = next(iter(left)) if kind == "gz" else str(PurePosixPath(name))
            if member not in left:
                continue
            with open_member() as data, left.pop(member).open("wb") as out:
                shutil.copyfileobj(data, out, 1 << 20)
    except (*BROKEN, OSError) as error:
        # What bz2 can't read is an OSError as a full disk is, but for the number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise PawsError(Errors.P509.format(name=told, reason=reason)) from error
    if left:
        raise PawsError(Errors.P510.format(name=told, members=", ".join(left)))


def _members(archive: Path, kind: str) -> Iterator[Tuple[str, Callable[[], Any]]]:
    """The plain files of an archive: no folders, links or devices."""
    if kind == "gz":
        yield "", partial(gzip.open, archive, "rb")
    elif kind == "zip":
        with zipfile.ZipFile(archive) as packed:
            for info in packed.infolist():
                if not info.is_dir() and (info.external_attr >> 16) & 0o170000 in (0, 0o100000):
                    yield info.filename, partial(packed.open, info)
    else:
        with tarfile.open(archive, "r:*") as tarred:
            for entry in tarred:
                if entry.isreg():
                    yield entry.name, partial(tarred.extractfile, entry)
            while tarred.fileobj and tarred.fileobj.read(1 << 20):
                pass
