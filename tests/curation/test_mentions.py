import pytest
import spacy
from spacy.tokens import Doc, Span

from paws_components.curation.equivalents import Equivalents
from paws_components.curation.mentions import MentionReader


@pytest.fixture(scope="module")
def blank():
    return spacy.blank("en")


@pytest.fixture(scope="module")
def reader():
    return MentionReader(Equivalents())


def marked(nlp, text: str, label: str = "MONEY", **tags: str) -> Doc:
    """A Doc whose one entity stands between square brackets in the text."""
    start, end = text.index("["), text.index("]") - 1
    doc = nlp(text.replace("[", "").replace("]", ""))
    span = doc.char_span(start, end, label=label)
    assert isinstance(span, Span), [token.text for token in doc]
    doc.set_ents([span])
    for token in doc:
        token.pos_ = tags.get(token.text, "X")
    return doc


@pytest.mark.parametrize(
    "text, key, unit, article, whole",
    [
        ("He paid [5 million].", "5 million", "", "", "5 million"),
        ("He paid $[5 million].", "5 million", "dollar", "", "$5 million"),
        ("He paid US$[5 million].", "5 million", "dollar", "", "US$5 million"),
        ("He paid [about $5].", "about $5", "", "", "about $5"),
        ("It rose [5 percent].", "5", "percent", "", "5 percent"),
        ("It rose [5 per cent].", "5", "percent", "", "5 per cent"),
        ("It rose [5%].", "5", "percent", "", "5%"),
        ("In [the third quarter] it rose.", "3rd quarter", "", "the", "third quarter"),
        ("In the [third quarter] it rose.", "3rd quarter", "", "the", "third quarter"),
        ("On [Friday's] list.", "friday", "", "", "Friday"),
        ('He read ["Friday"] twice.', "friday", "", "", "Friday"),
    ],
)
def test_value_unit_and_article(blank, reader, text, key, unit, article, whole):
    (mention,) = reader.read(marked(blank, text))
    assert (mention.key, mention.unit, mention.article, mention.whole) == (key, unit, article, whole)


def test_offsets_are_those_of_the_text(blank, reader):
    doc = marked(blank, "He paid the US$[5 million] back.")
    (mention,) = reader.read(doc)
    assert doc.text[mention.start : mention.end] == "the US$5 million"
    assert doc.text[mention.whole_start : mention.end] == "US$5 million"
    assert doc.text[mention.value_start : mention.value_end] == "5 million" == mention.value


def test_the_article_of_a_later_noun_is_not_ours(blank, reader):
    (mention,) = reader.read(marked(blank, "In the [July] issue it stands.", "DATE", issue="NOUN"))
    assert mention.article == ""


def test_sentence_initial_capital_is_no_part_of_a_quantity(blank, reader):
    (mention,) = reader.read(marked(blank, "[Three dozen] came.", "CARDINAL"))
    assert mention.initial and mention.whole == "three dozen"
    (mention,) = reader.read(marked(blank, "[Monday] came.", "DATE", Monday="PROPN"))
    assert mention.initial and mention.whole == "Monday"
    (mention,) = reader.read(marked(blank, "[Veritas] came.", "ORG"))
    assert mention.whole == "Veritas"
    (mention,) = reader.read(marked(blank, "There came [Three].", "CARDINAL"))
    assert not mention.initial and mention.whole == "Three"


def test_marks_alone_are_no_mention(blank, reader):
    assert reader.read(marked(blank, "He paid [$] for it.")) == []
    assert reader.read(blank("")) == []


def test_units_and_articles_are_settings(blank):
    reader = MentionReader(Equivalents(), articles=["all the"], units={"euro": ["€", "EUR"]})
    (mention,) = reader.read(marked(blank, "He paid [all the 5 EUR] back."))
    assert (mention.article, mention.unit, mention.value) == ("all the", "euro", "5")
    (mention,) = reader.read(marked(blank, "It rose [5 percent]."))
    assert (mention.unit, mention.value) == ("", "5 percent")
    bare = MentionReader(Equivalents(), articles=[], units={})
    (mention,) = bare.read(marked(blank, "In [the third quarter] it rose."))
    assert (mention.article, mention.whole) == ("", "the third quarter")
