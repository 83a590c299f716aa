"""Pooled sentence vectors over any of spaCy's tok2vec layers, or a listener."""

import numpy
import pytest
import spacy
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from thinc.api import NumpyOps, fix_random_seed

from paws_components.errors import PawsError
from paws_components.ml.layers.matched_sides import matched_sides
from paws_components.ml.layers.pooled_sides import pooled_sides
from paws_components.pairs import pair_text, swap_words

from .cases import needs_gpu
from .pairs import PAIRS, make_examples, pair_config, scores_of, write_corpus

TOK2VEC = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "pretrained_vectors": None,
    "width": 32,
    "depth": 1,
    "embed_size": 200,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": False,
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 32, "upstream": "*"}
POOLED = {"@architectures": "paws.PooledPair.v1", "tok2vec": TOK2VEC, "hidden_width": 32}
ODD = [("anna saw ben.", "ben was seen by anna."), ("", "ben met anna."), ("anna", ""), ("", ""), ("a " * 200, "b c")]


def make_trained(steps, listener=False, **settings):
    fix_random_seed(0)
    nlp = spacy.blank("en")
    if listener:
        nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    tok2vec = LISTENER if listener else TOK2VEC
    nlp.add_pipe("textcat", config={"model": {**POOLED, "tok2vec": tok2vec, **settings}})
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.fixture(scope="module")
def trained():
    return make_trained(10)


@pytest.mark.parametrize("settings", [{}, {"pooling": "max"}, {"listener": True}])
def test_overfits(settings):
    # The window of the convolution knows who stands beside the verb.
    nlp = make_trained(60, **settings)
    found = scores_of(nlp, PAIRS)[:, 0] > 0.5
    assert found.tolist() == [bool(label) for *_, label in PAIRS]


@pytest.mark.parametrize("pooling", ["mean", "max"])
@pytest.mark.parametrize("listener", [False, True])
def test_saved_and_loaded(pooling, listener, tmp_path):
    nlp = make_trained(3, pooling=pooling, listener=listener)
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert numpy.array_equal(scores_of(again, [*ODD, *PAIRS]), scores_of(nlp, [*ODD, *PAIRS]))


def test_a_batch_of_one_equals_a_batch_of_many(trained):
    together = scores_of(trained, ODD)
    assert together == pytest.approx(numpy.concatenate([scores_of(trained, [pair]) for pair in ODD]), abs=1e-5)
    assert together.sum(axis=1) == pytest.approx(1.0)


def test_two_processes_equal_one(trained):
    assert scores_of(trained, PAIRS, n_process=2, batch_size=8) == pytest.approx(scores_of(trained, PAIRS), abs=1e-6)


def test_symmetric_answers_do_not_depend_on_the_order():
    nlp, plain = make_trained(10, symmetric=True), make_trained(10)
    back = [(second, first) for first, second, _ in PAIRS]
    assert scores_of(nlp, PAIRS) == pytest.approx(scores_of(nlp, back), abs=1e-6)
    assert not numpy.allclose(scores_of(plain, PAIRS), scores_of(plain, back), atol=1e-4)


@pytest.mark.parametrize("first, second", [*ODD, ("I don't know (really).", "No, I can't, sorry !"), ("a", "b")])
def test_swapped_doc_is_that_of_the_swapped_texts(first, second):
    nlp = spacy.blank("en")
    swapped = swap_words(nlp.make_doc(pair_text(first, second)))
    expected = nlp.make_doc(pair_text(second, first))
    assert swapped.text == expected.text
    assert [(token.text, token.norm_) for token in swapped] == [(token.text, token.norm_) for token in expected]


def test_symmetric_over_a_listener_swaps_the_pooled_sides():
    nlp = make_trained(5, listener=True, symmetric=True)
    plain = make_trained(5, listener=True)
    assert scores_of(nlp, PAIRS).shape == (32, 2)
    assert not numpy.allclose(scores_of(nlp, PAIRS), scores_of(plain, PAIRS), atol=1e-4)


def numeric_gradient(function, array, step=1e-3):
    gradient = numpy.zeros_like(array)
    for place in numpy.ndindex(array.shape):
        kept = array[place]
        array[place] = kept + step
        high = function()
        array[place] = kept - step
        gradient[place] = (high - function()) / (2 * step)
        array[place] = kept
    return gradient


def test_gradient_of_the_match():
    random = numpy.random.default_rng(0)
    u, v, weights = (random.normal(size=shape).astype("f") for shape in ((3, 4), (3, 4), (3, 16)))
    model = matched_sides()
    _, backprop = model((u, v), is_train=True)
    d_u, d_v = backprop(weights)

    def loss():
        return float((model.predict((u, v)) * weights).sum())

    assert d_u == pytest.approx(numeric_gradient(loss, u), abs=2e-2)
    assert d_v == pytest.approx(numeric_gradient(loss, v), abs=2e-2)


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_gradient_of_the_pooling(pooling):
    from thinc.api import Model

    nlp = spacy.blank("en")
    docs = [nlp.make_doc("a b c\td e"), nlp.make_doc("\ta")]
    random = numpy.random.default_rng(0)
    vectors = [random.normal(size=(len(doc), 3)).astype("f") for doc in docs]
    caught = []
    embedding = Model("given", lambda model, X, is_train: (vectors, caught.extend), ops=NumpyOps())
    model = pooled_sides(embedding, pooling)
    weights = [random.normal(size=(2, 3)).astype("f") for _ in range(2)]
    (first, second), backprop = model(docs, is_train=True)
    assert first.shape == second.shape == (2, 3) and not first[1].any()
    backprop(tuple(weights))

    def loss():
        return float(sum((side * weight).sum() for side, weight in zip(model.predict(docs), weights)))

    for given, gradient in zip(vectors, caught):
        assert gradient == pytest.approx(numeric_gradient(loss, given), abs=2e-2)
        assert gradient.any()
    # The tab is nobody's.
    assert not caught[0][3].any()


def test_settings_are_checked():
    for settings in ({"pooling": "sum"}, {"hidden_width": 0}, {"hidden_pieces": 0}):
        with pytest.raises(PawsError, match="P015"):
            make_trained(0, **settings)


def test_train_from_a_blank_pipeline_with_a_listener(tmp_path):
    corpus = write_corpus(tmp_path / "pairs.spacy")
    block = {"@architectures": "paws.PooledPair.v1", "tok2vec": LISTENER}
    components = {"tok2vec": {"factory": "tok2vec", "model": TOK2VEC}}
    pair_config(block, corpus, **components).to_disk(tmp_path / "base.cfg")
    _, filled = fill_config(tmp_path / "config.cfg", tmp_path / "base.cfg")
    assert set(filled["components"]["textcat"]["model"]) == {
        *("@architectures", "tok2vec", "pooling", "hidden_width", "hidden_pieces", "symmetric", "nO")
    }
    train(tmp_path / "config.cfg", tmp_path / "out")
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert scores_of(nlp, PAIRS).shape == (32, 2)
    # The listener can be made into a copy of what it listens to.
    expected = scores_of(nlp, PAIRS)
    nlp.replace_listeners("tok2vec", "textcat", ["model.tok2vec"])
    nlp.remove_pipe("tok2vec")
    assert scores_of(nlp, PAIRS) == pytest.approx(expected, abs=1e-6)


@needs_gpu
def test_train_on_the_gpu(tmp_path):
    """With `--gpu-id 0` the pooled vectors are the GPU's; what was trained there says the same on the CPU."""
    pair_config({**POOLED, "pooling": "max"}, write_corpus(tmp_path / "pairs.spacy")).to_disk(tmp_path / "base.cfg")
    fill_config(tmp_path / "config.cfg", tmp_path / "base.cfg")
    try:
        train(tmp_path / "config.cfg", tmp_path / "out", use_gpu=0)
        nlp = spacy.load(tmp_path / "out" / "model-last")
        assert nlp.get_pipe("textcat").model.ops.device_type == "gpu"
        scores = scores_of(nlp, PAIRS)
    finally:
        spacy.require_cpu()
    assert numpy.allclose(scores_of(spacy.load(tmp_path / "out" / "model-last"), PAIRS), scores, atol=1e-3)
