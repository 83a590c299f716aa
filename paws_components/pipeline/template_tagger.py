from typing import Dict, Iterable, List

from spacy.language import Language
from spacy.tokens import Doc

from ..extensions import TEMPLATE, install
from ..generation.entities import confident_entities
from ..generation.template import (
    ENTITY_LABELS,
    FIXED_TAGS,
    LINK_TAGS,
    PROPER_TAGS,
    Slot,
    TemplateSettings,
    entity_template,
    require_tags,
)
from ..generation.tokens import Tokens
from .base import BatchPipe

DEFAULT_CONFIG = {
    "attr": "tag_",
    "entity_labels": ENTITY_LABELS,
    "entity_threshold": 0.95,
    "ner": "ner",
    "ner_beam_width": 4,
    "fixed_tags": FIXED_TAGS,
    "proper_tags": PROPER_TAGS,
    "link_tags": LINK_TAGS,
}


@Language.factory("paws_template_tagger", assigns=["doc._.paws_template"], default_config=DEFAULT_CONFIG)
def make_template_tagger(
    nlp: Language,
    name: str,
    attr: str,
    entity_labels: Dict[str, str],
    entity_threshold: float,
    ner: str,
    ner_beam_width: int,
    fixed_tags: List[str],
    proper_tags: List[str],
    link_tags: List[str],
):
    """Cut each Doc into slots (PAWS, section 3.1): `doc._.paws_template`.

    attr (str): The token attribute that gives the tags, `tag_` or `pos_`.
    entity_labels (Dict[str, str]): The entity labels that make slots, and the tag each trades under.
    entity_threshold (float): How probable an entity must be to count, by the beam of the recogniser; 0 takes all.
    ner (str): The name of the entity recogniser in the pipeline.
    ner_beam_width (int): The width of its beam.
    fixed_tags (List[str]): The tags whose words stay where they are; each also stands for itself with a dollar sign.
    proper_tags (List[str]): The tags of proper nouns.
    link_tags (List[str]): The tags of words that link a phrase together.
    """
    settings = TemplateSettings(
        attr,
        entity_labels,
        entity_threshold,
        frozenset(["$", *fixed_tags, *(tag + "$" for tag in fixed_tags)]),
        frozenset(proper_tags),
        frozenset(link_tags),
    )
    return TemplateTagger(nlp, name, settings=settings, ner=ner, ner_beam_width=ner_beam_width)


class TemplateTagger(BatchPipe):
    """Cuts Docs into the slots that word swapping fills."""

    def __init__(
        self,
        nlp: Language,
        name: str = "paws_template_tagger",
        *,
        settings: TemplateSettings,
        ner: str = "ner",
        ner_beam_width: int = 4,
    ) -> None:
        install()
        self.nlp = nlp
        self.name = name
        self.settings = settings
        self.ner = ner
        self.ner_beam_width = ner_beam_width

    def predict(self, docs: List[Doc]) -> List[List[Slot]]:
        """The template of each Doc; the Docs stay as they are."""
        return self.cut([Tokens(doc, self.settings.attr) for doc in docs])

    def cut(self, sources: List[Tokens]) -> List[List[Slot]]:
        """The template of each of the Docs that were read already."""
        for tokens in sources:
            require_tags(tokens, self.settings, self.name)
        recogniser = self.nlp.get_pipe(self.ner) if self.ner in self.nlp.pipe_names else None
        docs = [tokens.doc for tokens in sources]
        entities = confident_entities(docs, self.settings, recogniser, self.ner_beam_width)
        return [entity_template(tokens, self.settings, found) for tokens, found in zip(sources, entities)]

    def set_annotations(self, docs: Iterable[Doc], templates: Iterable[List[Slot]]) -> None:
        """Write the templates to the Docs, as plain data."""
        for doc, slots in zip(docs, templates):
            doc._.set(TEMPLATE, [slot._asdict() for slot in slots])
