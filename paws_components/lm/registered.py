"""Language models that plugins bring, in a config."""

from typing import Any, Dict

from ..plugins import make_registered
from .protocol import LanguageModel


def make_language_model(name: str, settings: Dict[str, Any] = {}) -> LanguageModel:  # noqa: B006 - never changed
    """`paws.LanguageModel.v1`: a language model that a plugin has registered.

    name (str): Its name; `paws plugins` lists those that are installed.
    settings (Dict[str, Any]): Its settings.
    """
    model: LanguageModel = make_registered("language_models", name, settings)
    return model
