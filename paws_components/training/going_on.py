"""Going on from trained weights: pretraining, then fine-tuning."""

from functools import partial
from pathlib import Path
from typing import Any, Callable, Optional

import numpy
from spacy.language import Language
from spacy.util import logger
from thinc.api import to_numpy

from ..errors import Errors, PawsError

# Layers that read the vectors of the pipeline, which are outside of the component.
WITH_VECTORS = ("static_vectors", "tuned_vectors", "vectors_or_hashes")


def make_go_on_from(path: Optional[str] = None, component: str = "textcat") -> Callable[[Language], Language]:
    """Create a callback for `[initialize.after_init]`: `paws.go_on_from.v1`. A component starts with the weights of a
    trained pipeline. The optimizer and its schedule are those of the config, from the start.

    path (Optional[str]): The trained pipeline, a folder such as `model-best`; None to start from nothing.
    component (str): The component. Both pipelines have one of this name, with the same architecture and vectors.
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
    reason = _other_vectors(nlp, pipe, Path(path))
    if reason:
        raise PawsError(Errors.P315.format(path=str(weights), reason=reason))
    try:
        pipe.from_disk(weights, exclude=["vocab"])  # type: ignore[attr-defined]
    except (ValueError, KeyError, AttributeError) as error:
        raise PawsError(Errors.P315.format(path=str(weights), reason=error)) from error
    if getattr(pipe, "labels", None) != labels:
        raise PawsError(Errors.P315.format(path=str(weights), reason=f"its labels are {', '.join(pipe.labels)}"))  # type: ignore[attr-defined]
    logger.info("%s starts with the weights of %s", component, path)
    return nlp


def _other_vectors(nlp: Language, pipe: Any, path: Path) -> str:
    """What is wrong with the word vectors of a trained pipeline, "" if nothing. Frozen ones are not among the weights,
    and a component that learnt hash embeddings for want of vectors would go on with these."""
    nodes = pipe.model.walk() if hasattr(pipe, "model") else []
    if not any(node.name in WITH_VECTORS for node in nodes):
        return ""
    file = path / "vocab" / "vectors"
    theirs = numpy.load(file, mmap_mode="r") if file.is_file() else numpy.zeros((0, 0))
    ours = to_numpy(nlp.vocab.vectors.data)
    if theirs.size and not ours.size:
        return "it has word vectors, and this config has none (`[initialize] vectors`)"
    if ours.size and not theirs.size:
        return "it has no word vectors, and this config has some (`[initialize] vectors`)"
    # Those of another width do not fit its weights, which says more.
    if theirs.shape[1] == ours.shape[1] and not numpy.array_equal(theirs, ours):
        return "it has other word vectors than this config (`[initialize] vectors`)"
    return ""
