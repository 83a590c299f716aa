"""Every config of every project is complete, and `spacy train` takes a step with it as it is."""

import pytest
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from spacy.util import load_config

from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

from ..ml.encoders import make_tiny_bert
from ..training.small import make_pairs
from .running import PROJECTS, write_index

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("paws_shared_words")

CONFIGS = sorted(PROJECTS.glob("*/configs/**/*.cfg"))
NLI = ("entailment", "neutral", "contradiction")
# What differs between the configs of one project, and nothing else does.
OWN = {
    ("nlp", "lang"),
    ("training", "max_epochs"),
    ("training", "max_steps"),
    ("training", "eval_frequency"),
    ("training", "dropout"),
    ("training", "optimizer", "learn_rate"),
    ("training", "batcher", "size"),
    ("training", "batcher", "buffer"),
    ("corpora", "train"),
    ("components", "textcat", "model"),
    ("paths", "vectors"),
    ("paths", "encoder"),
    ("paths", "mlm"),
    ("initialize", "vectors"),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """What a config needs, in small: pairs of both kinds, vectors, an encoder, a masked language model."""
    folder = tmp_path_factory.mktemp("small")
    pairs = make_pairs(12)
    for name in ("train", "dev"):
        with RecordWriter(folder / f"{name}.jsonl") as writer, RecordWriter(folder / f"{name}_nli.jsonl") as nli:
            for i, pair in enumerate(pairs):
                writer.write(pair)
                nli.write(PairRecord(pair.sentence1, pair.sentence2, nli=NLI[i % 3]))
    texts = [side for pair in pairs for side in (pair.sentence1, pair.sentence2)]
    words = {word for text in texts for word in text.split()}
    # spaCy takes vectors of the pipeline's own language alone.
    for lang in ("en", "zh"):
        write_index(folder / lang, words, lang=lang)
    make_tiny_bert(folder / "encoder", texts, positions=512)
    transformers.AutoModelForMaskedLM.from_pretrained(folder / "encoder").save_pretrained(folder / "mlm")
    transformers.AutoTokenizer.from_pretrained(folder / "encoder").save_pretrained(folder / "mlm")
    return folder


def is_nli(config):
    return "labels" in config["initialize"]["components"]["textcat"]


def flat(block, place=()):
    """The settings of a config by their places; a place of OWN is not looked into."""
    for key, value in block.items():
        here = (*place, key)
        if isinstance(value, dict) and here not in OWN:
            yield from flat(value, here)
        else:
            yield here, value


@pytest.mark.parametrize("path", CONFIGS, ids=[str(path.relative_to(PROJECTS).with_suffix("")) for path in CONFIGS])
def test_it_is_complete_and_trains_by_itself(path, small, tmp_path):
    config = load_config(path)
    if config["nlp"]["tokenizer"].get("segmenter") == "jieba":
        pytest.importorskip("jieba")
    _, filled = fill_config(tmp_path / "filled.cfg", path)
    filled.pop("pretraining", None)
    assert filled == config
    name = "{}_nli" if is_nli(config) else "{}"
    overrides = {f"paths.{side}": str(small / f"{name.format(side)}.jsonl") for side in ("train", "dev")}
    made = {"vectors": small / config["nlp"]["lang"] / "pipeline", "encoder": small / "encoder", "mlm": small / "mlm"}
    overrides.update({f"paths.{key}": str(made[key]) for key in made if key in config["paths"]})
    overrides["training.max_steps"] = 1
    train(path, tmp_path / "out", overrides=overrides)
    assert (tmp_path / "out" / "model-best" / "textcat" / "model").is_file()
    if "vectors" in config["paths"]:
        # The same config goes without vectors, and goes on from what was trained.
        without = {**overrides, "paths.vectors": None}
        train(path, tmp_path / "without", overrides=without)
        train(path, tmp_path / "on", overrides={**without, "paths.init": str(tmp_path / "without" / "model-best")})


@pytest.mark.parametrize(
    "folder", sorted({path.parent for path in CONFIGS}), ids=lambda path: str(path.relative_to(PROJECTS))
)
def test_what_must_be_equal_is_equal(folder):
    """Models of one project are compared, so they are trained, chosen and tested alike."""
    configs = {path.name: load_config(path) for path in CONFIGS if path.parent == folder}
    settings = {name: {key: value for key, value in flat(config) if key not in OWN} for name, config in configs.items()}
    first, *others = settings.values()
    for other in others:
        assert other == first
