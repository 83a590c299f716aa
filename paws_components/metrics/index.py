"""Where each word of a sentence stands: what BOW cosine, inversion rate and WPD are computed from."""

from typing import Dict, Hashable, List, Sequence

# Each word with its positions, in ascending order.
Index = Dict[Hashable, List[int]]


def index_words(words: Sequence[Hashable]) -> Index:
    """Note where each word stands.

    words (Sequence[Hashable]): The words, in the case that they are to be compared in, or their hashes.
    RETURNS (Dict[Hashable, List[int]]): The positions of each word.
    """
    index: Index = {}
    for i, word in enumerate(words):
        if word in index:
            index[word].append(i)
        else:
            index[word] = [i]
    return index


def index_uncased(words: Sequence[str]) -> Index:
    """The same, whatever the case."""
    return index_words([word.lower() for word in words])
