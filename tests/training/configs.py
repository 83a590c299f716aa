"""Configs and data for tests that train: 32 pairs, and the config of a pipeline that learns from them."""

from pathlib import Path
from typing import Any, Dict, Iterable, List, Tuple

import spacy
from spacy.tokens import DocBin
from spacy.training import Example
from thinc.api import Config

from paws_components.pairs import pair_text

Row = Tuple[str, str, str]
LABELS = ("paraphrase", "not_paraphrase")

# A sentence, one that means the same, one that does not.
TRIPLES = [
    (
        "The old man sold his house in Boston.",
        "His house in Boston was sold by the old man.",
        "The old man bought a boat.",
    ),
    ("Can I fly from New York to Florida?", "Is there a flight to Florida from New York?", "Can I drive to New York?"),
    ("She won the race last year.", "Last year she came first in the race.", "She lost the race last year."),
    ("The bridge was built by the army.", "The army built the bridge.", "The bridge was destroyed by the army."),
    ("How do I learn to swim?", "What is the best way to learn swimming?", "How do I learn to cook?"),
    ("He moved to London when he was ten.", "At the age of ten he moved to London.", "He left London when he was ten."),
    ("The film was liked by most critics.", "Most critics liked the film.", "The film was hated by most critics."),
    ("Rain fell all night in the valley.", "It rained in the valley all night.", "Snow fell all day on the hills."),
    ("Why is the sky blue?", "What makes the sky look blue?", "Why is the sea salty?"),
    (
        "The king gave the land to the church.",
        "The church was given the land by the king.",
        "The king took the land away.",
    ),
    ("They opened a new school in May.", "In May a new school was opened.", "They closed an old school in May."),
    ("Does tea help against a cold?", "Is tea good for a cold?", "Does coffee help against sleep?"),
    ("The team plays its games in Dallas.", "Dallas is where the team plays.", "The team never played a game there."),
    ("Two ships sank near the coast.", "Near the coast two ships went down.", "Two planes landed near the coast."),
    ("What is the capital of Peru?", "Which city is the capital of Peru?", "What is the language of Chile?"),
    ("The river freezes in winter.", "In winter there is ice on the river.", "The river dries up in summer."),
]
PAIRS: List[Row] = [
    row for one, same, other in TRIPLES for row in ((one, same, "paraphrase"), (one, other, "not_paraphrase"))
]

TEMPLATE = """
[paths]
train = null
dev = null

[system]
seed = 0
gpu_allocator = null

[nlp]
lang = "en"
pipeline = ["paws_pair", "textcat"]

[components]

[components.paws_pair]
factory = "paws_pair"

[components.textcat]
factory = "textcat"

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.dev}

[training]
seed = ${system.seed}
gpu_allocator = ${system.gpu_allocator}
dropout = 0.1
max_steps = 20
eval_frequency = 10
annotating_components = ["paws_pair"]
train_corpus = "corpora.train"
dev_corpus = "corpora.dev"

[training.batcher]
@batchers = "spacy.batch_by_sequence.v1"
size = 16

[initialize]

[initialize.components]

[initialize.components.textcat]
positive_label = "paraphrase"
"""


def pair_config(architecture_block: Dict[str, Any], train_path: object, dev_path: object, **overrides: Any) -> Config:
    """The config of a blank English pipeline with `paws_pair` and a `textcat` of the architecture.

    architecture_block (Dict[str, Any]): What stands under `[components.textcat.model]`.
    train_path, dev_path (Path): `.spacy` files, as `write_pairs` writes them.
    **overrides: Settings by their dotted name: `**{"training.max_steps": 5}`.
    RETURNS (Config): The config, as little of it as `spacy train` needs.
    """
    config = Config().from_str(TEMPLATE, interpolate=False)
    config["paths"].update(train=str(train_path), dev=str(dev_path))
    config["components"]["textcat"]["model"] = architecture_block
    for name, value in overrides.items():
        *sections, last = name.split(".")
        place = config
        for section in sections:
            place = place.setdefault(section, {})
        place[last] = value
    return config


def cats(label: str, labels: Iterable[str] = LABELS) -> Dict[str, float]:
    return {name: float(name == label) for name in labels}


def write_pairs(path: Path, rows: Iterable[Row] = PAIRS, labels: Iterable[str] = LABELS) -> Path:
    """Write pairs as a `.spacy` file."""
    nlp = spacy.blank("en")
    docs = DocBin()
    for one, two, label in rows:
        doc = nlp.make_doc(pair_text(one, two))
        doc.cats = cats(label, labels)
        docs.add(doc)
    docs.to_disk(path)
    return path


def make_examples(nlp, rows: Iterable[Row] = PAIRS, labels: Iterable[str] = LABELS) -> List[Example]:
    """Examples of pairs, for `nlp.initialize` and `nlp.update`."""
    return [
        Example.from_dict(nlp.make_doc(pair_text(one, two)), {"cats": cats(label, labels)}) for one, two, label in rows
    ]
