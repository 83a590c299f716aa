"""One encoder of spacy-transformers under several components. `make test-spacy-transformers` runs this file."""

import re
import shutil
from pathlib import Path

import numpy
import pytest
import spacy
from confection import Config
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from spacy.tokens import DocBin
from spacy.training import Example
from thinc.api import ConfigValidationError, fix_random_seed

from paws_components.pairs import pair_text

from .encoders import make_tiny_bert
from .pairs import PAIRS, TEXTS, cats, scores_of

pytest.importorskip("spacy_transformers")

DOCS = Path(__file__).resolve().parents[2] / "docs" / "transformer.md"
VERBS = {"saw", "met", "was"}
LISTENER = {
    "@architectures": "spacy-transformers.TransformerListener.v1",
    "grad_factor": 1.0,
    "pooling": {"@layers": "reduce_mean.v1"},
}
WHOLE = {"@span_getters": "spacy-transformers.doc_spans.v1"}
ODD = [("", "ben met anna."), ("anna", ""), ("a", "b")]


@pytest.fixture(scope="module", autouse=True)
def no_threads_of_tokenizers():
    """Tokenizers that have once used threads warn at every later fork, in these tests and in others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKENIZERS_PARALLELISM", "false")
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_tiny_bert(tmp_path_factory.mktemp("encoder") / "bert", TEXTS)


def make_examples(nlp):
    """Pairs with their labels and the tags of their words."""
    examples = []
    for first, second, label in PAIRS:
        doc = nlp.make_doc(pair_text(first, second))
        tags = ["VERB" if token.text in VERBS else "SPACE" if token.is_space else "OTHER" for token in doc]
        examples.append(Example.from_dict(doc, {"cats": cats(label), "tags": tags}))
    return examples


def make_nlp(folder, get_spans=WHOLE, **settings):
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_pair")
    encoder = {"@architectures": "spacy-transformers.TransformerModel.v3", "name": folder, "get_spans": get_spans}
    nlp.add_pipe("transformer", config={"model": encoder})
    # A tagger's gradient is a sum over words: at full weight it drowns the classifier's for the first hundred steps.
    light = {**LISTENER, "grad_factor": 0.02}
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": light}})
    own = {"tok2vec": LISTENER, "hidden_width": 32, "pooling": "max"}
    pooled = {"@architectures": "paws.PooledPair.v1", **own, **settings}
    nlp.add_pipe("textcat", config={"model": pooled})
    return nlp


def make_trained(folder, steps, **settings):
    nlp = make_nlp(folder, **settings)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.002
    losses = []
    for _ in range(steps):
        losses.append(nlp.update(examples, sgd=optimizer))
    return nlp, losses


@pytest.fixture(scope="module")
def trained(folder):
    return make_trained(folder, 80)


def encoder_weights(nlp):
    shim = next(shim for node in nlp.get_pipe("transformer").model.walk() for shim in node.shims)
    return {name: weight.detach().numpy().copy() for name, weight in shim._model.named_parameters()}


def test_two_components_learn_from_one_encoder(trained):
    nlp, losses = trained
    assert losses[-1]["textcat"] < losses[0]["textcat"] / 4 and losses[-1]["tagger"] < losses[0]["tagger"] / 4
    assert (scores_of(nlp, PAIRS)[:, 0] > 0.5).tolist() == [bool(label) for *_, label in PAIRS]
    doc = nlp(pair_text(*PAIRS[0][:2]))
    assert [token.text for token in doc if token.tag_ == "VERB"] == ["saw", "was", "saw"]
    # There is one encoder, and both listen to it.
    assert sorted(nlp.get_pipe("transformer").listening_components) == ["tagger", "textcat"]
    assert not [shim for node in nlp.get_pipe("textcat").model.walk() for shim in node.shims]


@pytest.mark.parametrize("other", ["tagger", "textcat"])
def test_each_listener_trains_the_encoder(folder, other):
    """The gradient of either component alone reaches the encoder."""
    nlp = make_nlp(folder)
    nlp.remove_pipe(other)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    before = encoder_weights(nlp)
    # The softmax starts from zeros, and hands down a gradient from its second step on.
    for _ in range(2):
        nlp.update(examples, sgd=optimizer)
    changed = {name for name, weight in encoder_weights(nlp).items() if not numpy.array_equal(weight, before[name])}
    assert any(name.endswith("query.weight") for name in changed)


def test_the_sentences_see_each_other_within_a_span(folder):
    """As the page on transformers says: in one span they do, in windows of their own they don't."""
    strided = {"@span_getters": "spacy-transformers.strided_spans.v1", "window": 5, "stride": 5}
    for get_spans, together in ((WHOLE, True), (strided, False)):
        nlp, _ = make_trained(folder, 0, get_spans=get_spans)
        listener = nlp.get_pipe("textcat").model.get_ref("tok2vec")
        vectors = []
        for second in ("ben was seen by anna.", "gina met hugo."):
            doc = nlp.make_doc(pair_text("anna saw ben .", second))
            doc = nlp.get_pipe("transformer")(nlp.get_pipe("paws_pair")(doc))
            vectors.append(listener.predict([doc])[0][:4])
        assert numpy.allclose(*vectors, atol=1e-4) is not together


@pytest.mark.parametrize("settings", [{}, {"pooling": "mean", "symmetric": True}])
def test_saved_and_loaded_with_the_source_gone(settings, tmp_path):
    source = tmp_path / "bert"
    nlp, _ = make_trained(make_tiny_bert(source, TEXTS), 2, **settings)
    expected = scores_of(nlp, [*ODD, *PAIRS])
    nlp.to_disk(tmp_path / "saved")
    shutil.rmtree(source)
    again = spacy.load(tmp_path / "saved")
    assert scores_of(again, [*ODD, *PAIRS]) == pytest.approx(expected, abs=1e-6)
    # A loaded pipeline goes on learning, all of it.
    optimizer = again.resume_training()
    losses = again.update(make_examples(again), sgd=optimizer)
    assert losses["textcat"] > 0 and losses["tagger"] > 0
    assert not numpy.allclose(scores_of(again, PAIRS), expected[len(ODD) :], atol=1e-4)


def test_two_processes_equal_one(trained):
    nlp, _ = trained
    pairs = [*ODD, *PAIRS]
    assert scores_of(nlp, pairs, n_process=2, batch_size=8) == pytest.approx(scores_of(nlp, pairs), abs=1e-5)


def test_a_listener_becomes_an_encoder_of_its_own(folder):
    nlp, _ = make_trained(folder, 5)
    expected = scores_of(nlp, PAIRS)
    nlp.replace_listeners("transformer", "textcat", ["model.tok2vec"])
    nlp.replace_listeners("transformer", "tagger", ["model.tok2vec"])
    nlp.remove_pipe("transformer")
    assert scores_of(nlp, PAIRS) == pytest.approx(expected, abs=1e-5)


def test_the_cross_encoder_beside_it(folder):
    """`paws.Transformer.v1` has an encoder of its own, and says so of a listener."""
    nlp = make_nlp(folder)
    own = {"@architectures": "paws.Transformer.v1", "name": folder}
    nlp.add_pipe("textcat", name="cross", config={"model": own})
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    losses = nlp.update(examples, sgd=optimizer)
    assert set(losses) == {"transformer", "tagger", "textcat", "cross"} and losses["cross"] > 0
    assert sorted(nlp.get_pipe("transformer").listening_components) == ["tagger", "textcat"]
    with pytest.raises(ConfigValidationError, match="tok2vec"):
        nlp.add_pipe("textcat", name="listening", config={"model": {**own, "tok2vec": LISTENER}})


def test_the_whole_pair_pooled_by_spacy(folder):
    """spaCy's own architecture over the same listener."""
    nlp = make_nlp(folder)
    uses = {f"use_reduce_{kind}": kind == "mean" for kind in ("first", "last", "max", "mean")}
    block = {"@architectures": "spacy.TextCatReduce.v1", "exclusive_classes": True, "tok2vec": LISTENER, **uses}
    nlp.add_pipe("textcat", name="reduced", config={"model": block})
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    assert nlp.update(examples, sgd=optimizer)["reduced"] > 0
    assert sorted(nlp.get_pipe("transformer").listening_components) == ["reduced", "tagger", "textcat"]


@pytest.fixture
def documented(folder, tmp_path):
    """The config of the page on transformers with our small encoder, and a corpus for it."""
    section = DOCS.read_text(encoding="utf8").split("## One encoder for several components")[1]
    text = re.search(r"```ini\n(.*?)```", section, re.DOTALL).group(1)
    config = Config().from_str(text)
    config["components"]["transformer"]["model"]["name"] = folder
    blank = spacy.blank("en")
    path = tmp_path / "pairs.spacy"
    DocBin(docs=[example.reference for example in make_examples(blank)]).to_disk(path)
    config["corpora"] = {split: {"@readers": "spacy.Corpus.v1", "path": str(path)} for split in ("train", "dev")}
    config["training"].update({"max_steps": 4, "eval_frequency": 2})
    return config


def test_the_documented_config_trains(documented, tmp_path):
    documented.to_disk(tmp_path / "base.cfg")
    fill_config(tmp_path / "config.cfg", tmp_path / "base.cfg")
    train(tmp_path / "config.cfg", tmp_path / "out")
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert scores_of(nlp, PAIRS).shape == (32, 2)
    performance = nlp.meta["performance"]
    assert performance["tag_acc"] > 0 and performance["cats_score_desc"] == "AUC-PR (paraphrase)"


def test_a_frozen_encoder(trained, documented, tmp_path):
    """Frozen and annotating: the classifier learns, the encoder stays as it was."""
    source, _ = trained
    source.to_disk(tmp_path / "source")
    documented["components"]["transformer"] = {"source": str(tmp_path / "source")}
    documented["components"]["tagger"] = {"source": str(tmp_path / "source")}
    frozen = {"frozen_components": ["transformer", "tagger"], "annotating_components": ["paws_pair", "transformer"]}
    documented["training"].update(frozen)
    documented.to_disk(tmp_path / "base.cfg")
    fill_config(tmp_path / "config.cfg", tmp_path / "base.cfg")
    train(tmp_path / "config.cfg", tmp_path / "out")
    nlp = spacy.load(tmp_path / "out" / "model-last")
    before, after = encoder_weights(source), encoder_weights(nlp)
    assert all(numpy.array_equal(weight, before[name]) for name, weight in after.items())
    assert numpy.ptp(scores_of(nlp, PAIRS)[:, 0]) > 0
