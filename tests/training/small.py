"""A small corpus, and a config that trains spaCy's own bag of words on it: quick, and enough to try a reader with."""

from typing import Any, List

from spacy.util import Config, load_config_from_str, load_model_from_config

from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

TOWNS = ["Oslo", "Bonn", "Rome", "Kyiv", "Lima", "Bern", "Riga", "Cork"]


def make_pairs(count: int = 24) -> List[PairRecord]:
    """Pairs of which those with another verb are paraphrases, and those with the towns the other way round are not."""
    pairs = []
    for i in range(count):
        one, two = TOWNS[i % 8], TOWNS[(i + 1 + i // 8) % 8]
        first = f"The train number {i} goes from {one} to {two}."
        second = f"Train {i} runs from {one} to {two}." if i % 2 else f"The train number {i} goes from {two} to {one}."
        pairs.append(PairRecord(first, second, label=i % 2, label_source="human" if i % 3 else "silver"))
    return pairs


def write_pairs(path, pairs) -> str:
    with RecordWriter(path) as writer:
        for pair in pairs:
            writer.write(pair)
    return str(path)


CONFIG = """
[paths]
train = null
dev = null

[nlp]
lang = "en"
pipeline = ["textcat"]

[components]

[components.textcat]
factory = "textcat"

[components.textcat.model]
@architectures = "spacy.TextCatBOW.v3"
exclusive_classes = true
ngram_size = 1
no_output_layer = false

[corpora]

[corpora.train]
@readers = "paws.PairCorpus.v1"
path = ${paths.train}

[corpora.dev]
@readers = "paws.PairCorpus.v1"
path = ${paths.dev}

[training]
max_epochs = 2
max_steps = 0
eval_frequency = 4
train_corpus = "corpora.train"
dev_corpus = "corpora.dev"

[training.batcher]
@batchers = "paws.batch_pairs.v1"
size = 8

[initialize]

[initialize.components]

[initialize.components.textcat]
positive_label = "paraphrase"
"""


def base_config(train: str, dev: str, **overrides: Any) -> Config:
    """The config with two paths and other values by their dotted names, `__` for a dot."""
    dotted = {name.replace("__", "."): value for name, value in overrides.items()}
    return load_config_from_str(CONFIG, overrides={"paths.train": train, "paths.dev": dev, **dotted})


def train_config(*paths: str, **overrides: Any) -> Config:
    """The same, filled with everybody's defaults."""
    return load_model_from_config(base_config(*paths, **overrides), auto_fill=True).config
