import pytest
import spacy

from paws_components.generation.surface import (
    fixed_by_spelling,
    initial_case,
    plain_case,
    sentence_starts,
)
from paws_components.lang import rules_of
from paws_components.lang.en import fix_articles


def read(text, lang="en"):
    doc = spacy.blank(lang).make_doc(text)
    return [token.text for token in doc], [token.whitespace_ for token in doc]


@pytest.mark.parametrize(
    "text, frozen",
    [
        ("He doesn't swim.", {"does", "n't"}),
        ("He does n't swim.", {"does", "n't"}),
        ("I'm late and you've won.", {"I", "'m", "you", "'ve"}),
        ("Tom's dog can bark.", {"'s"}),
        ("They cannot come.", {"can", "not"}),
        ("It's 10km away.", {"'s", "10", "km"}),
        ("A plain sentence.", set()),
    ],
)
def test_what_spelling_ties_to_its_neighbour_stays(text, frozen):
    words, spaces = read(text)
    found, _ = fixed_by_spelling(words, spaces, rules_of("en"))
    assert {words[i] for i in found} == frozen


def test_compounds_move_whole():
    words, spaces = read("My mother-in-law knows well-known and/or old songs.")
    _, tied = fixed_by_spelling(words, spaces, rules_of("en"))
    assert [words[i] for i in sorted(tied)] == ["mother", "-", "in", "-", "well", "-"]


def test_a_missing_space_ties_nothing_where_none_are_written():
    words = ["他", "喜欢", "猫"]
    assert fixed_by_spelling(words, ["", "", ""], rules_of("xx"), spaced=False) == (set(), set())


def test_sentence_starts_by_punctuation_and_by_marks():
    words, _ = read('He left. "Why?" she asked. Nobody knew')
    assert [words[i] for i in sorted(sentence_starts(words))] == ["He", "Why", "she", "Nobody"]
    marks = [word in ("He", "Nobody") for word in words]
    assert [words[i] for i in sorted(sentence_starts(words, marks))] == ["He", "Nobody"]
    assert sentence_starts([]) == set()
    assert sentence_starts(["?", "!"]) == set()


def test_capitals_are_moved_with_the_start():
    assert plain_case("Bad", False) == "bad"
    assert [plain_case(word, False) for word in ("NATO", "I", "McDonald", "bad", "1st", "")] == [
        "NATO",
        "I",
        "McDonald",
        "bad",
        "1st",
        "",
    ]
    assert plain_case("Paris", True) == "Paris"
    assert [initial_case(word) for word in ("bad", "iPhone", "1st", "", "élan")] == ["Bad", "iPhone", "1st", "", "Élan"]


@pytest.mark.parametrize(
    "before, after",
    [
        ("a apple", "an apple"),
        ("An big dog", "A big dog"),
        ("a hour", "an hour"),
        ("an university", "a university"),
        ("an one-eyed cat", "a one-eyed cat"),
        ("a unimportant man", "an unimportant man"),
        ("a FBI agent", "an FBI agent"),
        ("an NATO base", "a NATO base"),
        ("a dog", "a dog"),
    ],
)
def test_articles_agree(before, after):
    words, changed = fix_articles(before.split())
    assert " ".join(words) == after
    assert bool(changed) == (before != after)
