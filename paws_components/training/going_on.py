"""Going on from trained weights: pretraining, then fine-tuning."""

from functools import partial
from pathlib import Path
from typing import Callable, Optional

from spacy.language import Language
from spacy.util import logger

from ..errors import Errors, PawsError


def make_go_on_from(path: Optional[str] = None, component: str = "textcat") -> Callable[[Language], Language]:
    """Create a callback for `[initialize.after_init]`: `paws.go_on_from.v1`. A component starts with the weights of a
    trained pipeline. The optimizer and its schedule are those of the config, from the start.

    path (Optional[str]): The trained pipeline, a folder such as `model-best`; None to start from nothing.
    component (str): The component. Both pipelines have one of this name, with the same architecture.
    """
    return partial(go_on_from, path=path, component=component)


def go_on_from(nlp: Language, path: Optional[str], component: str) -> Language:
    """Let a component of a pipeline have the weights of a trained one.

    nlp (Language): The pipeline, initialised.
    path (Optional[str]): The trained pipeline; None to change nothing.
    component (str): The component.
    RETURNS (Language): The pipeline.
    """
    if path is None:
        return nlp
    weights = Path(path) / component
    if not weights.is_dir():
        raise PawsError(Errors.P020.format(path=str(weights), reason="it is not there"))
    pipe = nlp.get_pipe(component)
    labels = getattr(pipe, "labels", None)
    try:
        pipe.from_disk(weights, exclude=["vocab"])  # type: ignore[attr-defined]
    except (ValueError, KeyError, AttributeError) as error:
        raise PawsError(Errors.P315.format(path=str(weights), reason=error)) from error
    if getattr(pipe, "labels", None) != labels:
        raise PawsError(Errors.P315.format(path=str(weights), reason=f"its labels are {', '.join(pipe.labels)}"))  # type: ignore[attr-defined]
    logger.info("%s starts with the weights of %s", component, path)
    return nlp
