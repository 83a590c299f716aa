"""The judges that come with the package: small networks over word vectors, in numpy.

A network says how well a span fits between its neighbours. A swap is judged by how both spans fit where they are now
and where they were, and by the gap of the language model that proposed it. Trained by `projects/judge_en`.
"""

import re
import zlib
from pathlib import Path
from typing import Any, List, Sequence, Tuple

import numpy

MODELS = Path(__file__).parent / "models"
CHECKSUM = re.compile(r"sha256 \| ([0-9a-f]{64})")
# How many words on each side of a span are looked at.
REACH = 4
# Words that are not known share rows by their last letters and the kinds of their characters.
BUCKETS = 4096
SCALARS = 12

Array = Any  # numpy.ndarray; numpy's own types are generic


class Features:
    """What the networks read: rows of a table for words and tags.

    words (Dict[str, int]): The rows of the known words; the rows of unknown ones follow, then one for no word.
    tags (Dict[str, int]): The rows of the tags; the last one is for others, and for no word.
    """

    def __init__(self, words: Sequence[str], tags: Sequence[str]) -> None:
        self.words = {word: row for row, word in enumerate(words)}
        self.tags = {tag: row for row, tag in enumerate(tags)}
        self.pad = len(words) + BUCKETS

    def word(self, word: str) -> int:
        row = self.words.get(word)
        if row is None:
            row = self.words.get(word.lower())
        return len(self.words) + bucket(word) if row is None else row

    def sentence(self, plain: Sequence[str], tags: Sequence[str]) -> Tuple[Array, Array]:
        """The rows of a sentence, with as many rows for no word on both sides as a window reaches."""
        edge, other = [self.pad] * REACH, len(self.tags)
        words = [*edge, *map(self.word, plain), *edge]
        found = [*([other] * REACH), *(self.tags.get(tag, other) for tag in tags), *([other] * REACH)]
        return numpy.array(words), numpy.array(found)


def bucket(word: str) -> int:
    """The row that an unknown word shares, from 0."""
    kinds = "".join(
        "A" if char.isupper() else "a" if char.islower() else "0" if char.isdigit() else char for char in word
    )
    shape = re.sub(r"(.)\1+", r"\1", kinds)[:4]
    return zlib.crc32(f"{shape}|{word[-3:].lower()}".encode("utf8", "replace")) % BUCKETS


def places(size: int, a: Tuple[int, int], b: Tuple[int, int]) -> Tuple[Array, List[List[int]]]:
    """An exchange as places in the sentence: the order of its tokens after it, and four spans with what surrounds them.

    size (int): How many tokens the sentence has.
    a (Tuple[int, int]), b (Tuple[int, int]): The bounds of the two spans, the left one first.
    RETURNS (Tuple[Array, List[List[int]]]): The order, and start and end of the spans: a and b in the source, b and a
        in the exchange. All places count the rows for no word.
    """
    (a0, a1), (b0, b1) = (a[0] + REACH, a[1] + REACH), (b[0] + REACH, b[1] + REACH)
    full = numpy.arange(size + 2 * REACH)
    order = numpy.concatenate((full[:a0], full[b0:b1], full[a1:b0], full[a0:a1], full[b1:]))
    shift = (b1 - b0) - (a1 - a0)
    return order, [[a0, a1], [b0, b1], [a0, a0 + b1 - b0], [b0 + shift, b0 + shift + a1 - a0]]
