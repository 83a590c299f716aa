"""The task as metrics: `paws metrics --metrics apt,apt_reward`."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

from .judging import Judge, Judgement, find_threshold, make_judge


class _Judged:
    """What the two metrics share: a judge that is made when the first pair is there."""

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
        similarity_settings (Dict[str, Any]): Its settings.
        threshold (Optional[float]): The highest similarity that passes. None is the paper's 0.5, for the paper's
            BLEURT; every other similarity needs its own.
        nli (Dict[str, Any]): The settings of the model that decides mutual implication.
        """
        self.settings = {
            "similarity": similarity,
            "similarity_settings": similarity_settings,
            # A missing threshold is an error at once, not after a model was loaded.
            "threshold": find_threshold(similarity, similarity_settings, threshold),
            "nli": nli,
        }
        self._judge: Optional[Judge] = None

    def judged(self, pairs: Sequence[Tuple[str, str]]) -> List[Judgement]:
        if not pairs:
            return []
        if self._judge is None:
            self._judge = make_judge(**self.settings)
        return self._judge(pairs)

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_judge": None}


class AptMetric(_Judged):
    """Whether a pair passes the Adversarial Paraphrasing Task: 1 or 0."""

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[float]:
        return [float(judgement.passed) for judgement in self.judged(pairs)]


class RewardMetric(_Judged):
    """The reward of a pair in the Adversarial Paraphrasing Task (equation 1), from 0 to 1."""

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[float]:
        return [judgement.reward for judgement in self.judged(pairs)]
