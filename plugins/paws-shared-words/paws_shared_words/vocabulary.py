"""Which pieces of a language model's vocabulary are whole words."""

from typing import Any, Callable, Collection, Dict, List, Optional

# How tokenizers mark a piece that begins a word: byte-level BPE, SentencePiece. WordPiece marks those that do not.
BEGINS = ("Ġ", "▁")
CONTINUES = "##"
# Alphabets are in the vocabularies too, letter by letter.
SHORTEST = ("a", "i")


def whole_words(
    tokenizer: Any, stop_words: Collection[str] = (), keep: Optional[Callable[[str], bool]] = None
) -> Dict[int, str]:
    """The whole words of a vocabulary by their numbers: no pieces of words, no punctuation, no special tokens.

    tokenizer (PreTrainedTokenizer): The tokenizer.
    stop_words (Collection[str]): Words, in lower case, to leave out.
    keep (Optional[Callable]): Says of a word whether it stays; None for all.
    RETURNS (Dict[int, str]): The words, in the order of the vocabulary.
    """
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    special = set(tokenizer.all_special_ids)
    begins = next((mark for mark in BEGINS if any(piece.startswith(mark) for piece, _ in vocabulary)), "")
    found: Dict[int, str] = {}
    for piece, number in vocabulary:
        if number in special or not piece.startswith(begins) or piece.startswith(CONTINUES):
            continue
        word = piece[len(begins) :]
        if is_word(word) and word.lower() not in stop_words and (keep is None or keep(word)):
            found[number] = word
    return found


def is_word(text: str) -> bool:
    """Whether a piece consists of letters, and of more than one where letters are not words."""
    return text.isalpha() and (len(text) > 1 or not text.isascii() or text.lower() in SHORTEST)


def by_form(words: List[str]) -> Dict[str, List[int]]:
    """Where each word stands in a list, capitals aside."""
    places: Dict[str, List[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word.casefold(), []).append(place)
    return places
