"""Attempts at the task: a source sentence, what somebody made of it, and how it was judged."""

from typing import Any, Dict, Iterable, Iterator, NamedTuple, Optional

from paws_components.plugin import PathLike, PawsError, Row, normalise, open_pairs

from .errors import Errors
from .reward import THRESHOLD, passes


class Attempt(NamedTuple):
    """An attempt as a file has it.

    source (str): The sentence that was to be paraphrased.
    text (str): The attempt.
    mi (bool): Whether the two entail each other.
    similarity (Optional[float]): How similar they are; None if the file does not say.
    reward (Optional[float]): What was paid for it; None if the file does not say.
    verdict (Optional[bool]): Whether it passed by the similarity and threshold of its own run; None if the file does
        not say.
    """

    source: str
    text: str
    mi: bool
    similarity: Optional[float] = None
    reward: Optional[float] = None
    verdict: Optional[bool] = None

    def passed(self, threshold: Optional[float] = None) -> Optional[bool]:
        """Whether it passes the task; None if there is nothing to tell it by.

        threshold (Optional[float]): The highest similarity that passes; None for the verdict of its own run, or the
            paper's threshold where there is none.
        """
        if not self.mi:
            return False
        if self.similarity is None or (threshold is None and self.verdict is not None):
            return self.verdict
        return passes(self.mi, self.similarity, THRESHOLD if threshold is None else threshold)


def read_rows(paths: Iterable[PathLike], layout: Optional[str] = None) -> Iterator[Row]:
    """Read the rows of some files; one that can't be read is an error. A sentence may be missing: people do leave
    attempts empty.

    paths (Iterable[Union[str, Path]]): The files, or whatever else `open_pairs` reads.
    layout (Optional[str]): The name of their layout; None to guess it for each.
    YIELDS (Row): The rows.
    """
    for path in paths:
        for row in open_pairs(path, layout):
            reason = None if row.readable else row.detail or row.reason
            if row.readable and row.label is None and row.written.strip():
                reason = f"nobody knows the label {row.written!r}"
            if reason is not None:
                raise PawsError(Errors.A002.format(line=row.number, path=path, reason=reason))
            yield row


def read_attempts(path: PathLike, layout: Optional[str] = None) -> Iterator[Attempt]:
    """Read the attempts of a file: as the paper's authors wrote them, with a header or without, or ours.

    path (Union[str, Path]): The file.
    layout (Optional[str]): The name of its layout; None to guess it.
    YIELDS (Attempt): The attempts.
    """
    for row in read_rows([path], layout):
        try:
            yield _attempt(row)
        except (ValueError, TypeError) as error:
            raise PawsError(Errors.A002.format(line=row.number, path=path, reason=error)) from error


def _attempt(row: Row) -> Attempt:
    evidence: Dict[str, Any] = dict((row.fields or {}).get("evidence") or {})
    # The label of an attempt is its MI verdict, in the authors' files and in ours.
    mi = evidence.get("mi", row.label)
    if mi not in (0, 1):
        raise ValueError("it has no MI verdict, 0 or 1")
    similarity = evidence.get("similarity", row.columns.get("BLEURT"))
    # What we compute ourselves is not what somebody was paid.
    paid = row.columns.get("dollar")
    return Attempt(
        normalise(row.sentence1),
        normalise(row.sentence2),
        bool(mi),
        None if similarity in (None, "") else float(similarity),
        None if paid in (None, "") else float(paid),
        evidence.get("passed"),
    )
