"""Word swapping from Docs to swaps: templates, and a search in each sentence."""

import warnings
from typing import Any, Dict, List, Optional, Sequence

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors, PawsError, Warnings
from ..lm.protocol import LanguageModel
from .entities import confident_entities
from .swap import SentenceSwapper, SwapSettings
from .template import (
    BUILDERS,
    Slot,
    Template,
    TemplateSettings,
    check_templates,
    entity_template,
    require_tags,
    worthwhile,
)
from .tokens import Tokens

# A swap as plain data; see docs/swapping.md.
Swap = Dict[str, Any]


class TemplateMaker:
    """Cuts Docs into slots around the entities that are sure enough.

    nlp (Language): The pipeline that has the recogniser.
    name (str): Who asks, for our errors.
    settings (TemplateSettings): What a template is made from.
    ner (str): The name of the entity recogniser in the pipeline.
    ner_beam_width (int): The width of its beam.
    """

    def __init__(
        self, nlp: Language, name: str, settings: TemplateSettings, *, ner: str = "ner", ner_beam_width: int = 4
    ) -> None:
        self.nlp = nlp
        self.name = name
        self.settings = settings
        self.ner = ner
        self.ner_beam_width = ner_beam_width

    def __call__(self, sources: Sequence[Tokens]) -> List[List[Slot]]:
        """The paper's template of each Doc."""
        for tokens in sources:
            require_tags(tokens, self.settings, self.name)
        recogniser = self.nlp.get_pipe(self.ner) if self.ner in self.nlp.pipe_names else None
        docs = [tokens.doc for tokens in sources]
        entities = confident_entities(docs, self.settings, recogniser, self.ner_beam_width)
        return [entity_template(tokens, self.settings, found) for tokens, found in zip(sources, entities)]


class WordSwapper:
    """Finds sentences with the same words as those of a Doc, in another order, that a language model finds as natural.

    lm (LanguageModel): Scores the sentences.
    rescorer (Optional[LanguageModel]): Ranks what the first one proposes, and decides about the threshold.
    templates (Sequence[str]): How sentences are cut.
    settings (SwapSettings): What is searched for and kept.
    max_tokens (int): A longer sentence is not searched.
    """

    def __init__(
        self,
        lm: LanguageModel,
        settings: SwapSettings,
        *,
        templates: Sequence[str],
        max_tokens: int,
        rescorer: Optional[LanguageModel] = None,
    ) -> None:
        check_templates(templates)
        if max_tokens < 2:
            raise PawsError(Errors.P015.format(name="max_tokens", what="at least 2", value=max_tokens))
        self.lm = lm
        self.rescorer = rescorer
        self.templates = list(templates)
        self.settings = settings
        self.max_tokens = max_tokens

    def __call__(
        self, docs: Sequence[Doc], maker: TemplateMaker, stored: Sequence[Optional[List[Slot]]] = ()
    ) -> List[List[Swap]]:
        """The swaps of each Doc, best first; the Docs stay as they are.

        docs (Sequence[Doc]): The Docs, tagged.
        maker (TemplateMaker): Makes their templates.
        stored (Sequence[Optional[List[Slot]]]): Templates of the Docs that are there already.
        RETURNS (List[List[Swap]]): The swaps.
        """
        sources = [Tokens(doc, maker.settings.attr) for doc in docs]
        templates = self.make_templates(sources, maker, stored)
        return [self.search(tokens, found, maker.settings) for tokens, found in zip(sources, templates)]

    def make_templates(
        self, sources: Sequence[Tokens], maker: TemplateMaker, stored: Sequence[Optional[List[Slot]]] = ()
    ) -> List[List[Template]]:
        """For each Doc the templates that are worth a search."""
        settings = maker.settings
        known = list(stored) or [None] * len(sources)
        made: List[List[Template]] = []
        unsure: List[int] = []
        for i, tokens in enumerate(sources):
            require_tags(tokens, settings, maker.name)
            templates = []
            for kind in self.templates:
                slots = known[i] if kind == "entities" else None
                templates.append(Template(kind, slots or BUILDERS[kind](tokens, settings), tokens.words))
            made.append(worthwhile(templates))
            if known[i] is None and any(template.kind == "entities" for template in made[i]):
                unsure.append(i)
        # Asking the recogniser how sure it is costs half as much as the whole pipeline: only where an entity could move
        # as no other template moves it.
        for i, slots in zip(unsure, maker([sources[i] for i in unsure])):
            sure = Template("entities", slots, sources[i].words)
            made[i] = worthwhile([sure if template.kind == "entities" else template for template in made[i]])
        return made

    def search(self, tokens: Tokens, templates: List[Template], settings: TemplateSettings) -> List[Swap]:
        """The swaps of a Doc, best first. Words trade places within a sentence, never between two."""
        swaps: List[Swap] = []
        for start, end in tokens.sentences:
            if end - start > self.max_tokens:
                warnings.warn(Warnings.W001.format(length=end - start, limit=self.max_tokens), stacklevel=2)
                continue
            if len(tokens.sentences) == 1:
                swaps = self._find(tokens, templates, settings)
                where = [0, len(tokens.doc.text)]
                return [{**swap, "sentence": where} for swap in swaps]
            inside = [(template.kind, _within(template.slots, start, end)) for template in templates]
            words = tokens.words[start:end]
            wanted = worthwhile([Template(kind, slots, words) for kind, slots in inside])
            if wanted:
                span = tokens.doc[start:end]
                found = self._find(Tokens(span.as_doc(), settings.attr), wanted, settings)
                after = len(tokens.spaces[end - 1])
                swaps.extend(_of_text(swap, tokens.doc.text, span.start_char, span.end_char, after) for swap in found)
        swaps.sort(key=lambda swap: float(swap["gap"]))
        return swaps[: self.settings.n_best]

    def _find(self, tokens: Tokens, templates: List[Template], settings: TemplateSettings) -> List[Swap]:
        return SentenceSwapper(tokens, settings.proper_tags).find(templates, self.lm, self.settings, self.rescorer)


def _within(slots: List[Slot], start: int, end: int) -> List[Slot]:
    """The slots of one sentence, counted from its start. A slot across its border stays where it is."""
    inside: List[Slot] = []
    for slot in slots:
        first, last = max(slot.start, start), min(slot.end, end)
        if first < last:
            whole = last - first == slot.end - slot.start
            inside.append(Slot(first - start, last - start, slot.tag, slot.fixed or not whole))
    return inside


def _of_text(swap: Swap, text: str, start: int, end: int, after: int) -> Swap:
    """A swap of one sentence as a swap of the whole text.

    start (int), end (int): Where the sentence stands.
    after (int): How much white space after it came along.
    """
    new = str(swap["text"])
    shifted = {**swap, "text": text[:start] + new[: len(new) - after] + text[end:], "sentence": [start, end]}
    shifted["moved"] = [
        {**span, **{key: [offset + start for offset in span[key]] for key in ("source", "target")}}
        for span in swap["moved"]
    ]
    if "articles" in swap:
        shifted["articles"] = [{**one, "start": one["start"] + start} for one in swap["articles"]]
    return shifted
