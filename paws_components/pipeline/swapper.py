from typing import Any, Dict, Iterable, List, Optional

from spacy.language import Language
from spacy.tokens import Doc

from ..extensions import SWAPS, TEMPLATE, install
from ..generation.judging import Judge
from ..generation.swapper import Swap, TemplateMaker, WordSwapper
from ..generation.template import Slot
from ..generation.word_swap import DEFAULTS, make_swap_settings, make_word_swapper
from ..lm.protocol import LanguageModel
from .base import BatchPipe
from .template_tagger import DEFAULT_CONFIG as TAGGER_CONFIG
from .template_tagger import TemplateTagger, make_template_tagger

DEFAULT_CONFIG: Dict[str, Any] = {**DEFAULTS, "extension": SWAPS}


@Language.factory("paws_swapper", requires=["token.tag"], assigns=["doc._.paws_swaps"], default_config=DEFAULT_CONFIG)
def make_swapper(
    nlp: Language,
    name: str,
    lm: Optional[LanguageModel],
    rescorer: Optional[LanguageModel],
    templates: List[str],
    n_best: int,
    beam_width: int,
    threshold: Optional[float],
    max_tokens: int,
    keep_list_permutations: bool,
    fix_articles: bool,
    precise: bool,
    judge: Optional[Judge],
    naturalness: Optional[float],
    constraints: Optional[List[str]],
    extension: str,
) -> "PawsSwapper":
    """Find word-swap adversaries of each Doc (PAWS, section 3.1), sentence by sentence: `doc._.paws_swaps`.

    lm (Optional[LanguageModel]): Scores the sentences; None takes the embedded model of the pipeline's language.
    rescorer (Optional[LanguageModel]): A second model that ranks what the first one proposes, and decides about the
        threshold in its place.
    templates (List[str]): How sentences are cut: "entities" (the paper's way), "names" (runs of proper nouns),
        "phrases" (words of one tag linked by conjunctions). Several are searched, and the best of all comes out.
    n_best (int): How many swaps a Doc gets at most; up to 10,000.
    beam_width (int): How many hypotheses stay after each slot, and how many candidates all templates yield together; up
        to 10,000.
    threshold (Optional[float]): How many nats a swap may score under its source (t in the paper); None keeps all.
    max_tokens (int): A longer sentence is not searched.
    keep_list_permutations (bool): Keep "B and A" for "A and B".
    fix_articles (bool): Make English a/an agree after a swap; the swap says where under "articles".
    precise (bool): Keep only what no rule stops and a judge finds natural; False keeps whatever the language model
        lets pass.
    judge (Optional[Judge]): Says how natural a swap is, and decides in the place of the threshold; None takes the
        embedded one of the pipeline's language if `precise` is set, and none if it is not.
    naturalness (Optional[float]): How natural a swap must be, from 0 to 1; None leaves it to the judge.
    constraints (Optional[List[str]]): The rules that stop a swap; None takes all if `precise` is set.
    extension (str): Where the swaps go, so that a second swapper can write to an extension of its own.
    """
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
    swapper = make_word_swapper(
        nlp.lang or "",
        settings,
        lm=lm,
        rescorer=rescorer,
        templates=templates,
        max_tokens=max_tokens,
        precise=precise,
        judge=judge,
    )
    return PawsSwapper(nlp, name, swapper=swapper, extension=extension)


class PawsSwapper(BatchPipe):
    """Writes the swaps of each Doc to an extension.

    nlp (Language): The pipeline; its `paws_template_tagger`, if it has one, makes the templates.
    name (str): The name of the component.
    swapper (WordSwapper): Finds the swaps.
    extension (str): Where they go.
    """

    def __init__(
        self, nlp: Language, name: str = "paws_swapper", *, swapper: WordSwapper, extension: str = SWAPS
    ) -> None:
        install(extension)
        self.nlp = nlp
        self.name = name
        self.swapper = swapper
        self.extension = extension
        self.default_tagger: TemplateTagger = make_template_tagger(nlp, name, **TAGGER_CONFIG)

    def predict(self, docs: List[Doc]) -> List[List[Swap]]:
        """The swaps of each Doc; the Docs stay as they are."""
        return self.swapper(docs, self.find_maker(), [_read_template(doc) for doc in docs])

    def set_annotations(self, docs: Iterable[Doc], swaps: Iterable[List[Swap]]) -> None:
        """Write the swaps to the Docs."""
        for doc, found in zip(docs, swaps):
            doc._.set(self.extension, found)

    def find_maker(self) -> TemplateMaker:
        """That of the pipeline's own `paws_template_tagger` where it has one, else one with its default config."""
        for _, component in self.nlp.pipeline:
            if isinstance(component, TemplateTagger):
                return component.maker
        return self.default_tagger.maker


def _read_template(doc: Doc) -> Optional[List[Slot]]:
    """The template that a `paws_template_tagger` left on the Doc, here or before the Doc was stored."""
    slots = doc._.get(TEMPLATE)
    if slots is None:
        return None
    return [Slot(slot["start"], slot["end"], slot["tag"], slot["fixed"]) for slot in slots]
