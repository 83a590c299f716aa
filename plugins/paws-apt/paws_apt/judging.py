"""Judging attempts: mutual implication and similarity of many pairs at once, and what follows from the two."""

import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Protocol, Sequence, Tuple

from paws_components.plugin import PawsError, TextMetric, validate

from .errors import Errors
from .reward import THRESHOLD, passes, reward

Pairs = Sequence[Tuple[str, str]]


class Implication(Protocol):
    """Both entailment probabilities of a pair, and whether each sentence entails the other."""

    @property
    def forward(self) -> float: ...

    @property
    def backward(self) -> float: ...

    @property
    def verdict(self) -> bool: ...


class Judgement(NamedTuple):
    """What is found out about a pair.

    mi (bool): Whether each sentence entails the other.
    similarity (float): How similar they are in words and structure.
    passed (bool): Whether the second is an adversarial paraphrase of the first.
    reward (float): What it earns (equation 1).
    forward (float), backward (float): The probabilities that the first entails the second, and the other way about.
    """

    mi: bool
    similarity: float
    passed: bool
    reward: float
    forward: float
    backward: float


class Judge:
    """Judges pairs. Each different pair of a call goes to the models once.

    implication (Callable): From pairs to an `Implication` each.
    similarity (Callable): From pairs to a number each.
    threshold (float): The highest similarity that passes.
    """

    def __init__(
        self,
        implication: Callable[[Pairs], Sequence[Implication]],
        similarity: Callable[[Pairs], Sequence[float]],
        threshold: float = THRESHOLD,
    ) -> None:
        self.implication = implication
        self.similarity = similarity
        self.threshold = threshold

    def __call__(self, pairs: Pairs) -> List[Judgement]:
        """A judgement for each pair, (source, attempt)."""
        different = list(dict.fromkeys(pairs))
        if not different:
            return []
        found: Dict[Tuple[str, str], Judgement] = {}
        for pair, implied, value in zip(different, self.implication(different), self.similarity(different)):
            mi, alike = bool(implied.verdict), float(value)
            found[pair] = Judgement(
                mi,
                alike,
                passes(mi, alike, self.threshold),
                reward(mi, alike, self.threshold),
                float(implied.forward),
                float(implied.backward),
            )
        return [found[pair] for pair in pairs]


def find_threshold(similarity: str, settings: Dict[str, Any], threshold: Optional[float] = None) -> float:
    """The threshold of a similarity: what is given, or the paper's where that is known to fit, or else our error.

    similarity (str): The name of the metric.
    settings (Dict[str, Any]): Its settings, which may name a checkpoint.
    threshold (Optional[float]): What is asked for.
    RETURNS (float): The threshold.
    """
    if threshold is not None:
        return threshold
    # BLEURT-20 and its distilled kin answer from 0 to 1, and call 0.5 what is hardly alike.
    newer = [str(value) for value in settings.values() if re.search(r"bleurt-?20", str(value), re.IGNORECASE)]
    if similarity != "bleurt" or newer:
        which = f" with the checkpoint {newer[0]!r}" if newer else ""
        raise PawsError(Errors.A001.format(name=similarity, which=which))
    return THRESHOLD


def settings_of(similarity: str, settings: Dict[str, Any]) -> Dict[str, Any]:
    """The settings of a similarity: BLEURT is the mean over both orders, unless `symmetric` says otherwise.

    The page on which people wrote their attempts scored them so, and equation 1 and the threshold are for such scores.
    The authors' program for T5 has both orders in mind and asks twice about one: its files hold scores of one order.

    similarity (str): The name of the metric.
    settings (Dict[str, Any]): What is given.
    RETURNS (Dict[str, Any]): What it is made with.
    """
    return {"symmetric": True, **settings} if similarity == "bleurt" else dict(settings)


def make_implication(settings: Dict[str, Any]) -> Callable[[Pairs], Sequence[Implication]]:
    """Mutual implication by an NLI model, which is loaded when the first pair comes.

    settings (Dict[str, Any]): Those of `MutualJudge`: `model`, `batch_size` and others.
    RETURNS (Callable): From pairs to an `Implication` each.
    """
    from paws_components.plugin import MutualJudge

    label = "model of mutual implication (`nli`)"
    return MutualJudge(**validate(label, MutualJudge, settings))


def make_judge(
    similarity: str = "bleurt",
    similarity_settings: Optional[Dict[str, Any]] = None,
    threshold: Optional[float] = None,
    nli: Optional[Dict[str, Any]] = None,
) -> Judge:
    """A judge from settings. Its models are loaded when the first pair comes.

    similarity (str): A metric by name.
    similarity_settings (Optional[Dict[str, Any]]): Its settings; BLEURT takes both orders unless `symmetric` is false.
    threshold (Optional[float]): The highest similarity that passes; None for the paper's, for the paper's BLEURT.
    nli (Optional[Dict[str, Any]]): The settings of the NLI model.
    RETURNS (Judge): The judge.
    """
    given = settings_of(similarity, similarity_settings or {})
    limit = find_threshold(similarity, given, threshold)
    return Judge(make_implication(nli or {}), TextMetric(similarity, given), limit)
