"""Sentences made from templates, for runs that have to be long and cheap: of 5 to 12 words, many of which have a swap.
A pipeline of rules knows all of their words.
"""

import random
from pathlib import Path
from typing import Dict, Iterator, List

from spacy.language import Language

WORDS = {
    "person": "Anna Boris Carla David Emma Frank Greta Henry Irene James Karen Louis Maria Oscar Paula Robert".split(),
    "family": "Miller Smith Fischer Jones Brown Wilson Taylor Clark Walker Young King Wright Scott Green".split(),
    "place": "Paris London Berlin Madrid Vienna Oslo Dublin Prague Lisbon Rome Boston Chicago Denver Seattle".split(),
    "land": "France England Germany Spain Austria Norway Ireland Portugal Italy Canada Mexico Brazil".split(),
    "met": "met followed helped defeated taught praised interviewed married".split(),
    "thing": "house river bridge garden school museum station church".split(),
    "kind": "old new small large famous quiet narrow modern".split(),
    "year": [str(year) for year in range(1900, 2020)],
}
TEMPLATES = [
    "{person} {family} {met} {person} {family} in {place} .",
    "{person} {met} {person} before {person} {met} {person} .",
    "The train from {place} to {place} stops in {place} .",
    "{person} {family} moved from {place} to {place} in {year} .",
    "In {year} {person} {met} {person} {family} of {land} .",
    "The {kind} {thing} is near the {kind} {thing} .",
    "{person} was born in {place} and died in {place} .",
    "It rains on the {kind} {thing} .",
    "{land} lost to {land} in {place} in {year} .",
]

TAGS = {
    ("NNP", "PROPN"): [*WORDS["person"], *WORDS["family"], *WORDS["place"], *WORDS["land"]],
    ("NN", "NOUN"): [*WORDS["thing"], "train"],
    ("VBD", "VERB"): [*WORDS["met"], *"lost moved was born died".split()],
    ("VBZ", "VERB"): "stops is rains".split(),
    ("JJ", "ADJ"): WORDS["kind"],
    ("CD", "NUM"): WORDS["year"],
    ("DT", "DET"): ["the", "The"],
    ("IN", "ADP"): "in In of from to before near on".split(),
    ("CC", "CCONJ"): ["and"],
    ("PRP", "PRON"): ["It"],
    (".", "PUNCT"): ["."],
}
ENTITIES: List[Dict[str, object]] = [
    {
        "label": "PERSON",
        "pattern": [{"ORTH": {"IN": WORDS["person"]}}, {"ORTH": {"IN": WORDS["family"]}, "OP": "?"}],
    },
    {"label": "GPE", "pattern": [{"ORTH": {"IN": [*WORDS["place"], *WORDS["land"]]}}]},
    {"label": "DATE", "pattern": [{"ORTH": {"IN": WORDS["year"]}}]},
]


def make_pipeline() -> Language:
    """A pipeline that starts at once and tags these sentences, under the names that word swapping asks for."""
    from spacy import blank

    nlp = blank("en")
    tagger = nlp.add_pipe("attribute_ruler", name="tagger")
    for (tag, pos), words in TAGS.items():
        tagger.add([[{"ORTH": {"IN": words}}]], {"TAG": tag, "POS": pos})
    nlp.add_pipe("entity_ruler", name="ner").add_patterns(ENTITIES)
    nlp.add_pipe("attribute_ruler").add([[{"ORTH": "It"}]], {"TAG": "PRP"})
    return nlp


def make_sentences(count: int, seed: int) -> Iterator[str]:
    """Sentences.

    count (int), seed (int): How many, and which.
    YIELDS (str): A sentence.
    """
    chance = random.Random(seed)
    for _ in range(count):
        words = [
            chance.choice(WORDS[word[1:-1]]) if word[0] == "{" else word for word in chance.choice(TEMPLATES).split()
        ]
        yield " ".join(words)


def write_sentences(path: Path, count: int, seed: int) -> None:
    """A file of sentences, in which now and then a line is empty or is not valid UTF-8."""
    with open(path, "wb") as file:
        for number, sentence in enumerate(make_sentences(count, seed)):
            line = sentence.encode()
            if number % 97 == 13:
                line = line.replace(b" ", b" \xff\xfe", 1)
            elif number % 89 == 7:
                line = b""
            file.write(line + b"\n")
