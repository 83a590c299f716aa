import pytest
import spacy

from paws_components.errors import PawsError
from paws_components.metrics.bow import bow_cosine
from paws_components.metrics.inversion import inversion_rate
from paws_components.metrics.ld import ld
from paws_components.metrics.measure import (
    CORE_METRICS,
    filter_records,
    load_for,
    measure_records,
    needed_pipes,
    with_variant,
)
from paws_components.metrics.wpd import wpd
from paws_components.records import PairRecord

SOURCE = "I keep a glass of water next to my bed when I sleep."
# What a generator gave for it (section 5.3 of the paper, and a few more).
GENERATED = [
    "I keep a glass of water beside my bed when I sleep.",
    "A glass of water is kept next to my bed when I sleep.",
    "When I sleep, I always keep a glass of water near my bed.",
    "When I sleep I keep a glass of water next to my bed.",
    "During the night, I keep a glass of water next to my bed.",
    "Water.",
    "",
]
RECORDS = [PairRecord(SOURCE, text, label=1) for text in GENERATED]


@pytest.mark.parametrize("variant", ["paper", "released"])
def test_equals_the_plain_functions(en_nlp, variant):
    scores = list(measure_records(RECORDS, nlp=en_nlp, settings=with_variant(CORE_METRICS, variant)))
    for record, values in zip(RECORDS, scores):
        with en_nlp.select_pipes(disable=["parser", "ner"]):
            one, two = en_nlp(record.sentence1), en_nlp(record.sentence2)
        words = [[token.text for token in doc] for doc in (one, two)]
        lemmas = [[token.lemma_ for token in doc] for doc in (one, two)]
        assert values == {
            "bow_cosine": bow_cosine(*words),
            "inversion_rate": inversion_rate(*words),
            "wpd": wpd(*lemmas, variant),
            "ld": ld(*lemmas, variant),
        }


def test_the_batch_size_changes_nothing(en_nlp):
    expected = list(measure_records(RECORDS, nlp=en_nlp))
    for batch_size in (1, 2, 5):
        assert list(measure_records(RECORDS, nlp=en_nlp, batch_size=batch_size)) == expected


def test_all_metrics_in_the_order_asked_for(en_nlp):
    pytest.importorskip("rapidfuzz")
    pytest.importorskip("sacrebleu")
    names = list(reversed(("bow_cosine", "inversion_rate", "wpd", "ld", "rouge_l", "self_bleu", "damerau_levenshtein")))
    (values,) = measure_records(RECORDS[:1], names, nlp=en_nlp)
    assert list(values) == names
    assert all(isinstance(value, float) and 0.0 <= value <= 1.0 for value in values.values())


def test_nobody_pays_for_what_they_do_not_use(en_nlp):
    assert needed_pipes(en_nlp, ["bow_cosine", "inversion_rate", "rouge_l"]) == []
    assert needed_pipes(en_nlp, ["bow_cosine", "ld"]) == ["tok2vec", "tagger", "attribute_ruler", "lemmatizer"]
    assert needed_pipes(en_nlp, ["wpd"]) == ["tok2vec", "tagger", "attribute_ruler", "lemmatizer"]


def test_the_other_components_do_not_run(en_nlp):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    seen = []
    component = nlp.get_pipe("sentencizer")
    real = component.pipe

    def spy(stream, **kwargs):
        for doc in real(stream, **kwargs):
            seen.append(doc)
            yield doc

    component.pipe = spy
    list(measure_records(RECORDS, ["bow_cosine"], nlp=nlp))
    assert seen == []
    list(nlp.pipe([SOURCE]))  # the spy does see what runs
    assert len(seen) == 1


def test_a_pipeline_is_loaded_only_where_lemmas_are_needed():
    assert load_for(["bow_cosine", "inversion_rate"]).pipe_names == []
    assert load_for(["ld"]).pipe_names == ["tok2vec", "tagger", "attribute_ruler", "lemmatizer"]
    assert len(list(measure_records(RECORDS, ["bow_cosine"]))) == len(RECORDS)


def test_the_pipeline_is_left_as_it_was(en_nlp):
    before = list(en_nlp.pipe_names)
    scores = measure_records(RECORDS, nlp=en_nlp, batch_size=2)
    next(scores)
    assert en_nlp.pipe_names == before  # also while the records are half read


def test_without_a_lemmatizer_it_says_so():
    with pytest.raises(PawsError, match="P102.*lemmatizer"):
        list(measure_records(RECORDS, ["ld"], nlp=spacy.blank("en")))


def test_unknown_names_are_our_errors():
    with pytest.raises(PawsError, match="P104.*wdp"):
        list(measure_records(RECORDS, ["wdp"]))
    with pytest.raises(PawsError, match="P104.*none"):
        list(measure_records(RECORDS, []))
    with pytest.raises(PawsError, match="variant"):
        list(measure_records(RECORDS, CORE_METRICS, settings={"wpd": {"variant": "newest"}}))


def test_no_records():
    assert list(measure_records([], ["bow_cosine"])) == []


def test_choosing_paraphrases_of_a_wanted_kind(en_nlp):
    """Section 5.3: another structure with the same words, or the same structure with other words."""
    moved = list(filter_records(RECORDS, "wpd > 0.2 and ld < 0.1", nlp=en_nlp))
    assert [record.sentence2 for record in moved] == [GENERATED[3]]
    assert moved[0].evidence["ld"] == 0.0 and set(moved[0].evidence) == {"wpd", "ld"}
    reworded = list(filter_records(RECORDS, "wpd < 0.05 and 0.2 < ld < 1", nlp=en_nlp))
    assert [record.sentence2 for record in reworded] == [GENERATED[0]]
    assert RECORDS[3].evidence == {}  # what went in is as it was


def test_a_condition_without_metrics_needs_no_pipeline():
    assert len(list(filter_records(RECORDS, "label == 1"))) == len(RECORDS)
    assert list(filter_records(RECORDS, "label == 0")) == []
