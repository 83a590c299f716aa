"""What spaCy's training asks of every architecture."""

import numpy
import pytest
import spacy

from ..training.configs import LABELS, PAIRS
from .cases import BLOCKS, SOFTMAX, every_architecture, make_pipeline, predict, train

NLI = ("entailment", "neutral", "contradiction")
NLI_ROWS = [(one, two, NLI[i % 3]) for i, (one, two, _) in enumerate(PAIRS)]


@every_architecture
def test_overfits_and_comes_back_from_disk(name, tmp_path):
    nlp = make_pipeline(BLOCKS[name], steps=50 if name == "diin" else 30)
    scores = numpy.array(predict(nlp, PAIRS))
    labels = nlp.get_pipe("textcat").labels
    assert [labels[i] for i in scores.argmax(1)] == [label for _, _, label in PAIRS]
    assert numpy.allclose(scores.sum(1), 1.0, atol=1e-5) and (scores >= 0).all() and (scores <= 1).all()
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert predict(again, PAIRS) == scores.tolist()


@every_architecture
def test_the_same_seed_gives_the_same_weights(name):
    once, again, other = (make_pipeline(BLOCKS[name], steps=3, drop=0.2, seed=seed) for seed in (1, 1, 2))
    assert predict(once, PAIRS) == predict(again, PAIRS) != predict(other, PAIRS)


@pytest.mark.parametrize("name", SOFTMAX)
def test_three_labels(name):
    nlp = make_pipeline(BLOCKS[name], NLI_ROWS, NLI, steps=40)
    labels = nlp.get_pipe("textcat").labels
    right = [labels[numpy.argmax(row)] == label for row, (_, _, label) in zip(predict(nlp, NLI_ROWS), NLI_ROWS)]
    assert numpy.mean(right) > 0.9


def test_initialising_again_forgets():
    nlp = make_pipeline(BLOCKS["esim"], steps=20)
    trained = train(nlp, steps=0) or predict(nlp, PAIRS)
    assert numpy.allclose(trained, 0.5)
    (net,) = [node for node in nlp.get_pipe("textcat").model.walk() if node.name == "torch_pairs"]
    before = {name: weights.clone() for name, weights in net.shims[0]._model.state_dict().items()}
    train(nlp)
    assert any((before[name] != weights).any() for name, weights in net.shims[0]._model.state_dict().items())


def test_dropout_is_spacys():
    """`training.dropout` reaches the torch part, and is off in predictions."""
    losses = {}
    for drop in (0.0, 0.5):
        nlp = make_pipeline(BLOCKS["esim"])
        losses[drop] = train(nlp, steps=3, drop=drop)
        assert predict(nlp, PAIRS) == predict(nlp, PAIRS)
    assert losses[0.0][1:] != losses[0.5][1:]


def test_averages_reach_torch():
    """`use_averages` puts averaged weights in place, for all layers, and takes them back."""
    from thinc.api import Adam

    from ..training.configs import make_examples

    nlp = make_pipeline(BLOCKS["esim"])
    optimizer = Adam(0.01, use_averages=True)
    for _ in range(5):
        nlp.update(make_examples(nlp), sgd=optimizer)
    net = next(node for node in nlp.get_pipe("textcat").model.walk() if node.name == "torch_pairs").shims[0]
    last = {name: weights.detach().clone() for name, weights in net._model.named_parameters()}
    scores = predict(nlp, PAIRS)
    with nlp.use_params(optimizer.averages):
        for name, weights in net._model.named_parameters():
            assert numpy.array_equal(weights.detach().numpy(), optimizer.averages[(net.id, name)])
        assert predict(nlp, PAIRS) != scores
    assert all((last[name] == weights).all() for name, weights in net._model.named_parameters())
    assert predict(nlp, PAIRS) == scores


def test_labels_come_in_any_order():
    """The cosine is the score of the positive label, whichever column that has."""
    for labels in (LABELS, LABELS[::-1]):
        nlp = make_pipeline(BLOCKS["bow"], labels=labels)
        assert nlp.get_pipe("textcat").labels == labels
        same = ("A dog barks.", "A dog barks.")
        scores = dict(zip(labels, predict(nlp, [same])[0]))
        assert scores["paraphrase"] == pytest.approx(1.0) and scores["not_paraphrase"] == pytest.approx(0.0, abs=1e-6)
