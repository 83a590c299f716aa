"""Sentences compared: what counts as the same text, the same words, or as no text at all."""

import re
from collections import Counter
from typing import Dict, FrozenSet, Tuple

from ..readers.row import PLACEHOLDERS, plain

# What tokenisers of the Penn Treebank leave behind, by kind.
PTB: Dict[str, re.Pattern] = {
    "quotes": re.compile(r"``|''"),
    "brackets": re.compile(r"-(?:LRB|RRB|LSB|RSB|LCB|RCB)-"),
    "contractions": re.compile(r"\w (?:n['’]t|['’](?:s|re|ve|ll|m|d))(?!\w)", re.IGNORECASE),
    "spaced_punctuation": re.compile(r"\S [,.?!;:](?= |$)"),
    "spaced_brackets": re.compile(r"\( \S|\S \)"),
}
# Scripts that write no spaces: there a character is the closest thing to a word.
WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")


def folded(text: str) -> str:
    """A sentence by which two are the same but for case and white space."""
    return plain(text).casefold()


def sentence_key(text: str) -> str:
    """A sentence by its letters and digits alone, or all of it where it has none: the same however it is tokenised."""
    flat = folded(text)
    return "".join(char for char in flat if char.isalnum()) or flat


def unordered(first: str, second: str) -> Tuple[str, str]:
    """Two texts as a pair that is the same with its sides swapped."""
    return (first, second) if first <= second else (second, first)


def pair_key(label: object, first: str, second: str) -> Tuple[str, str]:
    """What makes two rows rows of one pair. Paraphrase goes both ways; an NLI judgement, a text, goes one way."""
    return (first, second) if isinstance(label, str) else unordered(first, second)


def bag(text: str) -> FrozenSet[Tuple[str, int]]:
    """The words of a sentence with how often each occurs, lower-cased, punctuation aside."""
    return frozenset(Counter(WORD.findall(folded(text))).items())


def is_placeholder(text: str) -> bool:
    return plain(text) in PLACEHOLDERS


def ptb_kinds(text: str) -> Tuple[str, ...]:
    """The kinds of treebank tokens in a text."""
    return tuple(kind for kind, pattern in PTB.items() if pattern.search(text))
