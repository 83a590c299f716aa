"""How sure is the entity recogniser of the slots that entities make?

`under`: sentences whose template keeps an entity slot that the recogniser's beam gives less than the threshold, with
`strict_entities` and without. `agreement`: the probabilities of entities in the beam with the density that the package
uses beside those of a beam that drops nothing for it, and beside those of a wide beam: how often both are on the same
side of the threshold, and how far apart they are.

The precision at the threshold is *not* measured: no sample with entities tagged by people is at hand here. A reader's
verdict on some of the slots, or OntoNotes, would give it.
"""

import argparse
import json
from typing import Dict, List, Sequence, Tuple

from data import kept_sentences, load_pipeline
from spacy.tokens import Doc
from tqdm import tqdm

from paws_components.generation.entities import BEAM_DENSITY, confident_entities, entity_probabilities
from paws_components.generation.template import template_settings
from paws_components.generation.word_swap import TEMPLATE_DEFAULTS

BATCH = 100
WIDTH = TEMPLATE_DEFAULTS["ner_beam_width"]
WIDE = 32
Scores = List[Dict[Tuple[int, int, str], float]]


def probabilities(docs: Sequence[Doc], ner, width: int, density: float) -> Scores:
    found: Scores = []
    for start in tqdm(range(0, len(docs), BATCH), desc=f"beam of {width}, density {density:g}"):
        found += entity_probabilities(docs[start : start + BATCH], ner, width, density)
    return found


def agreement(docs: Sequence[Doc], one: Scores, other: Scores, labels: Dict[str, str], threshold: float) -> dict:
    """Over the entities of the Docs that could be slots."""
    pairs = [
        (a.get((ent.start, ent.end, ent.label_), 0.0), b.get((ent.start, ent.end, ent.label_), 0.0))
        for doc, a, b in zip(docs, one, other)
        for ent in doc.ents
        if ent.label_ in labels
    ]
    apart = [abs(a - b) for a, b in pairs]
    return {
        "entities": len(pairs),
        "same_side": round(sum((a >= threshold) == (b >= threshold) for a, b in pairs) / len(pairs), 4),
        "mean_difference": round(sum(apart) / len(apart), 5),
        "largest_difference": round(max(apart), 4),
        "sure": [sum(pair[side] >= threshold for pair in pairs) for side in (0, 1)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=1500, help="how many sentences")
    parser.add_argument("--threshold", type=float, default=TEMPLATE_DEFAULTS["entity_threshold"])
    args = parser.parse_args()

    nlp = load_pipeline()
    ner = nlp.get_pipe("ner")
    labels = TEMPLATE_DEFAULTS["entity_labels"]
    docs = list(nlp.pipe(kept_sentences(args.limit)))
    used = probabilities(docs, ner, WIDTH, BEAM_DENSITY)
    figures: Dict[str, object] = {"sentences": len(docs), "threshold": args.threshold}
    for strict in (False, True):
        settings = template_settings("tag_", labels, args.threshold, [], [], [], strict)
        kept = confident_entities(docs, settings, ner, WIDTH)
        under = 0
        for entities, scores in zip(kept, used):
            said: Dict[Tuple[int, int, str], float] = {}
            for (start, end, label), p in scores.items():
                # Several labels of places trade as one; the surest of them counts, as in the package.
                place = (start, end, labels.get(label, ""))
                said[place] = max(p, said.get(place, 0.0))
            under += any(said.get(entity, 0.0) < args.threshold for entity in entities)
        name = "strict" if strict else "default"
        figures[f"under_{name}"] = under
        print(f"{name}: {under} of {len(docs)} sentences keep a slot under {args.threshold}", flush=True)
    for name, width, density in (("no density", WIDTH, 0.0), (f"a beam of {WIDE}, no density", WIDE, 0.0)):
        found = agreement(docs, used, probabilities(docs, ner, width, density), labels, args.threshold)
        figures[name] = found
        print(f"beside {name}: {found['same_side']:.4f} of {found['entities']} entities on the same side", end=" ")
        print(f"of {args.threshold}, {found['mean_difference']} apart on average", flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
