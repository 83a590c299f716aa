"""What a masked language model is trained on: sentences of texts, and the sentences of pairs."""

from pathlib import Path
from random import Random
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from paws_components.plugin import PathLike, load_with, open_texts, read_pairs, sentence_key


class Line(NamedTuple):
    """One input of the model: a sentence, or two that are read as a pair."""

    first: str
    second: Optional[str] = None


def text_lines(
    path: PathLike, limit: int = 20_000, seed: int = 0, *, lang: str = "en", shortest: int = 6, longest: int = 45
) -> List[Line]:
    """Sentences from all over a text: paragraphs are drawn, and of each all sentences of a fair length are taken.

    path (Union[str, Path]): The text, a paragraph per line: see `open_texts`.
    limit (int): How many sentences are taken.
    seed (int): Of the draw.
    lang (str): The language whose rules cut the paragraphs.
    shortest (int), longest (int): How many words a sentence has.
    RETURNS (List[Line]): The sentences.
    """
    splitter = load_with([], lang=lang)
    splitter.add_pipe("sentencizer")
    paragraphs = [line.text for line in open_texts([str(path)]) if line.text and line.reason is None]
    Random(seed).shuffle(paragraphs)
    found: List[Line] = []
    for paragraph in paragraphs:
        if len(found) >= limit:
            break
        sentences = (" ".join(sentence.text.split()) for sentence in splitter(paragraph).sents)
        found.extend(Line(text) for text in sentences if shortest <= len(text.split()) <= longest)
    return found[:limit]


def pair_lines(path: PathLike) -> List[Line]:
    """The sentences of the pairs of a file, each sentence once; labels are not read.

    Every other pair is read as one input. The attack shows the model one sentence at a time (the paper's P and Q are
    masked apart), so the sentences of the others stand alone.

    path (Union[str, Path]): The pairs: see `read_pairs`.
    RETURNS (List[Line]): The inputs.
    """
    found: List[Line] = []
    seen: Set[str] = set()
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


def read_sources(
    texts: Sequence[str], pairs: Sequence[str], sentences: int, seed: int, lang: str = "en"
) -> Dict[str, List[Line]]:
    """The lines of every file, by its name without endings; by the whole path where two have the same name.

    texts (Sequence[str]): Files with a paragraph per line.
    pairs (Sequence[str]): Files of pairs.
    sentences (int): How many sentences of each text are taken.
    seed (int): Of the draw.
    lang (str): The language of the texts.
    RETURNS (Dict[str, List[Line]]): The lines.
    """
    short = [Path(path).name.split(".")[0] for path in (*texts, *pairs)]
    found: Dict[str, List[Line]] = {}
    for i, path in enumerate((*texts, *pairs)):
        name = short[i] if short.count(short[i]) == 1 else path
        found[name] = text_lines(path, sentences, seed, lang=lang) if i < len(texts) else pair_lines(path)
    return found
