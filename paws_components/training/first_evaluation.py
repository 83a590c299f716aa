"""`paws.no_first_evaluation.v1`: what a model that has learnt nothing scores does not choose the checkpoint."""

from functools import partial
from typing import Any, Callable, Dict, Iterable

from spacy.language import Language


def make_no_first_evaluation() -> Callable[[Language, Dict[str, Any]], None]:
    """Create a callback for `[training.before_update]`: `paws.no_first_evaluation.v1`."""
    return skip_first_evaluation


def skip_first_evaluation(nlp: Language, info: Dict[str, Any]) -> None:
    """Let the evaluation after the first update score 0. spaCy has one then, of a classifier that knows nothing yet and
    gives all pairs one answer. Where one is tested on other data than it is trained on, this may beat all that is
    learnt, and would be kept as the best checkpoint.

    nlp (Language): The pipeline that is trained.
    info (Dict[str, Any]): The number of the update, under "step".
    """
    if info["step"] == 0:
        weights = nlp.config["training"]["score_weights"]
        setattr(nlp, "evaluate", partial(_nothing, weights))  # noqa: B010 - a method of this one object
    elif "evaluate" in vars(nlp):
        del nlp.evaluate  # the class's own shows again


def _nothing(weights: Dict[str, Any], examples: Iterable) -> Dict[str, float]:
    return dict.fromkeys(weights, 0.0)
