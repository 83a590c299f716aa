import pytest
import spacy

from paws_components.generation.lists import is_list_permutation
from paws_components.generation.tokens import Tokens

LISTS = [
    ("He likes cats and dogs .", "He likes dogs and cats ."),
    ("Anna , Ben , Carl and Dora came .", "Dora , Ben , Anna and Carl came ."),
    ("Anna , Ben , Carl and Dora came .", "Ben , Anna , Carl and Dora came ."),
    ("Both Oslo and Rome are far .", "Both Rome and Oslo are far ."),
    (
        "The difference between normal profit and economic profit .",
        "The difference between economic profit and normal profit .",
    ),
    ("She is tall , slim and young .", "She is young , slim and tall ."),
    ("Is it good or bad ?", "Is it bad or good ?"),
]
NO_LISTS = [
    ("Can a bad person become good ?", "Can a good person become bad ?"),
    ("Tom , Jerry 's friend , and Bill left .", "Jerry , Tom 's friend , and Bill left ."),
    ("Tom hit Ann and Bill hit Eve .", "Bill hit Ann and Tom hit Eve ."),
    ("In Paris , Tom met Ann .", "In Ann , Tom met Paris ."),
    ("He flew from Oslo and Rome to Bonn .", "He flew from Bonn and Rome to Oslo ."),
    ("He slept .", "He slept ."),
]


def tokens(text, nlp=None):
    return Tokens((nlp or spacy.blank("en"))(text), "tag_")


@pytest.mark.parametrize("source, target", LISTS)
def test_by_pattern(source, target):
    assert is_list_permutation(tokens(source), target.split())


@pytest.mark.parametrize("source, target", NO_LISTS)
def test_other_swaps_are_none(source, target, en_nlp):
    assert not is_list_permutation(tokens(source), target.split())
    assert not is_list_permutation(tokens(source, en_nlp), target.split())


@pytest.mark.parametrize("source, target", LISTS[:4] + LISTS[5:])
def test_by_parse(source, target, en_nlp):
    assert is_list_permutation(tokens(source, en_nlp), target.split())


def test_the_parse_vouches_for_lists_without_conjunction(en_nlp):
    source, target = "He saw dogs , cats , birds .", "He saw cats , dogs , birds ."
    assert is_list_permutation(tokens(source, en_nlp), target.split())
    assert not is_list_permutation(tokens(source), target.split())


def test_on_real_pairs(data_dir):
    """Of the released pairs that we call list permutations, people called nearly all paraphrases."""
    from paws_components.readers import read_pairs

    nlp = spacy.blank("en")
    labels = []
    for record in read_pairs(data_dir / "paws_qqp" / "train.tsv"):
        source = Tokens(nlp(record.sentence1), "tag_")
        target = [token.text for token in nlp(record.sentence2)]
        if sorted(source.words) == sorted(target) and is_list_permutation(source, target):
            labels.append(record.label)
    assert len(labels) > 300
    assert sum(labels) / len(labels) > 0.9
