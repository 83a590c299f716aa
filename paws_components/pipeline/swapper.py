import warnings
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc

from ..errors import Errors, PawsError, Warnings
from ..extensions import SWAPS, TEMPLATE, install
from ..generation.swap import Swapper, SwapSettings
from ..generation.template import (
    Slot,
    TemplateSettings,
    check_templates,
    name_template,
    phrase_template,
    require_tags,
)
from ..lm.embedded import embedded_lm
from ..lm.protocol import LanguageModel
from .batching import pipe_batches
from .template_tagger import TemplateTagger

DEFAULT_CONFIG = {
    "lm": None,
    "rescorer": None,
    "templates": ["entities", "names", "phrases"],
    "n_best": 1,
    "beam_width": 100,
    "threshold": 3.0,
    "max_tokens": 150,
    "keep_list_permutations": False,
    "fix_articles": False,
}


@Language.factory(
    "paws_swapper", requires=["token.tag"], assigns=["doc._.paws_swaps"], default_config=DEFAULT_CONFIG
)
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
    n_best (int): How many swaps a Doc gets at most.
    beam_width (int): How many hypotheses stay after each slot, and how many candidates all templates yield together.
    threshold (Optional[float]): How many nats a swap may score under its source (t in the paper); None keeps all.
    max_tokens (int): A longer Doc is searched sentence by sentence.
    keep_list_permutations (bool): Keep "B and A" for "A and B".
    fix_articles (bool): Make English a/an agree after a swap; the swap says where under "articles".
    """
    return PawsSwapper(
        nlp,
        name,
        lm=lm if lm is not None else embedded_lm(nlp.lang),
        rescorer=rescorer,
        templates=templates,
        settings=SwapSettings(n_best, beam_width, threshold, keep_list_permutations, fix_articles),
        max_tokens=max_tokens,
    )


class PawsSwapper(Pipe):
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
        for key, value, least in (
            ("n_best", settings.n_best, 1),
            ("beam_width", settings.beam_width, 1),
            ("max_tokens", max_tokens, 2),
        ):
            if value < least:
                raise PawsError(Errors.P015.format(name=key, what=f"at least {least}", value=value))
        self.nlp = nlp
        self.name = name
        self.lm = lm
        self.rescorer = rescorer
        self.templates = list(templates)
        self.settings = settings
        self.max_tokens = max_tokens

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one Doc."""
        error_handler = self.get_error_handler()
        try:
            self.annotate([doc])
        except Exception as error:
            error_handler(self.name, self, [doc], error)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate a stream of Docs."""
        yield from pipe_batches(stream, batch_size, self.annotate, self.name, self, self.get_error_handler())

    def annotate(self, docs: List[Doc]) -> None:
        self.set_annotations(docs, self.predict(docs))

    def predict(self, docs: List[Doc]) -> List[List[Dict[str, object]]]:
        """The swaps of each Doc; the Docs stay as they are."""
        return [self._search(doc, templates) for doc, templates in zip(docs, self.make_templates(docs))]

    def set_annotations(self, docs: Iterable[Doc], swaps: Iterable[List[Dict[str, object]]]) -> None:
        """Write the swaps to the Docs."""
        for doc, found in zip(docs, swaps):
            doc._.set(SWAPS, found)

    @property
    def tagger(self) -> TemplateTagger:
        """The pipeline's own `paws_template_tagger` where it has one, else one with default settings."""
        for _, component in self.nlp.pipeline:
            if isinstance(component, TemplateTagger):
                return component
        return TemplateTagger(self.nlp, settings=TemplateSettings.default())

    def make_templates(self, docs: List[Doc]) -> List[List[Tuple[str, List[Slot]]]]:
        """For each Doc its templates with their names, in the order of the config."""
        tagger = self.tagger
        settings = tagger.settings
        for doc in docs:
            require_tags(doc, settings, self.name)
        by_entity: List[Optional[List[Slot]]] = [None] * len(docs)
        if "entities" in self.templates:
            by_entity = [doc._.get(TEMPLATE) for doc in docs]
            missing = [i for i, slots in enumerate(by_entity) if slots is None]
            for i, slots in zip(missing, tagger.predict([docs[i] for i in missing])):
                by_entity[i] = slots
        result = []
        for doc, entity_slots in zip(docs, by_entity):
            made: List[Tuple[str, List[Slot]]] = []
            for kind in self.templates:
                if kind == "entities":
                    # DocBin may have made tuples of the lists, and the dicts are our own plain data.
                    made.append((kind, [dict(slot) for slot in entity_slots or ()]))
                else:
                    build = name_template if kind == "names" else phrase_template
                    made.append((kind, build(doc, settings)))
            result.append(made)
        return result

    def _search(self, doc: Doc, templates: List[Tuple[str, List[Slot]]]) -> List[Dict[str, object]]:
        if len(doc) > self.max_tokens:
            return self._search_sentences(doc, templates)
        return Swapper(doc, self.tagger.settings).find(templates, self.lm, self.settings, self.rescorer)

    def _search_sentences(self, doc: Doc, templates: List[Tuple[str, List[Slot]]]) -> List[Dict[str, object]]:
        """A long Doc: the best swaps among those within its sentences, told in terms of the whole Doc."""
        if not doc.has_annotation("SENT_START"):
            warnings.warn(Warnings.W001.format(length=len(doc), limit=self.max_tokens), stacklevel=2)
            return []
        swaps: List[Dict[str, object]] = []
        for sent in doc.sents:
            if len(sent) > self.max_tokens:
                continue
            parts = [(kind, _within(slots, sent.start, sent.end)) for kind, slots in templates]
            searcher = Swapper(sent.as_doc(), self.tagger.settings)
            for swap in searcher.find(parts, self.lm, self.settings, self.rescorer):
                swaps.append(_shifted(swap, doc.text, sent.start_char, sent.end_char))
        swaps.sort(key=lambda swap: swap["gap"])  # type: ignore[arg-type, return-value]
        return swaps[: self.settings.n_best]

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        return b""  # all of it is config

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "PawsSwapper":
        return self

    def to_disk(self, path: object, *, exclude: Iterable[str] = ()) -> None:
        pass

    def from_disk(self, path: object, *, exclude: Iterable[str] = ()) -> "PawsSwapper":
        return self


def _within(slots: List[Slot], start: int, end: int) -> List[Slot]:
    """The slots of one sentence, counted from its start. A slot across its border stays out of the search."""
    inside: List[Slot] = []
    for slot in slots:
        first, last = max(int(str(slot["start"])), start), min(int(str(slot["end"])), end)
        if first < last:
            whole = last - first == int(str(slot["end"])) - int(str(slot["start"]))
            inside.append({**slot, "start": first - start, "end": last - start, "fixed": slot["fixed"] or not whole})
    return inside


def _shifted(swap: Dict[str, object], text: str, start: int, end: int) -> Dict[str, object]:
    """A swap of one sentence as a swap of the whole text."""
    moved = [
        {**span, **{key: [offset + start for offset in span[key]] for key in ("source", "target")}}
        for span in swap["moved"]  # type: ignore[attr-defined]
    ]
    return {**swap, "text": text[:start] + str(swap["text"]).rstrip() + text[end:], "moved": moved}
