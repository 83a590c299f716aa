"""Surface form: what may move without breaking the spelling, sentence-initial capitals, spacing, articles."""

from typing import List, Optional, Sequence, Set, Tuple

JOINERS = frozenset("-‐‑–/&'’.@_+")
NEGATIONS = ("n't", "n’t", "nt")
APOSTROPHES = ("'", "’")
POSSESSIVES = ("'s", "’s", "'", "’")
SENTENCE_ENDS = frozenset((".", "!", "?", "...", "…", "。", "！", "？", "؟", "۔", "।"))


def fixed_by_spelling(words: Sequence[str], spaces: Sequence[str], spaced: bool = True) -> Tuple[Set[int], Set[int]]:
    """Find the tokens that spelling ties to a neighbour.

    words (Sequence[str]): The tokens.
    spaces (Sequence[str]): The white space after each, "" where there is none.
    spaced (bool): Whether the script writes spaces between words; where it does not, a missing one ties nothing.
    RETURNS (Tuple[Set[int], Set[int]]): The tokens that must stay (clitics, and the words that *n't* or *'m* are
        written together with), and those that move only together with the next one (both others in *well-known*).
    """
    frozen: Set[int] = set()
    tied: Set[int] = set()
    i, last = 0, len(words) - 1
    while i <= last:
        word = words[i]
        if _is_clitic(word):
            frozen.add(i)
            if i and word.lower() not in POSSESSIVES:
                frozen.add(i - 1)
        elif spaced and i < last and not spaces[i] and _is_wordlike(word):
            end = _compound_end(words, spaces, i)
            tied.update(range(i, end - 1))
            i = end - 1
            if end <= last and not spaces[end - 1] and _is_wordlike(words[end]) and not _is_clitic(words[end]):
                frozen.update((end - 1, end))  # "can|not", "10|km": one word to the eye
        i += 1
    return frozen, tied


def _compound_end(words: Sequence[str], spaces: Sequence[str], start: int) -> int:
    """The end of word-joiner-word chains without a space: "mother", "-", "in", "-", "law"."""
    end = start + 1
    while (
        end + 1 < len(words)
        and words[end] in JOINERS
        and _is_wordlike(words[end + 1])
        and not spaces[end - 1]
        and not spaces[end]
    ):
        end += 2
    return end


def _is_wordlike(word: str) -> bool:
    return word.isalnum() or any(char.isalnum() for char in word)


def _is_clitic(word: str) -> bool:
    if word[:1] in APOSTROPHES:
        return len(word) == 1 or word[1:].isalpha()
    return word.lower() in NEGATIONS


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


def fix_articles(words: Sequence[str]) -> Tuple[List[str], List[int]]:
    """Make *a* and *an* agree with the word that follows.

    words (Sequence[str]): The words of a sentence.
    RETURNS (Tuple[List[str], List[int]]): The words, and the positions that changed.
    """
    fixed = list(words)
    changed = []
    for i, (word, following) in enumerate(zip(words, words[1:])):
        if word.lower() in ("a", "an") and following[:1].isalpha():
            right = "an" if _vowel_sound(following) else "a"
            if right != word.lower():
                fixed[i] = right.capitalize() if word[0].isupper() else right
                changed.append(i)
    return fixed, changed


# Spelling and sound part ways in few English words; these beginnings cover the frequent ones.
CONSONANT_SOUND = ("eu", "uni", "use", "usa", "usu", "uti", "ura", "uk", "one-", "once", "ewe", "u.")
VOWEL_SOUND = ("hour", "honest", "honor", "honour", "heir")
VOWEL_LETTERS = frozenset("AEFHILMNORSX")


def _vowel_sound(word: str) -> bool:
    lower = word.lower()
    if len(word) > 1 and word.isupper() and not any(char in "AEIOU" for char in word[1:2]):
        return word[0] in VOWEL_LETTERS  # read out letter by letter: "an FBI agent"
    if lower == "one" or lower.startswith(CONSONANT_SOUND):
        return lower.startswith(("unim", "unin", "uninh"))  # "unimportant", "uninvited" have the plain vowel
    return lower[0] in "aeiou" or lower.startswith(VOWEL_SOUND)
