"""Which named entities are sure enough to be slots, by the probabilities of the entity recogniser's own beam."""

from typing import Any, Dict, List, Sequence, Set

from spacy.tokens import Doc

from .template import Entity, TemplateSettings, labelled_entities

# Hypotheses this much less likely than the best one are dropped from the recogniser's beam: it is then little dearer
# than the greedy parse, and what it drops could hardly change a probability near the threshold.
BEAM_DENSITY = 0.001


def could_swap(doc: Doc, entities: Sequence[Entity]) -> bool:
    """Whether two different entities share a label. A lone one cannot move, so nobody need ask how sure it is."""
    names: Dict[str, Set[str]] = {}
    for start, end, label in entities:
        names.setdefault(label, set()).add(doc[start:end].text)
    return any(len(texts) > 1 for texts in names.values())


def confident_entities(
    docs: Sequence[Doc], settings: TemplateSettings, ner: Any, beam_width: int
) -> List[List[Entity]]:
    """For each Doc the entities that count: those whose probability in the recogniser's beam reaches the threshold.

    docs (Sequence[Doc]): Docs with entities.
    settings (TemplateSettings): The labels that count and the threshold.
    ner (Optional[Pipe]): The entity recogniser. Without one that has a beam all entities count, since whatever set
        them (an entity ruler, say) gives no probabilities.
    beam_width (int): The width of its beam.
    RETURNS (List[List[Entity]]): The entities, left to right.
    """
    found = [labelled_entities(doc, settings) for doc in docs]
    if settings.entity_threshold <= 0 or not hasattr(ner, "beam_parse"):
        return found
    asked = [i for i, (doc, entities) in enumerate(zip(docs, found)) if could_swap(doc, entities)]
    if not asked:
        return found
    # On a Doc that has its entities already the beam says 1.0 to each: ask about copies that do not.
    copies = []
    for i in asked:
        copy = docs[i].copy()
        copy.set_ents([], default="missing")
        copies.append(copy)
    beams = ner.beam_parse(copies, beam_width=beam_width, drop=0.0, beam_density=BEAM_DENSITY)
    for i, scores in zip(asked, ner.scored_ents(beams)):
        labels = settings.entity_labels
        sure = {
            (s, e, labels[lb]) for (s, e, lb), p in scores.items() if lb in labels and p >= settings.entity_threshold
        }
        found[i] = [entity for entity in found[i] if entity in sure]
    return found
