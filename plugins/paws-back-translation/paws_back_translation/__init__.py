"""Back-translation for paws-components: the generator `back_translation`, and translators for it and for others."""

from typing import Any, Callable

from paws_components.plugin import hookimpl

__version__ = "0.1.0"


@hookimpl
def paws_register_translators(register: Callable[..., Any]) -> None:
    # None of these modules imports torch, transformers or ctranslate2: that waits for the first sentence.
    from .translators.apertium import Apertium
    from .translators.ctranslate2 import CTranslate2
    from .translators.marian import Marian

    register("marian", Marian)
    register("ctranslate2", CTranslate2)
    # Each chunk is a process of its own, and starting it takes longer than translating a few sentences.
    register("apertium", Apertium, chunk=128)


@hookimpl
def paws_register_generators(register: Callable[..., Any]) -> None:
    from .generator import BackTranslation, choose_reordered

    # A chunk takes a while on a CPU: few sentences each, so that progress shows.
    register("back_translation", BackTranslation, chunk=64, choose=choose_reordered)
