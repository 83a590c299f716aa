"""Joins PAWS-QQP's index to the text of QQP, which its licence does not let anybody pass on together.

A row of the index has the ids of two questions and says of each sentence which words of the question it is made of:
`3/0/1` are the fourth, the first and the second; `(17, 2)` is the third word of question 17, and `(17, 2):(9, 0)` two
of these written as one word.
"""

import csv
import hashlib
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from ..errors import Errors, PawsError
from .cards import Card, Split, get_split
from .folder import held_path
from .treebank import treebank_words

# The places of a sentence's words: a word is one place, or several whose words are written as one.
Places = List[List[Tuple[int, int]]]
PAIR = re.compile(r"\(\s*(\d+)\s*,\s*(\d+)\s*\)")
HEADER = ("id", "sentence1", "sentence2", "label")
# Python's csv writer ends lines with the first, which the authors' program used; some copies have the second.
BREAKS = ("\r\n", "\n")


class Joined(NamedTuple):
    """What came of a join.

    path (Path): The corpus.
    rows (int): How many pairs it has.
    failed (int): How many rows of the index could not be made: the text has no such question or word.
    same (Optional[bool]): Whether its bytes are those of the copy that the card knows; None where it knows none.
    """

    path: Path
    rows: int
    failed: int
    same: Optional[bool]

    def __str__(self) -> str:
        told = f"{self.rows:,} pairs joined in {self.path}"
        if self.failed:
            told += f"; {self.failed:,} rows of the index left out, whose question or word the text does not have"
        if self.same is None:
            return told
        known = "are those of the known copy" if self.same else "differ from the known copy's"
        return f"{told}; the bytes {known}"


def join_split(card: Card, split: Split, folder: Path, text: Optional[Path] = None) -> Joined:
    """Write a split that is joined from an index and the text of another corpus.

    card (Card), split (Split): The corpus and the split.
    folder (Path): The data folder.
    text (Optional[Path]): The file with the text; None for the other corpus in the data folder.
    RETURNS (Joined): What came of it.
    """
    name = f"{card.name}:{split.name}"
    if split.join is None:
        raise PawsError(Errors.P516.format(name=name))
    needed = {}
    for what in (split.join.index, *([] if text else [split.join.text])):
        path = held_path(get_split(what), folder)
        if path is None or not path.is_file():
            line = f"`paws corpora fetch {what}`"
            raise PawsError(
                Errors.P517.format(name=name, index=split.join.index, text=split.join.text, missing=what, line=line)
            )
        needed[what] = path
    index = needed[split.join.index]
    text = text or needed[split.join.text]
    words = read_questions(text, wanted_questions(index))
    if not words:
        reason = "it has none of the questions that the index points into"
        raise PawsError(Errors.P020.format(path=str(text), reason=reason))
    lines: List[str] = []
    failed = 0
    for ident, sentence1, sentence2, label in join_rows(index, words):
        if not sentence1 or not sentence2:
            failed += 1
            continue
        lines.append("\t".join((ident, sentence1, sentence2, label)))
    known = next((one for one in (split.files[0].sum, split.files[0].copy) if one), None)
    forms = [line_break.join(["\t".join(HEADER), *lines, ""]).encode("utf8") for line_break in BREAKS]
    same = [known is not None and hashlib.sha256(form).hexdigest() == known.sha256 for form in forms]
    path = folder / split.path
    beside = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(forms[same.index(True)] if any(same) else forms[0])
        os.replace(beside, path)
    except OSError as error:
        raise PawsError(Errors.P507.format(path=str(path), reason=error.strerror or error)) from error
    finally:
        beside.unlink(missing_ok=True)
    return Joined(path, len(lines), failed, any(same) if known else None)


def join_rows(index: Path, words: Dict[int, List[str]]) -> Iterator[Tuple[str, str, str, str]]:
    """The rows of a corpus: id, both sentences ("" where one can't be made) and the label."""
    for ident, first, second, label in _index_rows(index):
        yield ident, build_sentence(first, words), build_sentence(second, words), label


def parse_places(text: str, question: int) -> Places:
    """Where the words of a sentence stand: for each the question and the place, or several that are written as one."""
    found: Places = []
    for place in text.split("/"):
        if place[:1] != "(":
            found.append([(question, int(place))])
            continue
        pairs = [PAIR.fullmatch(pair) for pair in place.split(":")]
        found.append([(int(pair[1]), int(pair[2])) for pair in pairs if pair])
        if not all(pairs):
            raise ValueError(f"{place!r} names no word")
    return found


def build_sentence(places: Places, words: Dict[int, List[str]]) -> str:
    """A sentence from the places of its words; "" if one of them is not there."""
    found: List[str] = []
    for place in places:
        parts = [_word(number, at, words) for number, at in place]
        if not all(parts):
            return ""
        found.append("".join(parts))
    return " ".join(found)


def read_questions(path: Path, wanted: Optional[FrozenSet[int]] = None) -> Dict[int, List[str]]:
    """The words of QQP's questions by their ids, as `quora_duplicate_questions.tsv` has them.

    path (Path): The file.
    wanted (Optional[FrozenSet[int]]): The ids that are needed; None for all.
    RETURNS (Dict[int, List[str]]): The words. Of a question that has two texts the first counts.
    """
    words: Dict[int, List[str]] = {}
    limit = csv.field_size_limit()
    with _reading(path), path.open(encoding="utf8", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t")
        header = [name.strip().lower() for name in next(rows, [])]
        try:
            places = [(header.index(f"qid{i}"), header.index(f"question{i}")) for i in (1, 2)]
        except ValueError as error:
            raise PawsError(
                Errors.P142.format(path=str(path), column="qid1", layout="qqp_original", known=", ".join(header))
            ) from error
        csv.field_size_limit(max(limit, 1 << 20))
        try:
            for row in rows:
                for number, text in places:
                    if len(row) > text and row[number].strip().isdigit():
                        ident = int(row[number])
                        if ident not in words and (wanted is None or ident in wanted):
                            words[ident] = treebank_words(row[text])
        finally:
            csv.field_size_limit(limit)
    return words


def wanted_questions(index: Path) -> FrozenSet[int]:
    """The ids of all questions that an index points into."""
    found: Set[int] = set()
    for _, first, second, _ in _index_rows(index):
        found.update(number for place in (*first, *second) for number, _ in place)
    return frozenset(found)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Our error for a file that is not there, is not UTF-8 or is not a table."""
    try:
        yield
    except (OSError, UnicodeError, csv.Error) as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error)) from error


def _index_rows(index: Path) -> Iterator[Tuple[str, Places, Places, str]]:
    """The rows of an index: id, the places of both sentences' words, the label."""
    with _reading(index), index.open(encoding="utf8", newline="") as lines:
        for number, line in enumerate(lines, 1):
            row = line.rstrip("\r\n").split("\t")
            if number == 1 and row[:1] == ["id"]:
                continue
            try:
                ident, question1, first, question2, second, label = row
                yield ident, parse_places(first, int(question1)), parse_places(second, int(question2)), label
            except ValueError as error:
                raise PawsError(Errors.P518.format(row=number, path=str(index), reason=error)) from error


def _word(question: int, at: int, words: Dict[int, List[str]]) -> str:
    known = words.get(question, [])
    return known[at] if 0 <= at < len(known) else ""
