import warnings
from typing import Any, Dict, Iterable, List, Optional

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors, PawsError, Warnings
from ..extensions import SWAPS, TEMPLATE, install
from ..generation.swap import Swapper, SwapSettings
from ..generation.template import (
    BUILDERS,
    Slot,
    Template,
    TemplateSettings,
    check_templates,
    require_tags,
    worthwhile,
)
from ..generation.tokens import Tokens
from ..lm.embedded import embedded_lm
from ..lm.protocol import LanguageModel
from .base import BatchPipe
from .template_tagger import DEFAULT_CONFIG as TAGGER_CONFIG
from .template_tagger import TemplateTagger, make_template_tagger

DEFAULT_CONFIG: Dict[str, Any] = {
    "lm": None,
    "rescorer": None,
    "templates": ["entities", "phrases", "names"],
    "n_best": 1,
    "beam_width": 100,
    "threshold": 3.0,
    "max_tokens": 150,
    "keep_list_permutations": False,
    "fix_articles": False,
}


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
):
    """Find word-swap adversaries of each Doc (PAWS, section 3.1): `doc._.paws_swaps`.

    lm (Optional[LanguageModel]): Scores the sentences; None takes the embedded model of the pipeline's language.
    rescorer (Optional[LanguageModel]): A second model that ranks what the first one proposes, and decides about the
        threshold in its place.
    templates (List[str]): How sentences are cut: "entities" (the paper's way), "names" (runs of proper nouns),
        "phrases" (words of one tag linked by conjunctions). Several are searched, and the best of all comes out.
    n_best (int): How many swaps a Doc gets at most; up to 10,000.
    beam_width (int): How many hypotheses stay after each slot, and how many candidates all templates yield together; up
        to 10,000.
    threshold (Optional[float]): How many nats a swap may score under its source (t in the paper); None keeps all.
    max_tokens (int): A longer Doc is searched sentence by sentence.
    keep_list_permutations (bool): Keep "B and A" for "A and B".
    fix_articles (bool): Make English a/an agree after a swap; the swap says where under "articles".
    """
    # Checked before the model is loaded.
    settings = SwapSettings(n_best, beam_width, threshold, keep_list_permutations, fix_articles)
    return PawsSwapper(
        nlp,
        name,
        lm=lm if lm is not None else embedded_lm(nlp.lang or ""),
        rescorer=rescorer,
        templates=templates,
        settings=settings,
        max_tokens=max_tokens,
    )


class PawsSwapper(BatchPipe):
    """Finds sentences with the same words as a Doc, in another order, that a language model finds as natural."""

    def __init__(
        self,
        nlp: Language,
        name: str = "paws_swapper",
        *,
        lm: LanguageModel,
        rescorer: Optional[LanguageModel],
        templates: List[str],
        settings: SwapSettings,
        max_tokens: int,
    ) -> None:
        install()
        check_templates(templates)
        if max_tokens < 2:
            raise PawsError(Errors.P015.format(name="max_tokens", what="at least 2", value=max_tokens))
        self.nlp = nlp
        self.name = name
        self.lm = lm
        self.rescorer = rescorer
        self.templates = list(templates)
        self.settings = settings
        self.max_tokens = max_tokens
        self.default_tagger: TemplateTagger = make_template_tagger(nlp, "paws_template_tagger", **TAGGER_CONFIG)

    def predict(self, docs: List[Doc]) -> List[List[Dict[str, object]]]:
        """The swaps of each Doc; the Docs stay as they are."""
        tagger = self.find_tagger()
        sources = [Tokens(doc, tagger.settings.attr) for doc in docs]
        return self.search(sources, self.make_templates(sources, tagger), tagger)

    def set_annotations(self, docs: Iterable[Doc], swaps: Iterable[List[Dict[str, object]]]) -> None:
        """Write the swaps to the Docs."""
        for doc, found in zip(docs, swaps):
            doc._.set(SWAPS, found)

    def find_tagger(self) -> TemplateTagger:
        """The pipeline's own `paws_template_tagger` where it has one, else one with its default config."""
        for _, component in self.nlp.pipeline:
            if isinstance(component, TemplateTagger):
                return component
        return self.default_tagger

    def make_templates(self, sources: List[Tokens], tagger: TemplateTagger) -> List[List[Template]]:
        """For each Doc the templates that are worth a search."""
        settings = tagger.settings
        made: List[List[Template]] = []
        unsure: List[int] = []
        for i, tokens in enumerate(sources):
            require_tags(tokens, settings, self.name)
            stored = _read_template(tokens.doc)
            templates = []
            for kind in self.templates:
                slots = stored if kind == "entities" else None
                templates.append(Template(kind, slots or BUILDERS[kind](tokens, settings), tokens.words))
            made.append(worthwhile(templates))
            if stored is None and any(template.kind == "entities" for template in made[i]):
                unsure.append(i)
        # Asking the recogniser how sure it is costs half as much as the whole pipeline: only where an entity could move
        # as no other template moves it.
        for i, slots in zip(unsure, tagger.cut([sources[i] for i in unsure])):
            sure = Template("entities", slots, sources[i].words)
            made[i] = worthwhile([sure if template.kind == "entities" else template for template in made[i]])
        return made

    def search(
        self, sources: List[Tokens], templates: List[List[Template]], tagger: TemplateTagger
    ) -> List[List[Dict[str, object]]]:
        """For each Doc its swaps, best first."""
        swaps = []
        for tokens, cut in zip(sources, templates):
            find = self._find if len(tokens) <= self.max_tokens else self._find_in_sentences
            swaps.append(find(tokens, cut, tagger.settings))
        return swaps

    def _find(self, tokens: Tokens, templates: List[Template], settings: TemplateSettings) -> List[Dict[str, object]]:
        return Swapper(tokens, settings.proper_tags).find(templates, self.lm, self.settings, self.rescorer)

    def _find_in_sentences(
        self, tokens: Tokens, templates: List[Template], settings: TemplateSettings
    ) -> List[Dict[str, object]]:
        """A long Doc: the best swaps among those within its sentences, told in terms of the whole Doc."""
        doc = tokens.doc
        if not doc.has_annotation("SENT_START"):
            warnings.warn(Warnings.W001.format(length=len(doc), limit=self.max_tokens), stacklevel=2)
            return []
        swaps: List[Dict[str, object]] = []
        for sent in doc.sents:
            if len(sent) <= self.max_tokens:
                part = Tokens(sent.as_doc(), settings.attr)
                cut = [Template(t.kind, _within(t.slots, sent.start, sent.end), part.words) for t in templates]
                found = self._find(part, worthwhile(cut), settings)
                swaps.extend(_shifted(swap, doc.text, sent.start_char, sent.end_char) for swap in found)
        swaps.sort(key=lambda swap: swap["gap"])  # type: ignore[arg-type, return-value]
        return swaps[: self.settings.n_best]


def _read_template(doc: Doc) -> Optional[List[Slot]]:
    """The template that a `paws_template_tagger` left on the Doc, here or before the Doc was stored."""
    slots = doc._.get(TEMPLATE)
    if slots is None:
        return None
    return [Slot(slot["start"], slot["end"], slot["tag"], slot["fixed"]) for slot in slots]


def _within(slots: List[Slot], start: int, end: int) -> List[Slot]:
    """The slots of one sentence, counted from its start. A slot across its border stays where it is."""
    inside: List[Slot] = []
    for slot in slots:
        first, last = max(slot.start, start), min(slot.end, end)
        if first < last:
            whole = last - first == slot.end - slot.start
            inside.append(Slot(first - start, last - start, slot.tag, slot.fixed or not whole))
    return inside


def _shifted(swap: Dict[str, object], text: str, start: int, end: int) -> Dict[str, object]:
    """A swap of one sentence as a swap of the whole text."""
    moved = [
        {**span, **{key: [offset + start for offset in span[key]] for key in ("source", "target")}}
        for span in swap["moved"]  # type: ignore[attr-defined]
    ]
    return {**swap, "text": text[:start] + str(swap["text"]).rstrip() + text[end:], "moved": moved}
