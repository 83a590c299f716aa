"""Surface form: what may move without breaking the spelling, sentence-initial capitals, spacing."""

from typing import FrozenSet, Iterable, List, Optional, Sequence, Set, Tuple

from ..lang import Rules

JOINERS = frozenset("-‐‑–/&'’.@_+")
# Between the parts of a foreign name in scripts without spaces: "阿尔弗雷德·希区柯克".
MIDDLE_DOTS = frozenset("·・‧•＝･")
OPENERS = frozenset("¿¡")
APOSTROPHES = ("'", "’")
SENTENCE_ENDS = frozenset((".", "!", "?", "...", "…", "。", "！", "？", "؟", "۔", "।"))


def fixed_by_spelling(
    words: Sequence[str], spaces: Sequence[str], rules: Rules, spaced: bool = True
) -> Tuple[Set[int], Set[int]]:
    """Find the tokens that spelling ties to a neighbour.

    words (Sequence[str]): The tokens.
    spaces (Sequence[str]): The white space after each, "" where there is none.
    rules (Rules): Those of the language.
    spaced (bool): Whether the script writes spaces between words; where it does not, a missing one ties nothing.
    RETURNS (Tuple[Set[int], Set[int]]): The tokens that must stay (clitics, and the words that *n't* or *'m* are
        written together with), and those that move only together with the next one (both others in *well-known*).
    """
    frozen: Set[int] = set()
    tied: Set[int] = set()
    i, last = 0, len(words) - 1
    while i <= last:
        word = words[i]
        if _is_clitic(word, rules):
            frozen.add(i)
            if i and word.lower() not in rules.possessives:
                frozen.add(i - 1)
        elif spaced and i < last and not spaces[i] and word.lower() in rules.elisions:
            frozen.add(i)  # "l'|eau": another word may stand there if the rules of the language let it
        elif not spaced:
            end = _compound_end(words, spaces, i, MIDDLE_DOTS)
            tied.update(range(i, end - 1))
            i = end - 1
        elif i < last and not spaces[i] and _is_wordlike(word):
            end = _compound_end(words, spaces, i)
            tied.update(range(i, end - 1))
            i = end - 1
            if end <= last and not spaces[end - 1] and _is_wordlike(words[end]) and not _is_clitic(words[end], rules):
                frozen.update((end - 1, end))  # "can|not", "10|km": one word to the eye
        i += 1
    return frozen, tied


def _compound_end(words: Sequence[str], spaces: Sequence[str], start: int, joiners: FrozenSet[str] = JOINERS) -> int:
    """The end of word-joiner-word chains without a space: "mother", "-", "in", "-", "law"."""
    end = start + 1
    while (
        end + 1 < len(words)
        and words[end] in joiners
        and _is_wordlike(words[end + 1])
        and not spaces[end - 1]
        and not spaces[end]
    ):
        end += 2
    return end


def _closes(word: str) -> bool:
    return not _is_wordlike(word) and word not in OPENERS


def _is_wordlike(word: str) -> bool:
    return word.isalnum() or any(char.isalnum() for char in word)


def _is_clitic(word: str, rules: Rules) -> bool:
    if word[:1] in APOSTROPHES:
        return len(word) == 1 or word[1:].isalpha()
    return word.lower() in rules.negations


def sentence_starts(words: Sequence[str], marks: Optional[Sequence[bool]] = None) -> Set[int]:
    """The first word of each sentence.

    words (Sequence[str]): The tokens.
    marks (Optional[Sequence[bool]]): Which tokens start a sentence; None to go by the punctuation.
    RETURNS (Set[int]): For each sentence its first token with a letter or digit.
    """
    starts: Set[int] = set()
    opening = True
    for i, word in enumerate(words):
        if marks is not None:
            opening = opening or marks[i]
        elif word in SENTENCE_ENDS:
            opening = True
            continue
        if opening and _is_wordlike(word):
            starts.add(i)
            opening = False
    return starts


def plain_case(text: str, proper: bool) -> str:
    """A sentence-initial word as it would stand elsewhere: "Bad" is "bad", but "Paris", "NATO" and "I" stay."""
    if proper or len(text) < 2 or not text[0].isupper() or text[1:] != text[1:].lower():
        return text
    return text[0].lower() + text[1:]


def initial_case(text: str) -> str:
    """A word as it stands at the start of a sentence: only words that are all lower case get a capital."""
    if not text[:1].isalpha() or text != text.lower():
        return text
    return text[0].upper() + text[1:]


def sentence_bounds(
    words: Sequence[str], spaces: Sequence[str], marks: Optional[Sequence[bool]] = None
) -> List[Tuple[int, int]]:
    """Where sentences begin and end.

    words (Sequence[str]), spaces (Sequence[str]): The tokens, and the white space after each.
    marks (Optional[Sequence[bool]]): Which tokens start a sentence; None to go by the punctuation.
    RETURNS (List[Tuple[int, int]]): The first token of each, and the one after its last.
    """
    if marks is not None:
        cuts = [i for i, mark in enumerate(marks) if mark and i]
    else:
        cuts = []
        for i, word in enumerate(words):
            if word in SENTENCE_ENDS:
                # A bracket or a quotation mark that is written right after the mark belongs to it.
                end = i + 1
                while end < len(words) and not spaces[end - 1] and _closes(words[end]):
                    end += 1
                cuts.append(end)
        cuts = [cut for cut in dict.fromkeys(cuts) if any(map(_is_wordlike, words[cut:]))]
    return list(zip([0, *cuts], [*cuts, len(words)])) if words else []


def fill_spaces(words: Sequence[str], spaces: List[str], borders: Iterable[int]) -> None:
    """Where a script has no spaces between words, put those right that stand where words were moved.

    Latin words keep one between them, and a space between two words without Latin letters has lost its reason.

    words (Sequence[str]): The words as they stand now.
    spaces (List[str]): The white space after each; changed in place.
    borders (Iterable[int]): The places after which a span begins or ends that was moved.
    """
    for i in borders:
        if 0 <= i < len(words) - 1 and words[i] and words[i + 1]:
            before, after = _is_latin(words[i][-1]), _is_latin(words[i + 1][0])
            if before == after:
                spaces[i] = " " if before else ""


def _is_latin(char: str) -> bool:
    # Letters and digits up to the last of the Latin blocks; CJK is far beyond.
    return char.isalnum() and char < "\u0250"
