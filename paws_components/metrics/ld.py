"""Lexical deviation (*Towards Better Characterization of Paraphrases*, section 4.4)."""

from typing import Sequence

from .wpd import check_variant


def ld(lemmas1: Sequence[str], lemmas2: Sequence[str], variant: str = "paper") -> float:
    """The share of the vocabulary of two sentences that they do not share (equation 4).

    lemmas1, lemmas2 (Sequence[str]): The lemmas. Those without a letter or a digit are left out.
    variant (str): "paper" (uncased), or "released": the authors' code keeps the case.
    RETURNS (float): 0.0 (the same words) to 1.0 (none in common, also where there is no word at all).
    """
    check_variant(variant)
    words1 = {lemma.lower() if variant == "paper" else lemma for lemma in lemmas1 if is_word(lemma)}
    words2 = {lemma.lower() if variant == "paper" else lemma for lemma in lemmas2 if is_word(lemma)}
    every = len(words1 | words2)
    return 1.0 - len(words1 & words2) / every if every else 1.0


def is_word(lemma: str) -> bool:
    """Whether there is a letter or a digit in it."""
    return lemma.isalnum() or any(character.isalnum() for character in lemma)
