import pytest

from paws_components.lang import Rules, rules_of, stop_words


def test_a_language_without_a_file_has_the_rules_that_hold_anywhere():
    assert rules_of("tlh") == rules_of("") == rules_of("../en") == Rules()
    assert rules_of("en") != Rules() and rules_of("en") is rules_of("en")


@pytest.mark.parametrize("lang, word", [("en", "the"), ("fr", "les"), ("de", "und")])
def test_stop_words(lang, word):
    assert word in stop_words(lang)
