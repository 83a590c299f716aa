"""Templates: a Doc cut into slots, each with the tag that says which other slots it may trade places with."""

from dataclasses import dataclass
from typing import Callable, Collection, Dict, FrozenSet, List, NamedTuple, Optional, Tuple

from spacy.tokens import Doc

from ..errors import Errors, PawsError
from .tokens import Tokens


class Slot(NamedTuple):
    """A stretch of tokens that trades places with others of its tag, or stays where it is."""

    start: int
    end: int
    tag: str
    fixed: bool


# PAWS swaps persons, organisations and places. Places of every kind trade with each other.
ENTITY_LABELS = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "ORG": "ORG",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
    "FAC": "LOCATION",
    # Of spaCy's Korean pipelines.
    "PS": "PERSON",
    "OG": "ORG",
    "LC": "LOCATION",
    # Of GiNZA's.
    "Person": "PERSON",
    "City": "LOCATION",
    "Province": "LOCATION",
    "Country": "LOCATION",
    "Company": "ORG",
    "School": "ORG",
}

# What stays where it is. The released swaps of PAWS-QQP's training part decided: hardly one of them moves punctuation,
# function words, numbers or common nouns, and with these fixed far more of the others come out best, since the language
# model is freed from the swaps that people never chose. Penn tags, then universal ones.
# `PRP` stands for `PRP$` too: a dollar sign does not survive the saving of a spaCy config.
FIXED_TAGS = (
    "CC CD DT EX IN LS MD NN NNS PDT POS PRP RP SYM TO UH WDT WP WRB ADD AFX HYPH NFP XX _SP "
    ". , : `` '' -LRB- -RRB- # "
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
    fixed_tags: FrozenSet[str]
    proper_tags: FrozenSet[str]
    link_tags: FrozenSet[str]
    strict_entities: bool = False


def template_settings(
    attr: str,
    entity_labels: Dict[str, str],
    entity_threshold: float,
    fixed_tags: Collection[str],
    proper_tags: Collection[str],
    link_tags: Collection[str],
    strict_entities: bool = False,
) -> TemplateSettings:
    """The settings from what a config holds: see `paws_template_tagger`."""
    fixed = frozenset(["$", *fixed_tags, *(tag + "$" for tag in fixed_tags)])
    proper, link = frozenset(proper_tags), frozenset(link_tags)
    return TemplateSettings(attr, entity_labels, entity_threshold, fixed, proper, link, strict_entities)


# An entity as it goes into a template: start, end and the label that it trades under.
Entity = Tuple[int, int, str]
# Answers for a position: the end and the tag of the slot that starts there, or None where the token is the slot.
Cut = Callable[[int], Optional[Tuple[int, str]]]


def labelled_entities(doc: Doc, settings: TemplateSettings) -> List[Entity]:
    """The Doc's entities that the settings give a label to trade under."""
    labels = settings.entity_labels
    return [(ent.start, ent.end, labels[ent.label_]) for ent in doc.ents if ent.label_ in labels]


def require_tags(tokens: Tokens, settings: TemplateSettings, name: str) -> None:
    """Raise the error that names what is missing if the pipeline gave the Doc no tags."""
    if len(tokens) and not any(tokens.tags):
        raise PawsError(Errors.P001.format(attr=settings.attr, name=name, lang=tokens.doc.lang_ or "en"))


def entity_template(tokens: Tokens, settings: TemplateSettings, entities: Optional[List[Entity]] = None) -> List[Slot]:
    """The paper's template: each of the entities (by default, all) is one slot, every other token is one by its tag."""
    if entities is None:
        entities = labelled_entities(tokens.doc, settings)
    starts = {start: (end, label) for start, end, label in entities}
    return _slots(tokens, settings, starts.get)


def name_template(tokens: Tokens, settings: TemplateSettings) -> List[Slot]:
    """Runs of proper nouns are slots, so that names trade places whatever the entity recogniser made of them."""
    proper = settings.proper_tags

    def cut(i: int) -> Optional[Tuple[int, str]]:
        return (_run(tokens, i, proper, frozenset()), PROPER) if tokens.tags[i] in proper else None

    return _slots(tokens, settings, cut)


def phrase_template(tokens: Tokens, settings: TemplateSettings) -> List[Slot]:
    """Runs of one tag, linked by conjunctions and commas, are slots: "Indian and other foreign" trades with "local"."""

    def cut(i: int) -> Optional[Tuple[int, str]]:
        tag = tokens.tags[i]
        if tag in settings.fixed_tags:
            return None
        kin, name = (settings.proper_tags, PROPER) if tag in settings.proper_tags else KIN.get(tag, ((tag,), tag))
        return _run(tokens, i, kin, settings.link_tags), name

    return _slots(tokens, settings, cut)


# The tag under which runs of proper nouns trade.
PROPER = "NAME"
# Adjectives of any degree make one phrase together.
KIN: Dict[str, Tuple[Collection[str], str]] = {tag: (("JJ", "JJR", "JJS"), "JJ") for tag in ("JJ", "JJR", "JJS")}


def _run(tokens: Tokens, start: int, kin: Collection[str], links: Collection[str]) -> int:
    """The end of the longest run of kindred tags that begins at start, stepping over at most two links in a row."""
    tags, spaces, size = tokens.tags, tokens.spaces, len(tokens.tags)
    end = start + 1
    while end < size:
        ahead = end
        while ahead < size and ahead - end < 2 and tags[ahead] in links:
            ahead += 1
        # A word that is glued to its neighbour belongs to that word, not to the run.
        glued = ahead == end and not spaces[end - 1]
        if ahead == size or glued or tags[ahead] not in kin:
            break
        end = ahead + 1
    return end


def _slots(tokens: Tokens, settings: TemplateSettings, cut: Cut) -> List[Slot]:
    """Walk the tokens left to right and cut them into slots."""
    tags, tied, frozen, fixed_tags = tokens.tags, tokens.tied, tokens.frozen, settings.fixed_tags
    slots: List[Slot] = []
    i, size = 0, len(tags)
    while i < size:
        end, tag = cut(i) or (i + 1, tags[i])
        if end - 1 in tied:  # a compound: never cut in two, and tagged by its last word
            while end - 1 in tied:
                end += 1
            tag = (cut(end - 1) or (end, tags[end - 1]))[1]
        fixed = not tag or tag in fixed_tags or (bool(frozen) and not frozen.isdisjoint(range(i, end)))
        slots.append(Slot(i, end, tag, fixed))
        i = end
    return slots


BUILDERS: Dict[str, Callable[[Tokens, TemplateSettings], List[Slot]]] = {
    "entities": entity_template,
    "names": name_template,
    "phrases": phrase_template,
}


def check_templates(names: Collection[str]) -> None:
    """Raise the error that lists the known templates if a name is not among them."""
    for name in names:
        if name not in BUILDERS:
            raise PawsError(Errors.P014.format(name=name, known=", ".join(BUILDERS)))


class Template:
    """A Doc cut in one way: its slots, and what of them can move at all."""

    __slots__ = ("kind", "slots", "groups")

    def __init__(self, kind: str, slots: List[Slot], words: List[str]) -> None:
        self.kind = kind
        self.slots = slots
        fillers: Dict[str, Dict[Tuple[int, int], List[str]]] = {}
        for start, end, tag, fixed in slots:
            if not fixed:
                fillers.setdefault(tag, {})[start, end] = words[start:end]
        # For each tag with at least two different fillers, the bounds of its slots.
        self.groups = [
            set(members)
            for members in fillers.values()
            if len(members) > 1 and any(filler != words[slice(*next(iter(members)))] for filler in members.values())
        ]

    def covered_by(self, other: "Template") -> bool:
        """Whether the other template can make every arrangement that this one can."""
        return all(any(group <= larger for larger in other.groups) for group in self.groups)


def worthwhile(templates: List[Template]) -> List[Template]:
    """Leave out the templates that another one covers; of two that cover each other the later one stays."""
    kept: List[Template] = []
    for i, template in enumerate(templates):
        if not any(template.covered_by(other) for other in kept + templates[i + 1 :]):
            kept.append(template)
    return [template for template in kept if template.groups]
