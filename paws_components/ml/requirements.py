"""What a trained pipeline needs where it is installed."""

from spacy.language import Language
from spacy.util import get_minor_version_range, split_requirement

from .. import __version__

PACKAGE = "paws-components"


def name_requirements(nlp: Language) -> None:
    """Name this package with torch in the pipeline's meta, if one of its models needs it.

    `spacy package` looks up the packages of registered functions by itself, but knows nothing of extras: a wheel that
    names `paws-components` alone installs without torch, and then can't be loaded.

    nlp (Language): The pipeline, with all its components.
    """
    named = nlp.meta.get("requirements", [])
    if PACKAGE not in {split_requirement(requirement)[0] for requirement in named} and _has_torch(nlp):
        nlp.meta["requirements"] = [*named, f"{PACKAGE}[train]{get_minor_version_range(__version__)}"]


def _has_torch(nlp: Language) -> bool:
    """Whether a model of the pipeline holds a torch module of ours."""
    models = [pipe.model for _, pipe in nlp.components if hasattr(pipe, "model")]
    shims = [shim for model in models for node in model.walk() for shim in node.shims]
    return any(type(shim).__module__.startswith("paws_components.") for shim in shims)
