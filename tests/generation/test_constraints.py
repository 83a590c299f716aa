"""Each rule with the sentence that taught it."""

import inspect

import pytest
import spacy
from spacy.tokens import Doc

from paws_components.errors import PawsError
from paws_components.generation.constraints import ALL, CONSTRAINTS, TWO_SPANS, check_constraints, stopped_by
from paws_components.generation.template import Slot
from paws_components.generation.tokens import Tokens

VOCAB = spacy.blank("en").vocab


def read(text, tags, ents=None, morphs=None):
    """A tagged sentence: words and tags by spaces, entities as {(start, end): label}."""
    words = text.split()
    iob = ["O"] * len(words)
    for (start, end), label in (ents or {}).items():
        iob[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    found = [(morphs or {}).get(i, "") for i in range(len(words))]
    return Tokens(Doc(VOCAB, words=words, tags=tags.split(), ents=iob, morphs=found), "tag_")


def slot(start, end=None):
    return Slot(start, end or start + 1, "X", False)


# The rule, a sentence, two spans that it stops, and two that it lets pass (None where the sentence has none).
TAUGHT = [
    ("auxiliaries", read("It was recorded and sold .", "PRP VBD VBN CC VBD ."), ((1,), (2,)), ((2,), (4,))),
    (
        "numbers",
        read("No.47 in French , it charted at Sung .", "NNP IN NNP , PRP VBD IN NNP ."),
        ((0,), (7,)),
        ((2,), (7,)),
    ),
    (
        "numbers",
        read("Ada 83 came from ANSI and ISO", "NNP CD VBD IN NNP CC NNP"),
        ((0, 2), (4,)),
        ((4,), (6,)),
    ),
    (
        "one_name",
        read("the SS Cap Arcona stood in for Titanic", "DT NNP NNP NNP VBD IN IN NNP"),
        ((2,), (3,)),
        ((3,), (7,)),
    ),
    ("one_name", read("a large stone house and an old barn", "DT JJ JJ NN CC DT JJ NN"), ((1,), (2,)), ((1,), (6,))),
    (
        "quantifiers",
        read("few takes and long shots in old films", "JJ NNS CC JJ NNS IN JJ NNS"),
        ((0,), (3,)),
        ((3,), (6,)),
    ),
    ("apposition", read("in Kandahar , Afghanistan and Iran", "IN NNP , NNP CC NNP"), ((1,), (3,)), ((1,), (5,))),
    (
        "dates",
        read(
            "the early 20th century and late 19th century of old",
            "DT JJ JJ NN CC JJ JJ NN IN JJ",
            {(0, 4): "DATE", (5, 8): "DATE"},
        ),
        ((2,), (6,)),
        ((1,), (5,)),
    ),
    (
        "whole_names",
        read("from New York to Paris and New Orleans", "IN NNP NNP TO NNP CC NNP NNP"),
        ((2,), (4,)),
        ((1, 3), (4,)),
    ),
    (
        "entity_types",
        read(
            "Anna met Karl in Berlin near Gorm",
            "NNP VBD NNP IN NNP IN NNP",
            {(0, 1): "PERSON", (2, 3): "PERSON", (4, 5): "GPE"},
        ),
        ((0,), (4,)),
        ((0,), (6,)),
    ),
    (
        "agreement",
        read(
            "Targets were bombed while it was quiet and they are loud",
            "NNS VBD VBN IN PRP VBD JJ CC PRP VBP JJ",
            morphs={1: "Number=Plur", 5: "Number=Sing", 9: "Number=Plur"},
        ),
        ((1,), (5,)),
        ((1,), (9,)),
    ),
    (
        "articles",
        read("a minor role and an important part and the old one", "DT JJ NN CC DT JJ NN CC DT JJ NN"),
        ((1,), (5,)),
        ((5,), (9,)),
    ),
]


@pytest.mark.parametrize("name, tokens, stopped, passes", TAUGHT, ids=[entry[0] for entry in TAUGHT])
def test_the_sentence_that_taught_it(name, tokens, stopped, passes):
    rule = CONSTRAINTS[name]
    for ways, expected in ((stopped, False), (passes, True)):
        a, b = (slot(*bounds) for bounds in ways)
        assert rule(tokens, a, b) is expected
        assert rule(tokens, b, a) is expected, "a trade is one whichever span is named first"
        assert stopped_by([name], tokens, [(a, b), (b, a)]) == (None if expected else name)


def test_every_rule_is_taught_and_says_by_what():
    assert {entry[0] for entry in TAUGHT} == set(CONSTRAINTS)
    for name, rule in CONSTRAINTS.items():
        assert rule.__name__ == name
        assert inspect.getdoc(rule).count('"') >= 2, f"{name} must quote an example"
    assert ALL == [TWO_SPANS, *CONSTRAINTS]


def test_two_spans_and_no_more():
    tokens = read("Bob told Sue that Ann saw Joe", "NNP VBD NNP IN NNP VBD NNP")
    bob, sue, ann = slot(0), slot(2), slot(4)
    assert stopped_by(ALL, tokens, [(bob, sue), (sue, bob)]) is None
    assert stopped_by(ALL, tokens, [(bob, sue), (sue, ann), (ann, bob)]) == TWO_SPANS
    assert stopped_by(list(CONSTRAINTS), tokens, [(bob, sue), (sue, ann), (ann, bob)]) is None


def test_a_language_without_rules_of_its_own_knows_no_words():
    doc = Doc(spacy.blank("it").vocab, words="une a été amie".split(), tags="DT VBZ VBN NN".split())
    tokens = Tokens(doc, "tag_")
    assert CONSTRAINTS["articles"](tokens, slot(1), slot(3))
    assert CONSTRAINTS["auxiliaries"](tokens, slot(1), slot(2))
    doc[1].pos_ = "AUX"  # but any tagger may know
    assert not CONSTRAINTS["auxiliaries"](Tokens(doc, "tag_"), slot(1), slot(2))


def test_an_unknown_rule_is_named():
    check_constraints(ALL)
    with pytest.raises(PawsError, match="P026.*'two_span'.*two_spans"):
        check_constraints(["two_span"])
    with pytest.raises(PawsError, match="P026.*'one_nam'"):
        spacy.blank("en").add_pipe("paws_swapper", config={"constraints": ["one_nam"]})


def test_what_a_rule_would_have_stopped_is_evidence(make_nlp):
    text = "The new car of a small old man, and Angela Merkel met Barack Obama in Berlin."
    loose = {"precise": False, "n_best": 100, "threshold": None}
    exclude = ["parser", "lemmatizer"]
    swaps = make_nlp("paws_swapper", exclude=exclude, paws_swapper=loose)(text)._.paws_swaps
    named = {swap.get("rule") for swap in swaps}
    assert {None, TWO_SPANS, "entity_types"} <= named <= {None, *ALL}
    assert all(len(swap["moved"]) > 2 for swap in swaps if swap.get("rule") == TWO_SPANS)
    # With the rules, what they stop is gone and nothing else changes.
    strict = make_nlp("paws_swapper", exclude=exclude, paws_swapper={**loose, "constraints": ALL})(text)._.paws_swaps
    assert strict and not any("rule" in swap for swap in strict)
    assert {swap["text"] for swap in swaps if "rule" not in swap} <= {swap["text"] for swap in strict}
    # One rule alone: the others are still named.
    one = {**loose, "constraints": ["entity_types"]}
    swaps = make_nlp("paws_swapper", exclude=exclude, paws_swapper=one)(text)._.paws_swaps
    assert TWO_SPANS in {swap.get("rule") for swap in swaps}
    assert "entity_types" not in {swap.get("rule") for swap in swaps}


def test_articles_may_be_put_right_instead(make_nlp):
    text = "He met an honest man and a young friend."
    config = {"n_best": 50, "threshold": None, "judge": None, "precise": False}
    stopping = make_nlp("paws_swapper", paws_swapper={**config, "constraints": ["articles"]})(text)._.paws_swaps
    assert not any("an young" in swap["text"] for swap in stopping)
    fixing = make_nlp("paws_swapper", paws_swapper={"fix_articles": True})
    assert "articles" not in fixing.get_pipe("paws_swapper").swapper.settings.constraints
