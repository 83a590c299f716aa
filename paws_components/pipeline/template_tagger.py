from typing import Any, Dict, Iterable, List, Optional

from spacy.language import Language
from spacy.tokens import Doc

from ..extensions import TEMPLATE, install
from ..generation.swapper import TemplateMaker
from ..generation.template import Slot, template_settings
from ..generation.tokens import Tokens
from ..generation.word_swap import TEMPLATE_DEFAULTS
from ..lang import rules_of
from .base import BatchPipe

DEFAULT_CONFIG: Dict[str, Any] = TEMPLATE_DEFAULTS


@Language.factory("paws_template_tagger", assigns=["doc._.paws_template"], default_config=DEFAULT_CONFIG)
def make_template_tagger(
    nlp: Language,
    name: str,
    attr: Optional[str],
    entity_labels: Dict[str, str],
    entity_threshold: float,
    strict_entities: bool,
    ner: str,
    ner_beam_width: int,
    fixed_tags: List[str],
    proper_tags: List[str],
    link_tags: List[str],
) -> "TemplateTagger":
    """Cut each Doc into slots (PAWS, section 3.1): `doc._.paws_template`.

    attr (Optional[str]): The token attribute that gives the tags, `tag_` or `pos_`; None takes that of the language:
        `tag_` in English, `pos_` in others.
    entity_labels (Dict[str, str]): The entity labels that make slots, and the tag each trades under.
    entity_threshold (float): How probable an entity must be to count, by the beam of the recogniser; 0 takes all.
    strict_entities (bool): Ask about every entity, also where no other has its label and it cannot move whole. Then no
        entity under the threshold is a slot; its words are slots by their tags.
    ner (str): The name of the entity recogniser in the pipeline.
    ner_beam_width (int): The width of its beam.
    fixed_tags (List[str]): The tags whose words stay where they are; each also stands for itself with a dollar sign.
    proper_tags (List[str]): The tags of proper nouns.
    link_tags (List[str]): The tags of words that link a phrase together.
    """
    settings = template_settings(
        attr or rules_of(nlp.lang or "").attr,
        entity_labels,
        entity_threshold,
        fixed_tags,
        proper_tags,
        link_tags,
        strict_entities,
    )
    return TemplateTagger(name, TemplateMaker(nlp, name, settings, ner=ner, ner_beam_width=ner_beam_width))


class TemplateTagger(BatchPipe):
    """Cuts Docs into the slots that word swapping fills.

    name (str): The name of the component.
    maker (TemplateMaker): Makes the templates.
    """

    def __init__(self, name: str, maker: TemplateMaker) -> None:
        install()
        self.name = name
        self.maker = maker

    def predict(self, docs: List[Doc]) -> List[List[Slot]]:
        """The template of each Doc; the Docs stay as they are."""
        return self.maker([Tokens(doc, self.maker.settings.attr) for doc in docs])

    def set_annotations(self, docs: Iterable[Doc], templates: Iterable[List[Slot]]) -> None:
        """Write the templates to the Docs, as plain data."""
        for doc, slots in zip(docs, templates):
            doc._.set(TEMPLATE, [slot._asdict() for slot in slots])
