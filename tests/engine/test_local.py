import os
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paws_components.engine.generate_job import GenerateJob
from paws_components.engine.local import CHUNK, run
from paws_components.engine.sources import Line
from paws_components.errors import PawsError
from paws_components.records import PairRecord


@dataclass
class Reverse:
    """A job that turns words round, refuses one word, and dies at another."""

    refuse: str = "refuse"
    die: str = "die"

    def start(self):
        return self.work

    def work(self, texts):
        if self.die in texts:
            os._exit(3)
        if self.refuse in texts:
            raise RuntimeError("I refuse")
        return [[PairRecord(text, text[::-1])] if len(text) > 1 else [] for text in texts]


def lines(texts):
    return [Line("f", number, text) for number, text in enumerate(texts, 1)]


@pytest.mark.parametrize("n_process", [1, 2])
def test_every_line_comes_out_in_order(n_process):
    texts = ["ab", "", "x", "refuse", *(f"word {i}" for i in range(3 * CHUNK))]
    results = list(run(Reverse(), [*lines(texts), Line("f", 999, "bad", "broken line")], n_process))
    assert [result.line.text for result in results] == [*texts, "bad"]
    assert [len(result.pairs) for result in results[:4]] == [1, 0, 0, 0]
    assert results[3].error == "RuntimeError: I refuse" and results[-1].error == "broken line"
    assert sum(result.error is not None for result in results) == 2


def test_a_worker_that_dies_is_one_clear_error():
    with pytest.raises(PawsError, match="P022"):
        list(run(Reverse(), lines(["a"] * CHUNK + ["die"]), 2))


def test_an_error_at_the_start_of_a_worker_reaches_the_user():
    for n_process in (1, 2):
        with pytest.raises(PawsError, match="P013.*'no_such_pipeline'"):
            list(run(GenerateJob(model="no_such_pipeline"), lines(["a"]), n_process))


TEXTS = [
    "Flights from New York to Florida.",
    "",
    "Can a bad person become good?",
    "Rain",
    "😀 שלום",
    "Tom's old dog isn't as bad as Ann's new cat.",
]


def as_data(results):
    return [(result.line, [record.to_dict() for record in result.pairs], result.error) for result in results]


def test_swaps_do_not_depend_on_batches_or_processes():
    source = lines(TEXTS * 100)
    one = as_data(run(GenerateJob(), source))
    assert any(pairs for _, pairs, _ in one)
    assert as_data(run(GenerateJob(), source)) == one
    for batch_size, n_process in ((1, 1), (7, 1), (1000, 1), (64, 2)):
        assert as_data(run(GenerateJob(batch_size=batch_size), source, n_process)) == one


def test_evidence_says_how_a_pair_came_about():
    (result,) = run(GenerateJob(seed=7), lines(TEXTS[:1]))
    (record,) = result.pairs
    assert record.generator == "word_swap" and record.label is None
    assert record.evidence["seed"] == 7 and record.evidence["lm"] == "embedded/en"
    assert {"moved", "gap", "score", "source_score", "template", "model", "version"} <= set(record.evidence)


def test_paragraphs_are_cut_into_sentences():
    text = " ".join(TEXTS[i] for i in (0, 2))
    (result,) = run(GenerateJob(sentences=True), lines([text]))
    assert [record.sentence1 for record in result.pairs] == [TEXTS[0], TEXTS[2]]


@pytest.fixture(scope="module")
def worker():
    return GenerateJob().start()


class Ready:
    def __init__(self, worker):
        self.start = lambda: worker


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=80), max_size=8))
def test_no_text_is_lost(worker, texts):
    results = list(run(Ready(worker), lines(texts)))
    assert [result.line.text for result in results] == texts
    assert all(result.error is None for result in results)
    for result in results:
        for record in result.pairs:
            assert record.sentence1 == result.line.text


def test_a_very_long_line_is_survived(worker):
    with pytest.warns(UserWarning, match="W001"):
        (result,) = run(Ready(worker), lines(["old word " * 10_000]))
    assert result.error is None and result.pairs == []
