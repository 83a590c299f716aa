"""Word swapping as a generator: `paws_swapper`, by the door that plugins come in by."""

from typing import Any, Dict, List, Optional, Sequence, Union

from spacy.language import Language
from spacy.tokens import Doc

from ..lm.protocol import LanguageModel
from ..pipeline.swapper import DEFAULT_CONFIG as DEFAULTS
from ..pipeline.swapper import make_swapper
from ..plugins import make_part
from .protocol import Candidate
from .swap import SwapSettings

ModelOrName = Union[None, str, LanguageModel]


class WordSwap:
    """Rearranges the words of a sentence, led by a language model (PAWS, section 3.1).

    nlp (Language): The pipeline; it must tag.
    lm (Union[None, str, LanguageModel]): A registered language model by name ("kenlm", "causal"), or one that is made
        already; None takes the embedded one of the language.
    lm_settings (Dict[str, Any]): Its settings, such as {"path": "wiki.klm"}.
    rescorer, rescorer_settings: Likewise, for a second model that ranks what the first one proposes.
    The other settings are those of `paws_swapper`.
    """

    def __init__(
        self,
        nlp: Language,
        *,
        lm: ModelOrName = DEFAULTS["lm"],
        lm_settings: Dict[str, Any] = {},  # noqa: B006 - never changed
        rescorer: ModelOrName = DEFAULTS["rescorer"],
        rescorer_settings: Dict[str, Any] = {},  # noqa: B006
        templates: List[str] = DEFAULTS["templates"],
        n_best: int = DEFAULTS["n_best"],
        beam_width: int = DEFAULTS["beam_width"],
        threshold: Optional[float] = DEFAULTS["threshold"],
        max_tokens: int = DEFAULTS["max_tokens"],
        keep_list_permutations: bool = DEFAULTS["keep_list_permutations"],
        fix_articles: bool = DEFAULTS["fix_articles"],
    ) -> None:
        # Checked before any model is made.
        SwapSettings(n_best, beam_width, threshold, keep_list_permutations, fix_articles)
        self.swapper = make_swapper(
            nlp,
            "word_swap",
            lm=_make(lm, lm_settings),
            rescorer=_make(rescorer, rescorer_settings),
            templates=templates,
            n_best=n_best,
            beam_width=beam_width,
            threshold=threshold,
            max_tokens=max_tokens,
            keep_list_permutations=keep_list_permutations,
            fix_articles=fix_articles,
        )
        self.evidence = {"lm": f"embedded/{nlp.lang}" if lm is None else _called(lm, lm_settings)}
        if rescorer is not None:
            self.evidence["rescorer"] = _called(rescorer, rescorer_settings)

    def __call__(self, docs: Sequence[Doc]) -> List[List[Candidate]]:
        """The swaps of each Doc, best first."""
        return self.swapper.predict(list(docs))


def _make(model: ModelOrName, settings: Dict[str, Any]) -> Optional[LanguageModel]:
    return make_part("language_models", model, settings) if isinstance(model, str) else model


def _called(model: ModelOrName, settings: Dict[str, Any]) -> str:
    """The name of a model for people: its file or its name on the hub, where its settings have one."""
    if isinstance(model, str):
        return str(settings.get("path") or settings.get("name") or model)
    return str(getattr(model, "path", type(model).__name__))
