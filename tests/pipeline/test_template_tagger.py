import pytest
import spacy
from spacy.tokens import Doc, DocBin

from paws_components.errors import PawsError
from paws_components.generation.entities import confident_entities, could_swap, entity_probabilities

TEXT = "Barack Obama flew from New York to Chicago with Angela Merkel."


@pytest.fixture(scope="module")
def nlp():
    from paws_components.models import load_pipeline

    nlp = load_pipeline(exclude=["parser", "lemmatizer"])
    nlp.add_pipe("paws_template_tagger")
    return nlp


def slot_texts(doc):
    return {doc[slot["start"] : slot["end"]].text: slot["tag"] for slot in doc._.paws_template}


def test_entities_and_tags(nlp):
    doc = nlp(TEXT)
    slots = slot_texts(doc)
    assert slots["New York"] == slots["Chicago"] == "LOCATION"
    assert slots["flew"] == "VBD" and slots["from"] == "IN" and slots["."] == "."
    assert all(type(slot) is dict and set(slot) == {"start", "end", "tag", "fixed"} for slot in doc._.paws_template)


def test_the_threshold_is_about_the_beam_of_the_recogniser(nlp):
    doc = nlp(TEXT)
    settings = nlp.get_pipe("paws_template_tagger").maker.settings
    ner = nlp.get_pipe("ner")
    everything = confident_entities([doc], _with(settings, 0.0), ner, 4)[0]
    sure = confident_entities([doc], _with(settings, 0.9999999), ner, 4)[0]
    assert len(everything) == len(doc.ents)
    assert len(sure) < len(everything), "a beam that says 1.0 to everything was asked about preset entities"
    assert [e.text for e in doc.ents], "asking must not take the entities away"


def _with(settings, threshold):
    from dataclasses import replace

    return replace(settings, entity_threshold=threshold)


def test_unsure_entities_fall_back_to_their_tags():
    from paws_components.models import load_pipeline

    nlp = load_pipeline(exclude=["parser", "lemmatizer"])
    nlp.add_pipe("paws_template_tagger", config={"entity_threshold": 1.1})
    slots = slot_texts(nlp(TEXT))
    assert slots["York"] == "NNP" and "New York" not in slots


def test_strict_asks_about_every_entity(nlp):
    from dataclasses import replace

    settings = _with(nlp.get_pipe("paws_template_tagger").maker.settings, 1.1)
    docs = [nlp("Barack Obama likes tea."), nlp("It rained."), nlp(TEXT)]
    strict = replace(settings, strict_entities=True)
    ner = nlp.get_pipe("ner")
    assert [len(found) for found in confident_entities(docs, settings, ner, 4)] == [1, 0, 0]
    assert confident_entities(docs, strict, ner, 4) == [[], [], []]
    # Whoever is sure enough stays, strict or not.
    low = replace(strict, entity_threshold=0.5)
    assert confident_entities(docs[:1], low, ner, 4) == [[(0, 2, "PERSON")]]
    config = {"strict_entities": True, "entity_threshold": 1.1}
    tagger = spacy.blank("en").add_pipe("paws_template_tagger", config=config)
    assert tagger.maker.settings.strict_entities


def test_probabilities_with_and_without_the_beams_density(nlp):
    doc = nlp(TEXT)
    for density in (0.0, 0.001):
        (scores,) = entity_probabilities([doc], nlp.get_pipe("ner"), 4, density)
        assert all((ent.start, ent.end, ent.label_) in scores for ent in doc.ents)
        assert all(0 < value <= 1 + 1e-6 for value in scores.values())
    assert len(doc.ents) > 2


def test_lone_entities_are_not_asked_about(nlp):
    doc = nlp("Obama likes tea.")
    assert not could_swap(doc, [(0, 1, "PERSON")])
    assert could_swap(nlp("Obama and Merkel met."), [(0, 1, "PERSON"), (2, 3, "PERSON")])
    assert not could_swap(nlp("Obama met Obama."), [(0, 1, "PERSON"), (2, 3, "PERSON")])


def test_no_ner_and_no_tagger():
    from paws_components.models import load_pipeline

    nlp = load_pipeline(exclude=["parser", "lemmatizer", "ner"])
    nlp.add_pipe("paws_template_tagger")
    assert slot_texts(nlp(TEXT))["York"] == "NNP"
    bare = spacy.blank("en")
    bare.add_pipe("paws_template_tagger")
    with pytest.raises(PawsError, match="P001.*tag_.*tagger"):
        bare("No tags here.")


def test_entities_of_a_ruler_count_as_sure():
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Ann"}, {"label": "PERSON", "pattern": "Bob"}])
    nlp.add_pipe("paws_template_tagger", config={"attr": "text"})
    assert slot_texts(nlp("Ann saw Bob"))["Ann"] == "PERSON"


def test_other_attributes_and_labels():
    from paws_components.models import load_pipeline

    nlp = load_pipeline(exclude=["lemmatizer"])
    config = {"attr": "pos_", "entity_labels": {"GPE": "PLACE"}, "fixed_tags": ["VERB"], "entity_threshold": 0.0}
    nlp.add_pipe("paws_template_tagger", config=config)
    doc = nlp(TEXT)
    assert slot_texts(doc)["Chicago"] == "PLACE" and slot_texts(doc)["flew"] == "VERB"
    assert {slot["tag"] for slot in doc._.paws_template if slot["fixed"]} == {"VERB"}


def test_empty_one_token_long_and_many_sentences(nlp):
    assert nlp("")._.paws_template == []
    assert len(nlp("Rain")._.paws_template) == 1
    long = nlp("The old man saw Rome. " * 400)
    assert long._.paws_template[-1]["end"] == len(long)


def test_pipe_equals_call_and_two_processes(nlp):
    texts = [TEXT, "", "Rain", "Tom's old dog isn't bad.", "😀 שלום"] * 3
    alone = [nlp(text)._.paws_template for text in texts]
    assert [doc._.paws_template for doc in nlp.pipe(texts, batch_size=4)] == alone
    assert [doc._.paws_template for doc in nlp.pipe(texts, n_process=2, batch_size=4)] == alone


def test_config_and_disk_round_trip(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert again.config["components"]["paws_template_tagger"] == nlp.config["components"]["paws_template_tagger"]
    assert again(TEXT)._.paws_template == nlp(TEXT)._.paws_template


def test_docbin_keeps_the_template(nlp):
    doc = nlp(TEXT)
    stored = DocBin(docs=[doc], store_user_data=True).to_bytes()
    (again,) = DocBin().from_bytes(stored).get_docs(nlp.vocab)
    assert [dict(slot) for slot in again._.paws_template] == doc._.paws_template


def test_a_bad_doc_does_not_take_its_batch_along(nlp):
    handled = []
    component = nlp.get_pipe("paws_template_tagger")
    bad = Doc(nlp.vocab, words=["no", "tags"])
    good = nlp.make_doc("Tom left.")
    with nlp.select_pipes(disable=["paws_template_tagger"]):
        good = nlp(good)
    component.set_error_handler(lambda name, proc, docs, error: handled.append((docs, error)))
    try:
        assert list(component.pipe([good, bad])) == [good]
    finally:
        component.set_error_handler(spacy.util.raise_error)
    assert handled[0][0] == [bad] and "P001" in str(handled[0][1])
