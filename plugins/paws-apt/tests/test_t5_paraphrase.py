import pytest
import spacy
from tiny_t5 import SENTENCES

from paws_components.errors import PawsError
from paws_components.plugins import host, make_registered


@pytest.fixture(scope="module")
def nlp():
    """Lemmas that are the words: enough for the metrics, and no trained model."""
    from spacy.language import Language

    @Language.component("paws_apt_test_lemmas", assigns=["token.lemma"])
    def lemmas(doc):
        for token in doc:
            token.lemma_ = token.lower_
        return doc

    nlp = spacy.blank("en")
    nlp.add_pipe("paws_apt_test_lemmas")
    return nlp


def generate(nlp, tiny, **settings):
    generator = make_registered("generators", "t5_paraphrase", {"model": tiny, "max_length": 12, **settings}, nlp)
    return generator([nlp(text) for text in SENTENCES[:3]])


def test_ranges_sorting_and_number(nlp, tiny):
    every = generate(nlp, tiny)
    assert all(len(found) > 5 and set(found[0]) == {"text", "wpd", "ld"} for found in every)
    assert all(len({each["text"] for each in found}) == len(found) for found in every)
    for name in ("wpd", "ld"):
        values = sorted(each[name] for found in every for each in found)
        low, high = values[len(values) // 3], values[2 * len(values) // 3]
        chosen = generate(nlp, tiny, **{f"min_{name}": low, f"max_{name}": high})
        assert chosen == [[each for each in found if low <= each[name] <= high] for found in every] != every
    ranked = generate(nlp, tiny, sort="-ld", n_best=2)
    assert [[each["ld"] for each in found] for found in ranked] == [
        sorted((each["ld"] for each in found), reverse=True)[:2] for found in every
    ]
    assert generate(nlp, tiny, sort="wpd")[0][0]["wpd"] == min(each["wpd"] for each in every[0])


def test_the_values_are_those_of_the_metrics(nlp, tiny):
    from paws_components.metrics.measure import measure_records
    from paws_components.records import PairRecord

    first = generate(nlp, tiny)[0][0]
    (expected,) = measure_records([PairRecord(SENTENCES[0], first["text"])], ["wpd", "ld"], nlp=nlp)
    assert {name: first[name] for name in expected} == expected


def test_in_a_pipeline_it_does_not_run_itself(nlp, tiny):
    settings = {"model": tiny, "max_length": 12, "samples": 3}
    nlp.add_pipe("paws_generator", config={"generator": "t5_paraphrase", "settings": settings})
    try:
        candidates = nlp(SENTENCES[0])._.paws_candidates
    finally:
        nlp.remove_pipe("paws_generator")
    assert 0 < len(candidates) <= 3 and set(candidates[0]) == {"text", "wpd", "ld"}


def test_what_it_needs_and_wrong_settings(tiny):
    assert host().find("generators", "t5_paraphrase").needs == ("tagger", "attribute_ruler", "lemmatizer")
    blank = spacy.blank("en")
    with pytest.raises(PawsError, match="P203.*`model` is missing"):
        make_registered("generators", "t5_paraphrase", {}, blank)
    with pytest.raises(PawsError, match="P203.*`sort`"):
        make_registered("generators", "t5_paraphrase", {"model": tiny, "sort": "bleu"}, blank)
    with pytest.raises(PawsError, match="P102"):
        generate(blank, tiny)
