"""Word swapping as a generator, by the door that plugins come in by."""

from typing import Any, Dict, List, Optional, Sequence, Union

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors, PawsError
from ..lang import rules_of
from ..lm.embedded import embedded_lm
from ..lm.protocol import LanguageModel
from ..plugins import make_registered
from .constraints import ALL
from .embedded import embedded_judge
from .judging import Judge
from .protocol import Candidate
from .swap import SwapSettings
from .swapper import TemplateMaker, WordSwapper
from .template import ENTITY_LABELS, FIXED_TAGS, LINK_TAGS, PROPER_TAGS, template_settings

# What this generator and `paws_swapper` have in common, and it and `paws_template_tagger`.
DEFAULTS: Dict[str, Any] = {
    "lm": None,
    "rescorer": None,
    "templates": ["entities", "phrases", "names"],
    "n_best": 1,
    "beam_width": 100,
    "threshold": 3.0,
    "max_tokens": 150,
    "keep_list_permutations": False,
    "fix_articles": False,
    "precise": True,
    "judge": None,
    "naturalness": None,
    "constraints": None,
}
TEMPLATE_DEFAULTS: Dict[str, Any] = {
    "attr": None,
    "entity_labels": ENTITY_LABELS,
    "entity_threshold": 0.95,
    "strict_entities": False,
    "ner": "ner",
    "ner_beam_width": 4,
    "fixed_tags": FIXED_TAGS,
    "proper_tags": PROPER_TAGS,
    "link_tags": LINK_TAGS,
}
ModelOrName = Union[None, str, LanguageModel]
JudgeOrName = Union[None, str, Judge]


def make_swap_settings(
    *,
    lang: str,
    n_best: int,
    beam_width: int,
    threshold: Optional[float],
    keep_list_permutations: bool,
    fix_articles: bool,
    precise: bool,
    naturalness: Optional[float],
    constraints: Optional[List[str]],
) -> SwapSettings:
    """What is searched for and kept. Made before any model is, so that a wrong setting is told at once."""
    rules = ALL if constraints is None and precise else constraints or []
    if constraints is None and fix_articles and rules_of(lang).fix_articles:
        rules = [name for name in rules if name != "articles"]  # they are put right
    return SwapSettings(n_best, beam_width, threshold, keep_list_permutations, fix_articles, tuple(rules), naturalness)


def make_word_swapper(
    lang: str,
    settings: SwapSettings,
    *,
    lm: Optional[LanguageModel],
    rescorer: Optional[LanguageModel],
    templates: List[str],
    max_tokens: int,
    precise: bool,
    judge: Optional[Judge],
) -> WordSwapper:
    """What the settings that this generator and `paws_swapper` have in common stand for."""
    if precise and judge is None and rescorer is None:
        judge = embedded_judge(lang)
        if judge is None and settings.naturalness:
            raise PawsError(Errors.P047.format(lang=lang))
    return WordSwapper(
        lm if lm is not None else embedded_lm(lang),
        settings,
        templates=templates,
        max_tokens=max_tokens,
        rescorer=rescorer,
        judge=judge,
    )


def who_decides(lang: str, settings: Dict[str, Any]) -> Optional[str]:
    """What to tell of a run in a language without an embedded judge: what decides in its place; None if there is one.

    lang (str): The language.
    settings (Dict[str, Any]): Settings of this generator.
    RETURNS (Optional[str]): The line; our error where nothing decides, since there is no language model either.
    """
    given = {**DEFAULTS, **settings}
    if not given["precise"] or given["judge"] is not None or given["rescorer"] is not None or embedded_judge(lang):
        return None
    lm, bar = given["lm"], given["threshold"]
    if lm is None:
        embedded_lm(lang)  # where there is none, its error is all there is to tell
    model = f"the n-gram model embedded for {lang!r}" if lm is None else _called(lm, given.get("lm_settings", {}))
    least = "however much they lose" if bar is None else f"swaps may lose {bar:g} nats (--threshold)"
    return f"No judge is embedded for {lang!r}: the rules and {model} decide; {least}. See docs/languages.md"


class WordSwap:
    """Rearranges the words of a sentence, led by a language model (PAWS, section 3.1).

    nlp (Language): The pipeline; it must tag.
    lm (Union[None, str, LanguageModel]): A registered language model by name ("kenlm", "causal"), or one that is made
        already; None takes the embedded one of the language.
    lm_settings (Dict[str, Any]): Its settings, such as {"path": "wiki.klm"}.
    rescorer, rescorer_settings: Likewise, for a second model that ranks what the first one proposes.
    The other settings are those of `paws_swapper` and `paws_template_tagger`.
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
        precise: bool = DEFAULTS["precise"],
        judge: JudgeOrName = DEFAULTS["judge"],
        judge_settings: Dict[str, Any] = {},  # noqa: B006
        naturalness: Optional[float] = DEFAULTS["naturalness"],
        constraints: Optional[List[str]] = DEFAULTS["constraints"],
        attr: Optional[str] = TEMPLATE_DEFAULTS["attr"],
        entity_labels: Dict[str, str] = TEMPLATE_DEFAULTS["entity_labels"],
        entity_threshold: float = TEMPLATE_DEFAULTS["entity_threshold"],
        strict_entities: bool = TEMPLATE_DEFAULTS["strict_entities"],
        ner: str = TEMPLATE_DEFAULTS["ner"],
        ner_beam_width: int = TEMPLATE_DEFAULTS["ner_beam_width"],
        fixed_tags: List[str] = TEMPLATE_DEFAULTS["fixed_tags"],
        proper_tags: List[str] = TEMPLATE_DEFAULTS["proper_tags"],
        link_tags: List[str] = TEMPLATE_DEFAULTS["link_tags"],
    ) -> None:
        cut = template_settings(
            attr or rules_of(nlp.lang or "").attr,
            entity_labels,
            entity_threshold,
            fixed_tags,
            proper_tags,
            link_tags,
            strict_entities,
        )
        self.maker = TemplateMaker(nlp, "word_swap", cut, ner=ner, ner_beam_width=ner_beam_width)
        settings = make_swap_settings(
            lang=nlp.lang or "",
            n_best=n_best,
            beam_width=beam_width,
            threshold=threshold,
            keep_list_permutations=keep_list_permutations,
            fix_articles=fix_articles,
            precise=precise,
            naturalness=naturalness,
            constraints=constraints,
        )
        self.swapper = make_word_swapper(
            nlp.lang or "",
            settings,
            lm=_make("language_models", lm, lm_settings),
            rescorer=_make("language_models", rescorer, rescorer_settings),
            templates=templates,
            max_tokens=max_tokens,
            precise=precise,
            judge=_make("judges", judge, judge_settings),
        )
        self.evidence = {"lm": f"embedded/{nlp.lang}" if lm is None else _called(lm, lm_settings)}
        if rescorer is not None:
            self.evidence["rescorer"] = _called(rescorer, rescorer_settings)

    def __call__(self, docs: Sequence[Doc]) -> List[List[Candidate]]:
        """The swaps of each Doc, best first."""
        return self.swapper(docs, self.maker)


def _make(kind: str, model: Any, settings: Dict[str, Any]) -> Any:
    return make_registered(kind, model, settings) if isinstance(model, str) else model


def _called(model: Any, settings: Dict[str, Any]) -> str:
    """The name of a model for people: its file or its name on the hub, where its settings have one."""
    if isinstance(model, str):
        return str(settings.get("path") or settings.get("name") or model)
    return str(getattr(model, "path", type(model).__name__))
