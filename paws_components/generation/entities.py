"""Which named entities are sure enough to be slots, by the probabilities of the entity recogniser's own beam."""

from typing import Any, Dict, List, Sequence, Set, Tuple

from spacy.tokens import Doc

from .template import Entity, TemplateSettings, labelled_entities

# Hypotheses this much less likely than the best one are dropped from the recogniser's beam: it is then little more
# expensive than the greedy parse. What is left shares the probability of what was dropped, so that entities look
# surer than in a beam that keeps all: `benchmarks/entity_confidence.py` says by how much.
BEAM_DENSITY = 0.001


def could_swap(doc: Doc, entities: Sequence[Entity]) -> bool:
    """Whether two different entities share a label. A lone one cannot move whole: only who is strict asks about it."""
    names: Dict[str, Set[str]] = {}
    for start, end, label in entities:
        names.setdefault(label, set()).add(doc[start:end].text)
    return any(len(texts) > 1 for texts in names.values())


def entity_probabilities(
    docs: Sequence[Doc], ner: Any, beam_width: int, density: float = BEAM_DENSITY
) -> List[Dict[Tuple[int, int, str], float]]:
    """For each Doc the probability of every entity in the recogniser's beam, by start, end and label.

    docs (Sequence[Doc]): The Docs; they stay as they are.
    ner (Pipe): The entity recogniser.
    beam_width (int): The width of its beam.
    density (float): Hypotheses this much less likely than the best one are dropped from it; 0 keeps them.
    RETURNS (List[Dict[Tuple[int, int, str], float]]): The probabilities.
    """
    # On a Doc that has its entities already the beam says 1.0 to each: ask about copies that do not.
    copies = [doc.copy() for doc in docs]
    for copy in copies:
        copy.set_ents([], default="missing")
    beams = ner.beam_parse(copies, beam_width=beam_width, drop=0.0, beam_density=density)
    return [dict(scores) for scores in ner.scored_ents(beams)]


def confident_entities(
    docs: Sequence[Doc], settings: TemplateSettings, ner: Any, beam_width: int
) -> List[List[Entity]]:
    """For each Doc the entities that count: those whose probability in the recogniser's beam reaches the threshold.

    docs (Sequence[Doc]): Docs with entities.
    settings (TemplateSettings): The labels that count, the threshold, and whether every entity is asked about.
    ner (Optional[Pipe]): The entity recogniser. Without one that has a beam all entities count, since whatever set
        them (an entity ruler, say) gives no probabilities.
    beam_width (int): The width of its beam.
    RETURNS (List[List[Entity]]): The entities, left to right.
    """
    found = [labelled_entities(doc, settings) for doc in docs]
    if settings.entity_threshold <= 0 or not hasattr(ner, "beam_parse"):
        return found
    strict, labels = settings.strict_entities, settings.entity_labels
    asked = [i for i, doc in enumerate(docs) if found[i] and (strict or could_swap(doc, found[i]))]
    if not asked:
        return found
    for i, scores in zip(asked, entity_probabilities([docs[i] for i in asked], ner, beam_width)):
        sure = {
            (s, e, labels[lb]) for (s, e, lb), p in scores.items() if lb in labels and p >= settings.entity_threshold
        }
        found[i] = [entity for entity in found[i] if entity in sure]
    return found
