"""`paws.AdversarialCorpus.v1`: what it hands out, and that the training around it does not notice."""

import random

import numpy
import pytest
import spacy
from spacy.training import Example
from spacy.util import load_config_from_str, registry

from paws_components.errors import PawsError
from paws_components.pairs import PARAPHRASE, pair_spans
from paws_components.records import PairRecord
from paws_components.training.runs import train_once
from paws_components.writers import RecordWriter
from paws_shared_words.positions import DEFAULT_STOP_WORDS, replaceable_positions

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

TOWNS = ["Oslo", "Bonn", "Rome", "Lima", "Cairo", "Quito"]
THINGS = ["old river", "cheap school", "large market", "quiet garden", "strong team", "small village", "green house"]
PAIRS = [
    (
        f"The {thing} near {town} is lost.",
        f"Near {town} the {thing} is lost." if label else f"{town} has a doctor.",
        label,
    )
    for town in TOWNS
    for thing in THINGS
    for label in (1, 0)
]
CONFIG = """
[nlp]
lang = "en"
pipeline = ["paws_pair", "textcat"]

[components]

[components.paws_pair]
factory = "paws_pair"

[components.textcat]
factory = "textcat"

[components.textcat.model]
@architectures = "paws.DIIN.v1"
layers = 1
max_length = 12

[components.textcat.model.tok2vec]
@architectures = "paws.WordEmbed.v1"
width = 16
rows = 200

[corpora]

[corpora.train]
@readers = "paws.PairCorpus.v1"
shuffle = true

[corpora.dev]
@readers = "paws.PairCorpus.v1"

[training]
train_corpus = "corpora.train"
dev_corpus = "corpora.dev"
max_epochs = 2
max_steps = 0
eval_frequency = 5

[training.batcher]
@batchers = "paws.batch_pairs.v1"
size = 16

[training.optimizer]
@optimizers = "Adam.v1"
learn_rate = 0.01
use_averages = false

[initialize]

[initialize.components]

[initialize.components.textcat]
positive_label = "paraphrase"
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    for name, pairs in (("train", PAIRS), ("dev", PAIRS[::7])):
        with RecordWriter(folder / f"{name}.jsonl") as writer:
            for first, second, label in pairs:
                writer.write(PairRecord(first, second, label=label))
    return {name: str(folder / f"{name}.jsonl") for name in ("train", "dev")}


def make_config(files):
    config = load_config_from_str(CONFIG)
    for part, path in files.items():
        config["corpora"][part]["path"] = path
    return config


def attacking(config, masked_lm, **settings):
    """The same config with a reader that attacks around its own."""
    block = {"@readers": "paws.AdversarialCorpus.v1", "mlm": masked_lm, "buffer": 32, "share": 0.25, "top_k": 6}
    config["corpora"]["train"] = {**block, "steps": 2, **settings, "corpus": config["corpora"]["train"]}
    return config


@pytest.fixture(scope="module")
def trained(files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "target"
    train_once(make_config(files), folder)
    return folder / "model-best"


@pytest.fixture
def make_reader(files, masked_lm, tagger):
    def make(**settings):
        block = {"@readers": "paws.PairCorpus.v1", "path": files["train"]}
        config = attacking({"corpora": {"train": block}}, masked_lm, **settings)["corpora"]
        return registry.resolve(config)["train"]

    return make


def texts(examples):
    return [example.reference.text for example in examples]


def labels(examples):
    return [example.reference.cats[PARAPHRASE] for example in examples]


def clean():
    return [f"{first}\t{second}" for first, second, _ in PAIRS]


def test_some_come_modified_by_the_rules_of_positions(trained, make_reader, tagger):
    found = list(make_reader()(spacy.load(trained)))
    assert all(isinstance(example, Example) for example in found)
    assert labels(found) == [label for *_, label in PAIRS]
    changed = [i for i, (new, old) in enumerate(zip(texts(found), clean())) if new != old]
    # A quarter of each buffer is attacked; what could not be modified stays as it is.
    assert len(PAIRS) / 8 <= len(changed) <= len(PAIRS) / 4 + 1
    assert {PAIRS[i][2] for i in changed} == {0, 1}
    firsts, seconds = ({tuple(pair[:2])[side] for pair in PAIRS} for side in (0, 1))
    for i in changed:
        predicted, reference = found[i].predicted, found[i].reference
        assert predicted.text == reference.text and not predicted.cats
        new = [tagger.make_doc(span.text) for span in pair_spans(reference)]
        if PAIRS[i][2]:
            old = [tagger(text) for text in PAIRS[i][:2]]
            assert one_change_set(*zip(old, new)) <= set(replaceable_positions(*old, 1, DEFAULT_STOP_WORDS))
        else:
            # Made of two pairs: P1 of one and Q2 of another fit, apart from words at replaceable positions.
            origins = [
                [tagger(one), tagger(two)]
                for one in firsts
                for two in seconds
                if fits(tagger.make_doc(one), new[0]) and fits(tagger.make_doc(two), new[1])
            ]
            assert origins and any(obeys(old, new) for old in origins)


def fits(old, new):
    return len(old) == len(new) and sum(a.text != b.text for a, b in zip(old, new)) <= 2


def differing(old, new):
    return {a.i: b.text for a, b in zip(old, new) if a.text != b.text}


def one_change_set(first, second):
    """The pairs of positions that were given the same word."""
    assert len(first[0]) == len(first[1]) and len(second[0]) == len(second[1])
    one, two = differing(*first), differing(*second)
    pairs = {(i, j) for i, word in one.items() for j, other in two.items() if word == other}
    assert {i for i, _ in pairs} == set(one) and {j for _, j in pairs} == set(two)
    return pairs


def obeys(old, new):
    """Whether every word that differs stands at a replaceable position whose partner has the same word now."""
    allowed = replaceable_positions(*old, 0, DEFAULT_STOP_WORDS)
    shared = [(i, j) for i, j in allowed if new[0][i].text == new[1][j].text]
    firsts, seconds = ({pair[side] for pair in shared} for side in (0, 1))
    return set(differing(old[0], new[0])) <= firsts and set(differing(old[1], new[1])) <= seconds


def test_the_attack_is_on_the_model_as_it_is(trained, make_reader):
    """Other weights, other modifications; the same, the same."""
    one, same, other = (spacy.load(trained) for _ in range(3))
    for node in other.get_pipe("textcat").model.walk():
        for shim in node.shims:
            for weights in shim._model.parameters():
                weights.data.neg_()
    found = [texts(make_reader()(nlp)) for nlp in (one, same, other)]
    assert found[0] == found[1] != found[2]
    assert texts(make_reader(seed=1)(one)) != found[0]


def test_everything_is_clean_until_the_model_is_initialised(files, trained, make_reader):
    nlp = spacy.util.load_model_from_config(make_config(files), auto_fill=True)
    reader = make_reader()
    assert texts(reader(nlp)) == clean()
    nlp = spacy.load(trained)
    with nlp.select_pipes(disable=["textcat"]):
        assert texts(reader(nlp)) == clean()
    assert texts(reader(nlp)) != clean()
    assert texts(make_reader(share=0.0)(nlp)) == clean()


def test_an_attack_can_last_for_several_buffers(trained, make_reader):
    nlp = spacy.load(trained)
    found = list(make_reader(renew=3)(nlp))
    assert labels(found) == [label for *_, label in PAIRS]
    new = [text for text, old in zip(texts(found), clean()) if text != old]
    once = [text for text, old in zip(texts(found)[:32], clean()[:32]) if text != old]
    assert 0 < len(once) < len(new) and set(new) == set(once)


def test_training_is_not_disturbed(trained, make_reader):
    nlp = spacy.load(trained)
    module = next(shim for node in nlp.get_pipe("textcat").model.walk() for shim in node.shims)._model
    reader = make_reader()
    for seed in (random.seed, numpy.random.seed, torch.manual_seed):
        seed(5)
    wanted = random.random(), numpy.random.rand(), float(torch.rand(1))
    for seed in (random.seed, numpy.random.seed, torch.manual_seed):
        seed(5)
    weights = {name: value.clone() for name, value in module.state_dict().items()}
    module.train()
    list(reader(nlp))
    assert (random.random(), numpy.random.rand(), float(torch.rand(1))) == wanted
    assert module.training and all(value.grad is None for value in module.parameters())
    assert all(torch.equal(value, weights[name]) for name, value in module.state_dict().items())


def test_spacy_train_goes_on_from_a_trained_model(files, trained, masked_lm, tagger, tmp_path):
    """Twice with the same seed: the same weights, and others than without the attack."""
    weights = {}
    for name, settings in (("one", {}), ("two", {}), ("clean", {"share": 0.0})):
        config = attacking(make_config(files), masked_lm, **settings)
        config["initialize"]["after_init"] = {"@callbacks": "paws.go_on_from.v1", "path": str(trained)}
        config["training"].update(max_epochs=-1, max_steps=6)
        config["training"]["batcher"]["buffer"] = 32
        figures = train_once(config, tmp_path / name)
        assert figures["pairs"] == len(PAIRS) and 0 <= figures["dev_score"] <= 1
        nlp = spacy.load(tmp_path / name / "model-last")
        weights[name] = nlp.get_pipe("textcat").model.to_bytes()
    assert weights["one"] == weights["two"] != weights["clean"]
    assert weights["one"] != spacy.load(trained).get_pipe("textcat").model.to_bytes()


def test_what_is_wrong_is_said(trained, make_reader):
    for settings, said in (({"buffer": 0}, "buffer"), ({"renew": 0}, "renew"), ({"share": 1.5}, "share")):
        with pytest.raises(PawsError, match=said):
            make_reader(**settings)
    nlp = spacy.load(trained)
    reader = make_reader()
    example = next(iter(make_reader(share=0.0)(nlp)))
    example.reference.cats = {"entailment": 1.0, "neutral": 0.0, "contradiction": 0.0}
    reader.corpus = lambda nlp: [example]
    with pytest.raises(PawsError, match="label"):
        list(reader(nlp))
