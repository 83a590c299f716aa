"""Where the vectors of words come from."""

import numpy
import pytest
import spacy
from spacy.vectors import Vectors
from thinc.api import fix_random_seed

from paws_components.errors import PawsError
from paws_components.ml.models.word_embed import build_word_embed

from ..training.configs import PAIRS, make_examples
from .cases import BLOCKS, predict

WORDS = sorted({word for one, two, _ in PAIRS for word in (one + " " + two).replace(".", "").replace("?", "").split()})


def pipeline(tok2vec, vectors=True, architecture="esim", steps=3):
    """A pipeline with vectors for most of the words, trained on all of its own embedding."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    if vectors:
        data = numpy.random.uniform(-1, 1, (len(WORDS) - 5, 12)).astype("f")
        nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=data, keys=WORDS[5:])
    nlp.add_pipe("textcat", config={"model": {**BLOCKS[architecture], "tok2vec": tok2vec}})
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)
    return nlp


def embed(**settings):
    return {"@architectures": "paws.WordEmbed.v1", "width": 16, "rows": 200, **settings}


def node(nlp, name):
    return next(node for node in nlp.get_pipe("textcat").model.walk() if node.name == name)


@pytest.mark.parametrize("rows", [0, 200])
def test_frozen_vectors_stay(rows, tmp_path):
    settings = embed(include_static_vectors=True, rows=rows)
    nlp, untrained = pipeline(settings), pipeline(settings, steps=0)
    assert numpy.array_equal(nlp.vocab.vectors.data, untrained.vocab.vectors.data)
    assert (node(nlp, "static_vectors").get_param("W") != node(untrained, "static_vectors").get_param("W")).any()
    nlp.to_disk(tmp_path)
    assert predict(spacy.load(tmp_path), PAIRS) == predict(nlp, PAIRS)


def test_tuned_vectors_learn(tmp_path):
    """Words of the data move, others stay, the pipeline's own vectors stay too; all of it comes back from disk."""
    nlp = pipeline(embed(include_static_vectors=True, trainable_vectors=True, rows=0))
    E = node(nlp, "tuned_vectors").get_param("E")
    moved = (E != nlp.vocab.vectors.data).any(axis=1)
    seen = {nlp.vocab.vectors.find(key=word) for word in WORDS} - {-1}
    assert moved.any() and set(numpy.flatnonzero(moved)) <= seen
    nlp.to_disk(tmp_path)
    assert predict(spacy.load(tmp_path), PAIRS) == predict(nlp, PAIRS)


def test_gradient_of_tuned_vectors():
    nlp = pipeline(embed(include_static_vectors=True, trainable_vectors=True, rows=0), steps=0)
    layer = node(nlp, "tuned_vectors")
    docs = [example.x for example in make_examples(nlp, PAIRS[:2])]
    Y, backprop = layer.begin_update(docs)
    weight = numpy.random.uniform(-1, 1, Y.dataXd.shape).astype("f")
    Y.data = weight
    backprop(Y)
    for name in ("E", "W"):
        values, gradient = layer.get_param(name), layer.get_grad(name)
        direction = numpy.random.uniform(-1, 1, values.shape).astype("f")
        before, results = values.copy(), []
        for sign in (1, -1):
            values[...] = before + sign * 0.01 * direction
            results.append(float((layer.predict(docs).dataXd.astype("float64") * weight).sum()))
        values[...] = before
        assert (results[0] - results[1]) / 0.02 == pytest.approx(float((gradient * direction).sum()), rel=0.01)


@pytest.mark.parametrize(
    "tok2vec",
    [
        {
            "@architectures": "spacy.HashEmbedCNN.v2",
            "pretrained_vectors": None,
            "width": 16,
            "depth": 1,
            "embed_size": 100,
            "window_size": 1,
            "maxout_pieces": 2,
            "subword_features": False,
        },
        # Its width is not known before it is initialised, as with a transformer's listener.
        {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": 16,
            "attrs": ["NORM"],
            "rows": [100],
            "include_static_vectors": False,
        },
    ],
    ids=["HashEmbedCNN", "MultiHashEmbed"],
)
@pytest.mark.parametrize("architecture", ["bow", "diin"])
def test_spacys_own_embeddings(tok2vec, architecture, tmp_path):
    nlp = pipeline(tok2vec, vectors=False, architecture=architecture)
    nlp.to_disk(tmp_path)
    assert predict(spacy.load(tmp_path), PAIRS) == predict(nlp, PAIRS)


def test_a_shared_tok2vec_learns_through_a_listener(tmp_path):
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": {**tok2vec_model()}})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16}
    nlp.add_pipe("textcat", config={"model": {**BLOCKS["esim"], "tok2vec": listener}})
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    table = next(node for node in nlp.get_pipe("tok2vec").model.walk() if node.name == "hashembed")
    before = table.get_param("E").copy()
    for _ in range(3):
        nlp.update(examples, sgd=optimizer)
    assert (table.get_param("E") != before).any()
    nlp.to_disk(tmp_path)
    assert numpy.allclose(predict(spacy.load(tmp_path), PAIRS), predict(nlp, PAIRS), atol=1e-6)


def tok2vec_model():
    return {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": 16,
            "attrs": ["NORM"],
            "rows": [100],
            "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": 16,
            "depth": 1,
            "window_size": 1,
            "maxout_pieces": 2,
        },
    }


@pytest.mark.parametrize("trainable", [False, True])
def test_vectors_that_are_not_there(trainable):
    with pytest.raises(PawsError, match="P321"):
        pipeline(embed(include_static_vectors=True, trainable_vectors=trainable), vectors=False)


def test_floret_vectors_cannot_be_tuned():
    nlp = spacy.blank("en")
    nlp.vocab.vectors = Vectors(
        strings=nlp.vocab.strings, data=numpy.ones((10, 8), dtype="f"), mode="floret", hash_count=1
    )
    block = {**BLOCKS["esim"], "tok2vec": embed(include_static_vectors=True, trainable_vectors=True)}
    nlp.add_pipe("textcat", config={"model": block})
    with pytest.raises(PawsError, match="P325"):
        nlp.initialize(lambda: make_examples(nlp))


@pytest.mark.parametrize(
    "settings, code",
    [
        ({"trainable_vectors": True}, "P326"),
        ({"rows": 0}, "P327"),
        ({"rows": -1}, "P015"),
        ({"width": 0}, "P015"),
    ],
)
def test_settings_that_make_no_sense(settings, code):
    with pytest.raises(PawsError, match=code):
        build_word_embed(**settings)


@pytest.mark.parametrize("trainable", [False, True])
def test_version_2_takes_vectors_where_there_are_any(tmp_path, trainable):
    settings = {"@architectures": "paws.WordEmbed.v2", "width": 16, "rows": 200, "trainable_vectors": trainable}
    nlp, without = pipeline(settings), pipeline(settings, vectors=False)
    used = "tuned_vectors" if trainable else "static_vectors"
    assert node(nlp, used).has_param("W") and not node(without, used).has_param("W")
    assert node(nlp, "hashembed").has_param("E") is None and node(without, "hashembed").has_param("E")
    for name, one in (("with", nlp), ("without", without)):
        one.to_disk(tmp_path / name)
        assert predict(spacy.load(tmp_path / name), PAIRS) == predict(one, PAIRS)
    # It is the same as version 1 with the one or the other.
    same = pipeline(embed(include_static_vectors=True, trainable_vectors=trainable, rows=0))
    assert predict(nlp, PAIRS) == predict(same, PAIRS)
    assert predict(without, PAIRS) == predict(pipeline(embed(), vectors=False), PAIRS)
    with pytest.raises(PawsError, match="P015"):
        spacy.registry.architectures.get("paws.WordEmbed.v2")(rows=0)
