"""The task as metrics: `paws metrics --metrics apt,apt_reward`."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

from .judging import make_judge


class _Judged:
    """What the two metrics share: a judge, whose models are loaded when the first pair comes."""

    def __init__(
        self,
        *,
        similarity: str = "bleurt",
        similarity_settings: Dict[str, Any] = {},  # noqa: B006 - never changed
        threshold: Optional[float] = None,
        nli: Dict[str, Any] = {},  # noqa: B006
    ) -> None:
        """
        similarity (str): The metric that says how similar the sentences are: "bleurt" or any other by name.
        similarity_settings (Dict[str, Any]): Its settings. BLEURT takes both orders unless `symmetric` is false.
        threshold (Optional[float]): The highest similarity that passes. None is the paper's 0.5, for the paper's
            BLEURT; every other similarity needs its own.
        nli (Dict[str, Any]): The settings of mutual implication: `model` and others, as of the metric `mi_verdict`.
        """
        self.judge = make_judge(similarity, similarity_settings, threshold, nli)


class AptMetric(_Judged):
    """Whether a pair passes the Adversarial Paraphrasing Task: 1 or 0."""

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[float]:
        return [float(judgement.passed) for judgement in self.judge(pairs)]


class RewardMetric(_Judged):
    """The reward of a pair in the Adversarial Paraphrasing Task (equation 1), from 0 to 1."""

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[float]:
        return [judgement.reward for judgement in self.judge(pairs)]
