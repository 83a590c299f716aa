"""Templates: a Doc cut into slots, each with the tag that says which other slots it may trade places with."""

from dataclasses import dataclass
from typing import Callable, Collection, Dict, List, Optional, Tuple

from spacy.tokens import Doc, Token

from ..errors import Errors, PawsError
from .surface import fixed_by_spelling

# A slot is plain data, so that it can live in an extension: {"start", "end", "tag", "fixed"}.
Slot = Dict[str, object]

# PAWS swaps persons, organisations and places. Places of every kind trade with each other.
ENTITY_LABELS = {"PERSON": "PERSON", "PER": "PERSON", "ORG": "ORG", "GPE": "LOCATION", "LOC": "LOCATION", "FAC": "LOCATION"}

# What stays where it is. The released swaps of PAWS-QQP's training part decided: fixing punctuation, function words,
# numbers and common nouns costs 1 % of the swaps that can be reached and lifts the best guess from 0.31 to 0.50 of
# them, since the language model is freed from the swaps that people never chose. Penn tags, then universal ones.
FIXED_TAGS = (
    "CC CD DT EX IN LS MD NN NNS PDT POS PRP PRP$ RP SYM TO UH WDT WP WP$ WRB ADD AFX HYPH NFP XX _SP "
    ". , : `` '' -LRB- -RRB- $ # "
    "ADP AUX CCONJ DET INTJ NOUN NUM PART PRON PUNCT SCONJ SPACE X"
).split()
PROPER_TAGS = ["NNP", "NNPS", "PROPN"]
LINK_TAGS = ["CC", "CCONJ", ","]


@dataclass(frozen=True)
class TemplateSettings:
    """What a template is made from; the fields are the config of `paws_template_tagger`."""

    attr: str
    entity_labels: Dict[str, str]
    entity_threshold: float
    fixed_tags: Collection[str]
    proper_tags: Collection[str]
    link_tags: Collection[str]

    def tag(self, token: Token) -> str:
        return str(getattr(token, self.attr))

    @classmethod
    def default(cls) -> "TemplateSettings":
        return cls("tag_", dict(ENTITY_LABELS), 0.95, list(FIXED_TAGS), list(PROPER_TAGS), list(LINK_TAGS))


def require_tags(doc: Doc, settings: TemplateSettings, name: str) -> None:
    """Raise the error that names what is missing if the pipeline gave the Doc no tags."""
    if len(doc) and not any(settings.tag(token) for token in doc):
        raise PawsError(Errors.P001.format(attr=settings.attr, name=name))


# An entity as it goes into a template: start, end and the label that it trades under.
Entity = Tuple[int, int, str]


def entity_template(doc: Doc, settings: TemplateSettings, entities: List[Entity]) -> List[Slot]:
    """The paper's template: each of the entities is one slot, every other token is one by its tag."""
    starts = {start: (end, label) for start, end, label in entities}

    def cut(i: int) -> Optional[Tuple[int, str]]:
        return starts.get(i)

    return _slots(doc, settings, cut)


def name_template(doc: Doc, settings: TemplateSettings) -> List[Slot]:
    """Runs of proper nouns are slots, so that names trade places whatever the entity recogniser made of them."""
    proper = settings.proper_tags

    def cut(i: int) -> Optional[Tuple[int, str]]:
        end = _run(doc, i, lambda token: settings.tag(token) in proper, ())
        return (end, _name_tag(settings)) if end > i else None

    return _slots(doc, settings, cut)


def phrase_template(doc: Doc, settings: TemplateSettings) -> List[Slot]:
    """Runs of one tag, linked by conjunctions and commas, are slots: "Indian and other foreign" trades with "local"."""

    def cut(i: int) -> Optional[Tuple[int, str]]:
        tag = _class(settings, settings.tag(doc[i]))
        if tag in settings.fixed_tags:
            return None
        end = _run(doc, i, lambda token: _class(settings, settings.tag(token)) == tag, settings.link_tags)
        return (end, tag) if end > i else None

    return _slots(doc, settings, cut)


def _name_tag(settings: TemplateSettings) -> str:
    return next(iter(settings.proper_tags), "PROPN")


def _class(settings: TemplateSettings, tag: str) -> str:
    """The tags that make one kind of phrase together: proper nouns of either number, adjectives of any degree."""
    if tag in settings.proper_tags:
        return _name_tag(settings)
    return "JJ" if tag in ("JJR", "JJS") else tag


def _run(doc: Doc, start: int, inside: Callable[[Token], bool], links: Collection[str]) -> int:
    """The end of the longest run of inside tokens that begins at start, stepping over at most two links in a row."""
    if not inside(doc[start]):
        return start
    end = start + 1
    while end < len(doc):
        ahead = end
        while ahead < len(doc) and ahead - end < 2 and (doc[ahead].tag_ in links or doc[ahead].pos_ in links):
            ahead += 1
        # A word that is glued to its neighbour belongs to that word, not to the run.
        glued = ahead == end and not doc[end - 1].whitespace_
        if ahead == len(doc) or glued or not inside(doc[ahead]):
            break
        end = ahead + 1
    return end


def _slots(doc: Doc, settings: TemplateSettings, cut: Callable[[int], Optional[Tuple[int, str]]]) -> List[Slot]:
    """Walk the Doc left to right; where cut answers with an end and a tag, that is the slot, else the token is."""
    frozen, compounds = fixed_by_spelling(doc)
    fixed_tags = settings.fixed_tags
    slots: List[Slot] = []
    i = 0
    while i < len(doc):
        found = cut(i)
        if found is not None:
            end, tag = found
        else:
            end = compounds.get(i, i + 1)
            tag = settings.tag(doc[end - 1])
        fixed = not tag or tag in fixed_tags or any(j in frozen for j in range(i, end))
        slots.append({"start": i, "end": end, "tag": tag, "fixed": fixed})
        i = end
    return slots


TEMPLATES = ("entities", "names", "phrases")


def check_templates(names: List[str]) -> None:
    """Raise the error that lists the known templates if a name is not among them."""
    for name in names:
        if name not in TEMPLATES:
            raise PawsError(Errors.P014.format(name=name, known=", ".join(TEMPLATES)))
