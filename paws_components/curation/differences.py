"""Where the entities of two sentences differ, and how the value of one is carried over into the other."""

import re
from typing import Any, Collection, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..generation.surface import initial_case
from ..lang.en import fix_articles
from .mentions import Mention

INDEFINITE = re.compile(r"(?<!\w)(an?)(\s+)$", re.IGNORECASE)
# Of a text turned round: a search for the end from the left tries every letter of a long word as its first.
LAST_WORD = re.compile(r"\s+([\w.]*\w)")
NEXT_WORD = re.compile(r"\s+(\w+)")
# Numerals that are read with a vowel at the beginning: 8, 80, 11, 18, 11,000, but not 110.
VOWEL_NUMERAL = re.compile(r"8|1[18](?!\d)")


class Difference(NamedTuple):
    """The entities of one type that one of two sentences has and the other has not.

    label (str): The type.
    first, second (List[Mention]): What only the first sentence has and what only the second has, each value once.
    """

    label: str
    first: List[Mention]
    second: List[Mention]

    @property
    def single(self) -> bool:
        """Whether exactly one value stands against exactly one."""
        return len(self.first) == len(self.second) == 1

    def to_dict(self) -> Dict[str, Any]:
        return {
            "label": self.label,
            "sentence1": [mention.whole for mention in self.first],
            "sentence2": [mention.whole for mention in self.second],
        }


def differences(
    first: Sequence[Mention], second: Sequence[Mention], labels: Optional[Collection[str]] = None
) -> List[Difference]:
    """Compare the entities of two sentences by type.

    first, second (Sequence[Mention]): The entities of each sentence.
    labels (Optional[Collection[str]]): The types that are compared; None for all.
    RETURNS (List[Difference]): One for each type that differs, in alphabetical order.
    """
    found = []
    for label in sorted({mention.label for mention in (*first, *second)}):
        if labels is not None and label not in labels:
            continue
        here = {mention.key: mention for mention in reversed(first) if mention.label == label}
        there = {mention.key: mention for mention in reversed(second) if mention.label == label}
        only_here = sorted((here[key] for key in here.keys() - there.keys()), key=_position)
        only_there = sorted((there[key] for key in there.keys() - here.keys()), key=_position)
        if only_here or only_there:
            found.append(Difference(label, only_here, only_there))
    return found


def _position(mention: Mention) -> int:
    return mention.start


def carry_over(
    text: str, mentions: Sequence[Mention], swaps: Sequence[Tuple[Mention, Mention]]
) -> Tuple[str, List[Dict[str, Any]]]:
    """Put other values in the place of some of the entities of a sentence.

    text (str): The sentence.
    mentions (Sequence[Mention]): Its entities. Each that has the type and value of an old one is replaced.
    swaps (Sequence[Tuple[Mention, Mention]]): The old value in this sentence and the new one from the other.
    RETURNS (Tuple[str, List[Dict[str, Any]]]): The sentence, and for each replacement the type, both texts, and where
        in the new sentence it stands.
    """
    new_values = {(old.label, old.key): new for old, new in swaps}
    pieces: List[str] = []
    replaced = []
    length = done = 0
    for mention in sorted(mentions, key=_position):
        new = new_values.get((mention.label, mention.key))
        if new is None:
            continue
        start, end, words = _edit(mention, new)
        words = _undoubled(text[done:start], words, text[end:])
        before = _agree(text[done:start], words)
        pieces += [before, words]
        length += len(before)
        replaced.append(
            {"label": mention.label, "from": text[start:end], "to": words, "start": length, "end": length + len(words)}
        )
        length += len(words)
        done = end
    pieces.append(text[done:])
    return "".join(pieces), replaced


def _edit(old: Mention, new: Mention) -> Tuple[int, int, str]:
    """What goes out and what comes in. Article and unit stay where both have the same, and go with the value else:
    "$5" for "$6" needs the numeral alone, but "about $5" for "$6" needs all of it."""
    if old.article != new.article:
        start, end, words = old.start, old.end, f"{new.article} {new.whole}".strip()
    elif old.unit == new.unit:
        start, end, words = old.value_start, old.value_end, new.value
    else:
        start, end, words = old.whole_start, old.end, new.whole
    if old.initial and start == old.start:
        first, space, rest = words.partition(" ")
        words = initial_case(first) + space + rest
    return start, end, words


def _undoubled(before: str, words: str, after: str) -> str:
    """Leave out the first or last of the new words where it stands beside them already: recognisers cut "another 10
    million" now with, now without the first word."""
    parts = words.split(" ")
    if len(parts) > 1 and (last := last_word(before)) and _plain(last) == _plain(parts[0]):
        parts = parts[1:]
    if len(parts) > 1 and (following := NEXT_WORD.match(after)) and _plain(following.group(1)) == _plain(parts[-1]):
        parts = parts[:-1]
    return " ".join(parts)


def last_word(text: str) -> Optional[str]:
    """The word that a text ends in, dots included, if white space follows it; None else."""
    found = LAST_WORD.match(text[::-1])
    return found.group(1)[::-1] if found else None


def _plain(word: str) -> str:
    return word.rstrip(".").casefold()


def _agree(before: str, words: str) -> str:
    """Make *a* or *an* right before the new words agree with them."""
    match = INDEFINITE.search(before)
    if match is None:
        return before
    article = match.group(1)
    if words[:1].isdigit():
        right = "an" if VOWEL_NUMERAL.match(words) else "a"
        right = right.capitalize() if article[0].isupper() else right
    else:
        right = fix_articles([article, words])[0][0]
    return before[: match.start()] + right + match.group(2)
