"""The layout of the Microsoft Research Paraphrase Corpus, and telling it from files of pair records."""

from typing import Iterator

from ..errors import Errors, PawsError
from ..records import PairRecord, PathLike, open_text, read_records

HEADER = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")


def is_mrpc(path: PathLike) -> bool:
    """Whether a file begins with the header of MRPC."""
    try:
        with open(path, "rb") as file:
            line = file.readline(1000)
    except OSError as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error
    return line.removeprefix(b"\xef\xbb\xbf").strip() == "\t".join(HEADER).encode()


def read_mrpc(path: PathLike) -> Iterator[PairRecord]:
    """Read MRPC as it is published: tab-separated with a header, a byte-order mark, CRLF, and quotation marks that are
    part of the text.

    path (Union[str, Path]): The file.
    YIELDS (PairRecord): The pairs, with the ids of their sentences under `evidence`.
    """
    number = 1
    try:
        with open_text(path, "r") as lines:
            next(lines, "")
            for number, line in enumerate(lines, 2):
                row = line.rstrip("\r\n").split("\t")
                if len(row) != len(HEADER):
                    reason = f"it has {len(row)} columns and the header {len(HEADER)}"
                    raise PawsError(Errors.P009.format(line=number, path=path, reason=reason))
                yield _record(row, number, path)
    except (OSError, UnicodeDecodeError) as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error


def _record(row, number: int, path: PathLike) -> PairRecord:
    quality, id1, id2, sentence1, sentence2 = row
    data = {
        "sentence1": sentence1.strip(),
        "sentence2": sentence2.strip(),
        "label": quality,
        "label_source": "human",
        "evidence": {"mrpc": [id1, id2]},
    }
    try:
        return PairRecord.from_dict(data)
    except PawsError as error:
        raise PawsError(Errors.P009.format(line=number, path=path, reason=error)) from error


def read_pairs(path: PathLike) -> Iterator[PairRecord]:
    """Read pairs from a file in the layout of MRPC, or from any file of pair records (JSONL, PAWS TSV, Parquet)."""
    yield from read_mrpc(path) if is_mrpc(path) else read_records(path)
