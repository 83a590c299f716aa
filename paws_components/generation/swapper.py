"""Word swapping from Docs to swaps: templates, and a search in each sentence."""

import warnings
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from spacy.language import Language
from spacy.tokens import Doc

from ..engine.timing import timed
from ..errors import Errors, PawsError, Warnings
from ..lm.protocol import LanguageModel
from .entities import confident_entities
from .judging import Judge, Question, ask_judge
from .swap import Proposals, SentenceSwapper, Swap, SwapSettings
from .template import (
    BUILDERS,
    Slot,
    Template,
    TemplateSettings,
    check_templates,
    entity_template,
    labelled_entities,
    require_tags,
    worthwhile,
)
from .tokens import Tokens


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
        with timed("entities"):
            entities = confident_entities(docs, self.settings, recogniser, self.ner_beam_width)
        return [entity_template(tokens, self.settings, found) for tokens, found in zip(sources, entities)]


class WordSwapper:
    """Finds sentences with the same words as those of a Doc, in another order, that a language model finds as natural.

    lm (LanguageModel): Scores the sentences.
    rescorer (Optional[LanguageModel]): Ranks what the first one proposes, and decides about the threshold.
    templates (Sequence[str]): How sentences are cut.
    settings (SwapSettings): What is searched for and kept.
    max_tokens (int): A longer sentence is not searched.
    judge (Optional[Judge]): Decides in the language model's place which proposals are kept.
    """

    def __init__(
        self,
        lm: LanguageModel,
        settings: SwapSettings,
        *,
        templates: Sequence[str],
        max_tokens: int,
        rescorer: Optional[LanguageModel] = None,
        judge: Optional[Judge] = None,
    ) -> None:
        check_templates(templates)
        if max_tokens < 2:
            raise PawsError(Errors.P015.format(name="max_tokens", what="at least 2", value=max_tokens))
        self.lm = lm
        self.rescorer = rescorer
        self.templates = list(templates)
        self.settings = settings
        self.max_tokens = max_tokens
        self.judge = judge

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
        known = list(stored) or [None] * len(sources)
        # Asking the recogniser how sure it is costs half as much as the whole pipeline. What a judge keeps is little:
        # it is asked about that alone. Without a judge, only where an entity could move as no other template moves it.
        late = self.judge is not None
        with timed("search"):
            templates = self.make_templates(sources, maker, known, ask=not late)
            swaps = self.search(sources, templates, maker.settings)
        if late:
            swaps = self._confirm(sources, swaps, known, maker)
        return [found[: self.settings.n_best] for found in swaps]

    def make_templates(
        self,
        sources: Sequence[Tokens],
        maker: TemplateMaker,
        stored: Sequence[Optional[List[Slot]]] = (),
        ask: bool = True,
    ) -> List[List[Template]]:
        """For each Doc the templates that are worth a search.

        ask (bool): Ask the recogniser how sure it is of the entities; else all are slots.
        """
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
            if ask and known[i] is None and any(template.kind == "entities" for template in made[i]):
                unsure.append(i)
        for i, slots in zip(unsure, maker([sources[i] for i in unsure])):
            sure = Template("entities", slots, sources[i].words)
            made[i] = worthwhile([sure if template.kind == "entities" else template for template in made[i]])
        return made

    def search(
        self, sources: Sequence[Tokens], templates: Sequence[List[Template]], settings: TemplateSettings
    ) -> List[List[Swap]]:
        """All swaps of each Doc, best first. Words trade places within a sentence, never between two."""
        parts = [list(self._parts(*source, settings)) for source in zip(sources, templates)]
        found = iter(self._choose([part.proposals for doc_parts in parts for part in doc_parts]))
        swaps = []
        for doc_parts in parts:
            of_doc = [part.of_text(swap) for part in doc_parts for swap in next(found)]
            of_doc.sort(key=_best_first)
            swaps.append(of_doc)
        return swaps

    def _confirm(
        self,
        sources: Sequence[Tokens],
        swaps: List[List[Swap]],
        stored: Sequence[Optional[List[Slot]]],
        maker: TemplateMaker,
    ) -> List[List[Swap]]:
        """Leave out swaps that move an entity which the recogniser is not sure of, if no other template moves it."""
        others: Dict[int, Set[Tuple[int, int]]] = {}
        for i, (tokens, found) in enumerate(zip(sources, swaps)):
            if found and stored[i] is None:
                entities = _bounds(tokens.doc, labelled_entities(tokens.doc, maker.settings))
                kinds = [kind for kind in self.templates if kind != "entities"]
                slots = [slot for kind in kinds for slot in BUILDERS[kind](tokens, maker.settings) if not slot.fixed]
                elsewhere = _bounds(tokens.doc, slots)
                if any(_sources(swap) & entities - elsewhere for swap in found):
                    others[i] = elsewhere
        confirmed = list(swaps)
        for i, slots in zip(others, maker([sources[i] for i in others])):
            movable = others[i] | _bounds(sources[i].doc, [slot for slot in slots if not slot.fixed])
            confirmed[i] = [swap for swap in swaps[i] if _sources(swap) <= movable]
        return confirmed

    def questions(
        self, sources: Sequence[Tokens], templates: Sequence[List[Template]], settings: TemplateSettings, most: int
    ) -> List[Question]:
        """What a judge would be asked about some Docs: the best proposals for each sentence that has any."""
        parts = [part for source in zip(sources, templates) for part in self._parts(*source, settings)]
        found = [part.proposals.question(most) for part in parts]
        return [question for question in found if question.proposals]

    def _parts(self, tokens: Tokens, templates: List[Template], settings: TemplateSettings) -> Iterator["_Part"]:
        """The sentences of a Doc that have something to trade, with what is proposed for them."""
        for start, end in tokens.sentences:
            if end - start > self.max_tokens:
                warnings.warn(Warnings.W001.format(length=end - start, limit=self.max_tokens), stacklevel=2)
            elif len(tokens.sentences) == 1:
                if templates:
                    yield _Part(self._propose(tokens, templates, settings), tokens.text, 0, len(tokens.text), 0)
            else:
                inside = [(template.kind, _within(template.slots, start, end)) for template in templates]
                words = tokens.words[start:end]
                wanted = worthwhile([Template(kind, slots, words) for kind, slots in inside])
                if wanted:
                    span = tokens.doc[start:end]
                    proposals = self._propose(Tokens(span.as_doc(), settings.attr), wanted, settings)
                    after = len(tokens.spaces[end - 1])
                    yield _Part(proposals, tokens.text, span.start_char, span.end_char, after)

    def _propose(self, tokens: Tokens, templates: List[Template], settings: TemplateSettings) -> Proposals:
        max_loss = self.settings.threshold
        if self.judge is not None:
            max_loss = getattr(self.judge, "max_gap", None)
        elif self.rescorer is not None:
            max_loss = None  # it decides about the threshold, so the proposer must not
        return SentenceSwapper(tokens, settings.proper_tags).propose(templates, self.lm, self.settings, max_loss)

    def _choose(self, proposals: List[Proposals]) -> List[List[Swap]]:
        """What comes out of the proposals for each sentence, by whoever decides."""
        if self.judge is None:
            if self.rescorer is None:
                return [found.best(self.settings) for found in proposals]
            return [found.rescored(self.rescorer, self.settings) for found in proposals]
        most = min(getattr(self.judge, "most", self.settings.beam_width), self.settings.beam_width)
        bar = self.settings.naturalness
        bar = getattr(self.judge, "keeps", 0.5) if bar is None else bar
        questions = [found.question(most) for found in proposals]
        asked = [i for i, question in enumerate(questions) if question.proposals]
        swaps: List[List[Swap]] = [[] for _ in proposals]
        with timed("judge"):
            answers = ask_judge(self.judge, [questions[i] for i in asked])
        for i, answer in zip(asked, answers):
            swaps[i] = proposals[i].judged(answer, bar, self.settings)
        return swaps


def _bounds(doc: Doc, spans: Iterable[Tuple[Any, ...]]) -> Set[Tuple[int, int]]:
    """Where slots or entities begin and end in the text."""
    return {(doc[start].idx, doc[end - 1].idx + len(doc[end - 1])) for start, end, *_ in spans}


def _sources(swap: Swap) -> Set[Tuple[int, int]]:
    """Where in the text stood what a swap moves."""
    return {(span["source"][0], span["source"][1]) for span in swap["moved"]}


def _best_first(swap: Swap) -> Tuple[float, float]:
    return -swap.get("naturalness", 0.0), swap["gap"]


class _Part(NamedTuple):
    """What is proposed for a sentence of a text, and where the sentence stands.

    after (int): How much white space after it came along.
    """

    proposals: Proposals
    text: str
    start: int
    end: int
    after: int

    def of_text(self, swap: Swap) -> Swap:
        """A swap of the sentence as a swap of the whole text."""
        start, new = self.start, str(swap["text"])
        new = self.text[:start] + new[: len(new) - self.after] + self.text[self.end :]
        shifted = {**swap, "text": new, "sentence": [start, self.end]}
        shifted["moved"] = [
            {**span, **{key: [offset + start for offset in span[key]] for key in ("source", "target")}}
            for span in swap["moved"]
        ]
        if "articles" in swap:
            shifted["articles"] = [{**one, "start": one["start"] + start} for one in swap["articles"]]
        return shifted


def _within(slots: List[Slot], start: int, end: int) -> List[Slot]:
    """The slots of one sentence, counted from its start. A slot across its border stays where it is."""
    inside: List[Slot] = []
    for slot in slots:
        first, last = max(slot.start, start), min(slot.end, end)
        if first < last:
            whole = last - first == slot.end - slot.start
            inside.append(Slot(first - start, last - start, slot.tag, slot.fixed or not whole))
    return inside
