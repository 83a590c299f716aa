"""The sentences that the judge learns from, and those that it never sees."""

import lzma
from itertools import islice
from pathlib import Path
from typing import Iterator, List, Tuple

import spacy

# Of so many paragraphs one is kept for tests: `benchmarks/naturalness.py` and the readers' sheets take from these.
EVERY, KEPT = 20, 7
# Of those to learn from, one in so many is proposed for: few sentences, from many articles.
STEP = 12
# How many words a sentence has. Few in an encyclopedia are short, and what people try first is.
LONG, SHORT = (6, 40), (4, 9)


def paragraphs(path: Path, kept: bool = False) -> Iterator[str]:
    """The paragraphs to learn from, or those that are kept for tests."""
    with lzma.open(path, "rt", encoding="utf8") as lines:
        for i, line in enumerate(lines):
            if (i % EVERY == KEPT) == kept:
                yield " ".join(line.split())


def sentences(path: Path, limit: int, kept: bool = False, words: Tuple[int, int] = LONG) -> List[str]:
    """Sentences of so many words, not all from the same articles."""
    splitter = spacy.blank("en")
    splitter.add_pipe("sentencizer")
    found: List[str] = []
    # Short sentences from paragraphs that no long ones are taken from.
    start, step = (0, 1) if kept else (0 if words == LONG else STEP // 2, STEP)
    for paragraph in islice(paragraphs(path, kept), start, None, step):
        if len(paragraph) < 20_000:
            texts = (sent.text for sent in splitter(paragraph).sents)
            found += [text for text in texts if words[0] <= len(text.split()) <= words[1]]
        if len(found) >= limit:
            break
    return found[:limit]
