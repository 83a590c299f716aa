import re

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from paws_components.curation.differences import carry_over, differences, last_word
from paws_components.curation.equivalents import Equivalents
from paws_components.curation.mentions import MentionReader

NLP = spacy.blank("en")
READER = MentionReader(Equivalents())


def read(text: str):
    """The text without its marks, and its mentions: `[5|MONEY]` marks an entity of a type."""
    plain, spans, rest = "", [], text
    while "[" in rest:
        before, rest = rest.split("[", 1)
        inside, rest = rest.split("]", 1)
        words, label = inside.split("|")
        plain += before
        spans.append((len(plain), len(plain) + len(words), label))
        plain += words
    doc = NLP(plain + rest)
    doc.set_ents([doc.char_span(start, end, label=label) for start, end, label in spans])
    return doc.text, READER.read(doc)


def correct(first: str, second: str):
    """Both ways of carrying values over: the new second sentence and the new first."""
    (text1, mentions1), (text2, mentions2) = read(first), read(second)
    pairs = [(difference.first[0], difference.second[0]) for difference in differences(mentions1, mentions2)]
    there, _ = carry_over(text2, mentions2, [(old, new) for new, old in pairs])
    here, _ = carry_over(text1, mentions1, pairs)
    return there, here


def found(first: str, second: str, labels=None):
    return [d.to_dict() for d in differences(read(first)[1], read(second)[1], labels)]


def test_types_are_compared_apart():
    assert found("[5|MONEY] and [6|DATE]", "[5|MONEY] or [6|DATE]") == []
    assert found("[5|MONEY]", "[5|DATE]") == [
        {"label": "DATE", "sentence1": [], "sentence2": ["5"]},
        {"label": "MONEY", "sentence1": ["5"], "sentence2": []},
    ]
    assert found("[5|MONEY]", "[5|DATE]", labels={"MONEY"}) == [{"label": "MONEY", "sentence1": ["5"], "sentence2": []}]


def test_a_value_counts_once_and_order_is_that_of_the_text():
    assert found("[5|MONEY], [5|MONEY]", "[5|MONEY]") == []
    assert found("[9|MONEY], [7|MONEY], [8|MONEY]", "[8|MONEY]") == [
        {"label": "MONEY", "sentence1": ["9", "7"], "sentence2": []}
    ]


def test_single_is_one_against_one():
    (one,) = differences(read("[5|MONEY], [6|MONEY]")[1], read("[5|MONEY], [7|MONEY]")[1])
    assert one.single
    (two,) = differences(read("[5|MONEY], [6|MONEY]")[1], read("[5|MONEY]")[1])
    assert not two.single


@pytest.mark.parametrize(
    "first, second, there, here",
    [
        # the paper's Figure 9
        (
            "American has laid off [6,500|CARDINAL] of its flight attendants since [Dec. 31|DATE].",
            "Since [October 2001|DATE], American has laid off [6,149|CARDINAL] flight attendants.",
            "Since Dec. 31, American has laid off 6,500 flight attendants.",
            "American has laid off 6,149 of its flight attendants since October 2001.",
        ),
        # units stay where both have them, and go with the value where one has not
        ("It lost $[US5|MONEY].", "Lost: $[7|MONEY].", "Lost: $5.", "It lost $US7."),
        ("It lost [about $5|MONEY].", "Lost: $[7|MONEY].", "Lost: about $5.", "It lost $7."),
        ("It rose [5%|PERCENT].", "Up [7 percent|PERCENT].", "Up 5 percent.", "It rose 7%."),
        # articles likewise
        (
            "In [the third quarter|DATE] it fell.",
            "It fell in [July|DATE].",
            "It fell in the third quarter.",
            "In July it fell.",
        ),
        ("In the [2nd half|DATE].", "By [the first half|DATE].", "By the 2nd half.", "In the first half."),
        # capitals
        ("[Two|CARDINAL] came.", "There came [three|CARDINAL].", "There came two.", "Three came."),
        ("[The third quarter|DATE] was bad.", "Bad was [July|DATE].", "Bad was the third quarter.", "July was bad."),
        # a and an
        ("A [10-year|DATE] term.", "An [11-year|DATE] sentence.", "A 10-year sentence.", "An 11-year term."),
        ("A [110-mile|QUANTITY] way.", "An [eight-mile|QUANTITY] road.", "A 110-mile road.", "An eight-mile way."),
        # a possessive stays
        ("In [today's|DATE] issue.", "It came [Tuesday|DATE].", "It came today.", "In Tuesday's issue."),
        # each mention of the value
        ("[5|MONEY], I say [5|MONEY].", "[6|MONEY] then.", "5 then.", "6, I say 6."),
        # no word twice
        (
            "Mrs [Boncyk|PERSON] came.",
            "He saw [Mrs. Boncyk Senior|PERSON].",
            "He saw Boncyk.",
            "Mrs Boncyk Senior came.",
        ),
    ],
)
def test_carry_over(first, second, there, here):
    assert correct(first, second) == (there, here)


def test_replacements_say_where_they_stand():
    text, mentions = read("From [5|MONEY] to [9|DATE] and [5|MONEY].")
    _, (new, *_) = read("[twenty|MONEY]")
    changed, replaced = carry_over(text, mentions, [(mentions[0], new)])
    assert changed == "From twenty to 9 and twenty."
    assert [changed[entry["start"] : entry["end"]] for entry in replaced] == ["twenty", "twenty"]
    assert {(entry["label"], entry["from"], entry["to"]) for entry in replaced} == {("MONEY", "5", "twenty")}


def test_nothing_to_carry_over():
    assert carry_over("As it was.", [], []) == ("As it was.", [])


@given(st.text(st.sampled_from("aZ_9.,- \n\t\u00a0é漢") | st.characters(), max_size=20))
def test_the_last_word_before_white_space(text):
    found = re.search(r"(\w[\w.]*)\s+$", text)
    assert last_word(text) == (found.group(1) if found else None)


@pytest.mark.parametrize("letters", ["x", "a.", "x,", ". ", " "])
def test_the_last_word_of_a_long_text(letters):
    """A search from the left took a minute for a tenth of this, and time grew with the square: it would never end."""
    assert last_word(letters * 200_000 + "-") is None
    assert last_word(letters * 200_000 + " Mrs.\n") == "Mrs."
