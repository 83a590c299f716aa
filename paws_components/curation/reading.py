"""Pairs as records from any file we know: files of pair records, and corpora as they are published."""

from typing import Iterator, Optional

from ..errors import Errors, PawsError
from ..records import PairRecord
from .layouts import PathLike, read_rows
from .row import COLUMNS, ENCODING

REASONS = {COLUMNS: "it does not have the columns of the others", ENCODING: "it is not valid UTF-8"}


def read_pairs(path: PathLike, layout: Optional[str] = None) -> Iterator[PairRecord]:
    """Read the pairs of a file as records. A row that can't be read is an error; `paws repair` drops such rows.

    path (Union[str, Path]): The file.
    layout (Optional[str]): The name of its layout; None to guess it.
    YIELDS (PairRecord): The pairs.
    """
    for row in read_rows(path, layout):
        if not row.readable:
            reason = REASONS.get(row.problem or "", "it belongs to no row")
            raise PawsError(Errors.P009.format(line=row.number, path=path, reason=reason))
        if row.written.strip() and row.label is None:
            reason = Errors.P015.format(name="label", what="one that the layout knows", value=row.written)
            raise PawsError(Errors.P009.format(line=row.number, path=path, reason=reason))
        yield row.to_record()
