"""The sentences that the judge learns from, and those that it never sees."""

import lzma
from itertools import islice
from pathlib import Path
from typing import Iterator, List

import spacy

# Of so many paragraphs one is kept for tests: `benchmarks/naturalness.py` and the readers' sheets take from these.
EVERY, KEPT = 20, 7
# Of those to learn from, one in so many is proposed for: few sentences, from many articles.
STEP = 12


def paragraphs(path: Path, kept: bool = False) -> Iterator[str]:
    """The paragraphs to learn from, or those that are kept for tests."""
    with lzma.open(path, "rt", encoding="utf8") as lines:
        for i, line in enumerate(lines):
            if (i % EVERY == KEPT) == kept:
                yield " ".join(line.split())


def sentences(path: Path, limit: int, kept: bool = False) -> List[str]:
    """Sentences of 6 to 40 words, not all from the same articles."""
    splitter = spacy.blank("en")
    splitter.add_pipe("sentencizer")
    found: List[str] = []
    step = 1 if kept else STEP
    for paragraph in islice(paragraphs(path, kept), 0, None, step):
        if len(paragraph) < 20_000:
            found += [sent.text for sent in splitter(paragraph).sents if 6 <= len(sent.text.split()) <= 40]
        if len(found) >= limit:
            break
    return found[:limit]
