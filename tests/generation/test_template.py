import pytest
import spacy
from spacy.tokens import Doc

from paws_components.errors import PawsError
from paws_components.generation.template import (
    Slot,
    Template,
    check_templates,
    entity_template,
    name_template,
    phrase_template,
    worthwhile,
)
from paws_components.generation.tokens import Tokens

SETTINGS = spacy.blank("en").add_pipe("paws_template_tagger").maker.settings


def tokens(words, tags):
    doc = Doc(spacy.blank("en").vocab, words=words.split(), tags=tags.split())
    return Tokens(doc, "tag_")


def shown(source, slots, movable_only=True):
    return [
        (" ".join(source.words[slot.start : slot.end]), slot.tag) for slot in slots if not (movable_only and slot.fixed)
    ]


def test_entities_are_slots_and_other_tokens_have_their_tags():
    source = tokens("Flights from New York to Florida .", "NNS IN NNP NNP IN NNP .")
    slots = entity_template(source, SETTINGS, [(2, 4, "LOCATION"), (5, 6, "LOCATION")])
    assert shown(source, slots, movable_only=False) == [
        ("Flights", "NNS"),
        ("from", "IN"),
        ("New York", "LOCATION"),
        ("to", "IN"),
        ("Florida", "LOCATION"),
        (".", "."),
    ]
    assert shown(source, slots) == [("New York", "LOCATION"), ("Florida", "LOCATION")]


def test_runs_of_proper_nouns_are_slots():
    source = tokens("Anna Lee saw Rio , Bonn and New York", "NNP NNP VBD NNP , NNP CC NNP NNP")
    assert [text for text, _ in shown(source, name_template(source, SETTINGS))] == [
        "Anna Lee",
        "saw",
        "Rio",
        "Bonn",
        "New York",
    ]


def test_linked_words_of_one_tag_are_slots():
    source = tokens("Local and poor students like rich , older ones", "JJ CC JJ NNS VBP JJ , JJR NNS")
    assert shown(source, phrase_template(source, SETTINGS)) == [
        ("Local and poor", "JJ"),
        ("like", "VBP"),
        ("rich , older", "JJ"),
    ]


def test_slots_cover_the_doc_without_gaps():
    source = tokens("A well known man saw Rome and old Oslo .", "DT RB VBN NN VBD NNP CC JJ NNP .")
    for slots in (
        entity_template(source, SETTINGS),
        name_template(source, SETTINGS),
        phrase_template(source, SETTINGS),
    ):
        assert [slot.start for slot in slots] == [0, *(slot.end for slot in slots[:-1])]
        assert slots[-1].end == len(source)


def test_compounds_are_never_cut():
    doc = Doc(
        spacy.blank("en").vocab,
        words=["Old", "Anglo", "-", "Saxon", "and", "New", "York", "-", "based", "men"],
        spaces=[True, False, False, True, True, True, False, False, True, False],
        tags=["NNP", "NNP", "HYPH", "NNP", "CC", "NNP", "NNP", "HYPH", "VBN", "NNS"],
    )
    source = Tokens(doc, "tag_")
    assert shown(source, name_template(source, SETTINGS)) == [
        ("Old Anglo - Saxon", "NAME"),
        ("New York - based", "VBN"),
    ]
    assert ("Anglo - Saxon", "NNP") in shown(source, entity_template(source, SETTINGS))


def test_only_worthwhile_templates_are_kept():
    words = list("abcd")

    def template(kind, *slots):
        return Template(kind, [Slot(*slot) for slot in slots], words)

    small = template("small", (0, 1, "X", False), (1, 2, "X", False), (2, 3, "Y", False))
    large = template("large", (0, 1, "Z", False), (1, 2, "Z", False), (2, 3, "Z", False))
    other = template("other", (0, 2, "X", False), (2, 4, "X", False))
    still = template("still", (0, 1, "X", True), (1, 2, "X", False))
    assert [t.kind for t in worthwhile([small, large, other, still])] == ["large", "other"]
    assert [t.kind for t in worthwhile([large, small])] == ["large"]
    assert len(worthwhile([small, small])) == 1
    assert worthwhile([still]) == []


def test_unknown_template_is_named():
    with pytest.raises(PawsError, match="P014.*'words'.*entities, names, phrases"):
        check_templates(["names", "words"])
