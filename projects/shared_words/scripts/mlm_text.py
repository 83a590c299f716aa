"""What the masked language model reads: sentences of a text, a paragraph a line, and the sentences of pairs."""

from pathlib import Path
from random import Random
from typing import List, NamedTuple, Optional, Sequence, Tuple

import spacy

from paws_components.curation.text import sentence_key
from paws_components.readers import open_texts, read_pairs


class Line(NamedTuple):
    """One input of the model: a sentence, or two that are read as a pair."""

    first: str
    second: Optional[str] = None


def wiki_lines(path: str, limit: int, seed: int, shortest: int = 6, longest: int = 45) -> List[Line]:
    """Sentences from all over a text: paragraphs are drawn, and of each all sentences of a fair length are taken."""
    splitter = spacy.blank("en")
    splitter.add_pipe("sentencizer")
    paragraphs = [line.text for line in open_texts([path]) if line.text]
    Random(seed).shuffle(paragraphs)
    found: List[Line] = []
    for paragraph in paragraphs:
        if len(found) >= limit:
            break
        sentences = (" ".join(sentence.text.split()) for sentence in splitter(paragraph).sents)
        found.extend(Line(text) for text in sentences if shortest <= len(text.split()) <= longest)
    return found[:limit]


def pair_lines(path: Path) -> List[Line]:
    """The sentences of the pairs of a file, each sentence once; labels are not read.

    Every other pair is read as one input. The attack shows the model one sentence at a time (the paper's P and Q are
    masked apart), so the sentences of the others stand alone.
    """
    found: List[Line] = []
    seen = set()
    for i, record in enumerate(read_pairs(path)):
        texts = [text for text in (record.sentence1, record.sentence2) if sentence_key(text) not in seen]
        seen.update(map(sentence_key, texts))
        found.extend([Line(*texts)] if i % 2 and len(texts) == 2 else [Line(text) for text in texts])
    return found


def hold_back(lines: Sequence[Line], count: int, seed: int) -> Tuple[List[Line], List[Line]]:
    """So many lines to measure by, a fifth of them at most, drawn at random; and the rest in a random order."""
    lines = list(lines)
    count = min(count, len(lines) // 5)
    Random(seed).shuffle(lines)
    return lines[:count], lines[count:]
