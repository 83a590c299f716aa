"""Predictions depend on the pair alone: not on the batch, its padding, the process, or empty sentences beside it."""

import numpy
import pytest
import spacy

from paws_components.errors import PawsError

from ..training.configs import PAIRS
from .cases import BLOCKS, every_architecture, every_softmax, make_pipeline, predict

LONG = ("word " * 150, "The word is long. " * 20)
ROWS = [*PAIRS[:6], LONG, ("", ""), ("", "A dog."), ("A dog.", ""), ("A", "A"), ("A", "B"), ("A b", "C")]


@pytest.fixture(scope="module")
def trained():
    """Each architecture after a few steps, made when it is asked for."""
    made = {}

    def get(name, **settings):
        key = (name, *settings.items())
        if key not in made:
            made[key] = make_pipeline({**BLOCKS[name], **settings}, steps=4)
        return made[key]

    return get


@every_architecture
def test_padding_changes_nothing(name, trained):
    alone = [predict(trained(name), [row])[0] for row in ROWS]
    together = predict(trained(name), ROWS)
    assert numpy.isfinite(together).all()
    assert numpy.allclose(alone, together, atol=1e-5)
    small = trained(name, batch_size=2)
    assert numpy.allclose(predict(small, ROWS), [predict(small, [row])[0] for row in ROWS], atol=1e-5)


@every_architecture
def test_empty_sentences_can_be_trained_on(name):
    rows = [("", "", "paraphrase"), ("", "A dog.", "not_paraphrase"), ("A dog.", "", "not_paraphrase"), *PAIRS[:3]]
    nlp = make_pipeline(BLOCKS[name], rows, steps=3)
    assert numpy.isfinite(predict(nlp, rows)).all()


@every_architecture
def test_two_processes_say_the_same(name, trained):
    nlp = trained(name)
    expected = predict(nlp, ROWS)
    assert numpy.allclose(predict(nlp, ROWS, n_process=2, batch_size=4), expected, atol=1e-5)


@every_softmax
def test_symmetric(name, trained, tmp_path):
    """With `symmetric` the order of the sentences is of no account; a trained pipeline can be loaded with it."""
    nlp = trained(name)
    swapped = [(two, one) for one, two, *_ in ROWS]
    plain, other = numpy.array(predict(nlp, ROWS)), numpy.array(predict(nlp, swapped))
    nlp.to_disk(tmp_path)
    both = spacy.load(tmp_path, config={"components.textcat.model.symmetric": True})
    assert numpy.allclose(predict(both, ROWS), predict(both, swapped), atol=1e-6)
    assert numpy.allclose(predict(both, ROWS), (plain + other) / 2, atol=1e-6)
    assert not numpy.allclose(plain, other, atol=1e-4)


@pytest.mark.parametrize("name", ["bow", "bilstm"])
def test_cosines_are_symmetric(name, trained):
    swapped = [(two, one) for one, two, *_ in ROWS]
    assert numpy.allclose(predict(trained(name), ROWS), predict(trained(name), swapped), atol=1e-6)


def test_a_text_without_a_tab_is_no_pair(trained):
    with pytest.raises(PawsError, match="P103"):
        trained("esim")("One sentence only.")
