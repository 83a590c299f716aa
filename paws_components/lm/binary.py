"""KenLM's binary files, looked at before KenLM maps them into memory. It believes what their headers say, and where
that is wrong it reads what is not there: the process ends by a signal, without a message.

The layout is that of `lm/binary_format.cc` in KenLM's source and of the tables named there: a header, the vocabulary
for looking up, the n-grams, and the words themselves unless they were left out. All sizes follow from the header, and
the first word is always `<unk>`: a damaged header and a file that was cut off show. Damage within the tables does not.
"""

import math
import os
import struct
from typing import BinaryIO, NamedTuple, Tuple

import numpy

# How files of this version begin: a line of text, and numbers that other machines would write otherwise.
MAGIC = b"mmap lm http://kheafield.com/code format version 5\n"
SANITY = struct.pack("=56s3f3IQ", MAGIC, 0.0, 1.0, -0.5, 1, 2**32 - 1, 0, 1)
# The order, the probing multiplier, the kind of model, whether the words are there, and the version of the tables.
FIXED = struct.Struct("=B3xfIB3xI")
FIRST_WORD = b"<unk>\0"
# The kinds of model: hash tables (the second with rest costs), and tries (quantised, with array-compressed pointers).
PROBING, REST_PROBING, TRIE, QUANT_TRIE, ARRAY_TRIE, QUANT_ARRAY_TRIE = range(6)
# KenLM reads so many bits at once.
QUANT_BITS = range(1, 26)
CHUNK = 1 << 20


class Fault(ValueError):
    """What is wrong with a file."""


class Header(NamedTuple):
    order: int
    multiplier: float
    kind: int
    has_words: bool
    counts: Tuple[int, ...]

    @property
    def size(self) -> int:
        return -(-(len(SANITY) + FIXED.size + 8 * self.order) // 8) * 8


def check_binary(path: str) -> None:
    """Raise `Fault` for a binary whose header is damaged, or that is shorter than its header says. What is not a binary
    of this version passes: KenLM tells by itself what it does not know."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        start = file.read(len(SANITY))
        if start != SANITY:
            if start[: len(MAGIC)] == MAGIC and len(start) < len(SANITY):
                raise Fault("it was cut off")
            return
        header = _read_header(file, size)
        words = _count_words(file, header)
        end = header.size + _vocabulary_size(header) + _tables_size(file, header)
        if size < end:
            raise Fault(f"it has {size:,} bytes, and its header says {end:,} or more: it was cut off, or is damaged")
        if header.has_words:
            _check_words(file, end, words)
        elif size > end:
            raise Fault(f"it has {size:,} bytes, and its header says {end:,}: it is damaged")


def _read_header(file: BinaryIO, size: int) -> Header:
    order, multiplier, kind, has_words, _ = FIXED.unpack(_read(file, len(SANITY), FIXED.size))
    # How long n-grams may be depends on how KenLM was built; it says so itself.
    if order < 2:
        raise Fault(f"its header is damaged: the order is {order}")
    if kind > QUANT_ARRAY_TRIE:
        raise Fault(f"its header is damaged: {kind} is not a kind of model")
    if not math.isfinite(multiplier) or multiplier < 1:
        raise Fault(f"its header is damaged: the probing multiplier is {multiplier}")
    if has_words > 1:
        raise Fault("its header is damaged: it says neither that there are words nor that there are none")
    counts = struct.unpack(f"={order}Q", _read(file, len(SANITY) + FIXED.size, 8 * order))
    # An n-gram takes a bit at least. This also keeps the sizes below from getting out of hand.
    if not counts[0] or max(counts) > 8 * size:
        raise Fault(f"its header is damaged: it counts {', '.join(f'{count:,}' for count in counts)} n-grams")
    return Header(order, multiplier, kind, bool(has_words), counts)


def _read(file: BinaryIO, offset: int, amount: int) -> bytes:
    file.seek(offset)
    data = file.read(amount)
    if len(data) < amount:
        raise Fault("it was cut off, or its header is damaged")
    return data


def _count_words(file: BinaryIO, header: Header) -> int:
    """How many words the vocabulary says it has, `<unk>` included."""
    if header.kind in (PROBING, REST_PROBING):
        _, words = struct.unpack("=II", _read(file, header.size, 8))
        # An ARPA file may leave `<unk>` out. Tries count it then, hash tables do not.
        possible = [header.counts[0], header.counts[0] + 1]
    else:
        words = struct.unpack("=Q", _read(file, header.size, 8))[0] + 1
        possible = [header.counts[0]]
    if words not in possible:
        raise Fault(f"its vocabulary is damaged: {words:,} words, where the header counts {header.counts[0]:,}")
    return words


def _vocabulary_size(header: Header) -> int:
    if header.kind in (PROBING, REST_PROBING):
        return 8 + 12 * _buckets(header, header.counts[0])
    return 8 + 8 * header.counts[0]


def _buckets(header: Header, entries: int) -> int:
    # In the precision that KenLM multiplies in.
    return max(entries + 1, int(numpy.float32(header.multiplier) * numpy.float32(entries)))


def _tables_size(file: BinaryIO, header: Header) -> int:
    if header.kind in (PROBING, REST_PROBING):
        weights = 12 if header.kind == REST_PROBING else 8
        middle = sum(_buckets(header, count) for count in header.counts[1:-1])
        return weights * (header.counts[0] + 1) + (8 + weights) * middle + 12 * _buckets(header, header.counts[-1])
    return _trie_size(file, header)


def _trie_size(file: BinaryIO, header: Header) -> int:
    counts = header.counts
    start = header.size + _vocabulary_size(header)
    size, middle_bits, longest_bits = 0, 63, 31
    if header.kind in (QUANT_TRIE, QUANT_ARRAY_TRIE):
        _, prob, backoff = _read(file, start, 3)
        if prob not in QUANT_BITS or backoff not in QUANT_BITS:
            raise Fault(f"its header is damaged: values of {prob} and {backoff} bits")
        size += 8 + 4 * ((header.order - 1) * 2**prob + (header.order - 2) * 2**backoff)
        middle_bits, longest_bits = prob + backoff, prob
    size += 16 * (counts[0] + 2)
    most = 0
    if header.kind in (ARRAY_TRIE, QUANT_ARRAY_TRIE) and header.order > 2:
        most = _read(file, start + size, 2)[1]
    for count, following in zip(counts[1:], counts[2:]):
        pointer_bits = following.bit_length()
        if header.kind in (ARRAY_TRIE, QUANT_ARRAY_TRIE):
            chopped = _chopped_bits(count + 1, following, most)
            pointer_bits -= chopped
            size += 8 * (2 + (following >> pointer_bits)) + 7
        size += _packed_size(count, counts[0].bit_length() + middle_bits + pointer_bits)
    return size + _packed_size(counts[-1], counts[0].bit_length() + longest_bits)


def _packed_size(entries: int, bits: int) -> int:
    return ((1 + entries) * bits + 7) // 8 + 8


def _chopped_bits(entries: int, following: int, most: int) -> int:
    """How many bits of its pointers an array holds: as many as make it smallest, the fewest of equals."""
    bits = following.bit_length()
    return min(range(min(bits, most) + 1), key=lambda chopped: (following >> (bits - chopped)) * 64 - entries * chopped)


def _check_words(file: BinaryIO, start: int, words: int) -> None:
    """The words follow each other, each with a zero byte after it."""
    file.seek(start)
    data = file.read(CHUNK)
    if not data.startswith(FIRST_WORD):
        raise Fault("its words are not where its header says: it was cut off, or is damaged")
    found = 0
    while data:
        found += data.count(b"\0")
        data = file.read(CHUNK)
    if found != words:
        raise Fault(f"it ends in {found:,} words in place of {words:,}: it was cut off, or is damaged")
