"""The metrics that the WPD / LD paper compares its own with (section 5): ROUGE-L, self-BLEU, edit distance.

They come from libraries of the `[metrics]` extra, which are imported when one of them is first asked for.
"""

from functools import lru_cache
from importlib import import_module
from typing import Any, Hashable, Sequence

from ..errors import Errors, Fatal


def rouge_l(words1: Sequence[str], words2: Sequence[str]) -> float:
    """ROUGE-L (Lin, 2004): the F-measure of the longest common subsequence of the lower-cased words.

    words1, words2 (Sequence[str]): The words.
    RETURNS (float): 0.0 to 1.0.
    """
    return rouge_l_of([word.lower() for word in words1], [word.lower() for word in words2])


def rouge_l_of(words1: Sequence[Hashable], words2: Sequence[Hashable]) -> float:
    """`rouge_l` of words that are lower-cased already, or of their hashes."""
    if not words1 or not words2:
        return 0.0
    # With equal weight on precision and recall, F is 2 LCS / (m + n): rapidfuzz calls that the Indel similarity.
    return float(_library("rapidfuzz.distance", "rouge_l").Indel.normalized_similarity(words1, words2))


def self_bleu(text1: str, text2: str) -> float:
    """Self-BLEU (Zhu et al., 2018) of a pair: the BLEU of the second text with the first as its reference.

    The words are those between spaces, lower-cased, as the values that the paper prints need it. A text of fewer than
    four words is judged by the n-grams that it has; an order of n-grams without a match is smoothed exponentially.

    text1, text2 (str): The texts.
    RETURNS (float): 0.0 to 1.0.
    """
    return float(_bleu().sentence_score(" ".join(text2.split()), [" ".join(text1.split())]).score) / 100


def damerau_levenshtein(text1: str, text2: str) -> float:
    """The Damerau-Levenshtein distance of two texts by characters, over the length of the longer one.

    text1, text2 (str): The texts.
    RETURNS (float): 0.0 to 1.0.
    """
    distance = _library("rapidfuzz.distance", "damerau_levenshtein").DamerauLevenshtein
    return float(distance.normalized_distance(text1, text2))


@lru_cache(maxsize=None)
def _bleu() -> Any:
    bleu = _library("sacrebleu.metrics", "self_bleu").BLEU
    return bleu(tokenize="none", lowercase=True, effective_order=True)


@lru_cache(maxsize=None)
def _library(module: str, metric: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        package, pip = module.split(".")[0], "paws-components[metrics]"
        raise Fatal(Errors.P101.format(kind="metric", name=metric, package=package, pip=pip)) from error
