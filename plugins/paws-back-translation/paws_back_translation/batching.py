"""Equal texts once, and as long as they may be."""

from typing import Dict, Iterable, List, Optional, Tuple

from paws_components.plugin import Translation

# Short sentences may grow by more than the ratio says.
MARGIN = 10
# How finely `output_limit` tells lengths apart.
STEP = 8


def distinct(texts: Iterable[str]) -> List[str]:
    """The different texts that hold anything at all, in the order in which they come first."""
    return list(dict.fromkeys(text for text in texts if text.strip()))


def output_limit(length: int, ratio: float, most: int) -> int:
    """How many tokens a translation may have: it depends on its own source only, so batches change nothing.

    length (int): The tokens of the source.
    ratio (float): How many times as long the translation may be.
    most (int): The most there can be.
    """
    rounded = -(-length // STEP) * STEP
    return max(2, min(most, int(rounded * ratio) + MARGIN))


def best(found: Iterable[Tuple[str, Optional[float]]], k: int) -> List[Translation]:
    """The first k different translations. Beams that differ in tokens may spell the same text."""
    kept: Dict[str, Translation] = {}
    for text, score in found:
        if text and text not in kept:
            kept[text] = Translation(text, score)
    return list(kept.values())[:k]
