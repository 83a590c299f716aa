import pytest

from paws_back_translation.translators.languages import abbreviated, model_code, spellings
from paws_components.errors import Fatal


def test_spellings_of_a_language():
    assert spellings("de") == ["de", "deu"]
    assert spellings("deu") == ["deu", "de"]
    assert spellings("xx") == ["xx"]


@pytest.mark.parametrize(
    "code, known, expected",
    [
        ("de", ["de", "deu"], "de"),
        ("de", ["deu", "nld"], "deu"),
        ("de", ["eng_Latn", "deu_Latn"], "deu_Latn"),
        ("de", ["en_XX", "de_DE"], "de_DE"),
        ("deu", ["en", "de"], "de"),
        ("fa", ["pes_Arab", "deu_Latn"], "pes_Arab"),
        ("deu_Latn", ["eng_Latn", "deu_Latn"], "deu_Latn"),
    ],
)
def test_the_model_s_code_is_found(code, known, expected):
    assert model_code(code, known, {}, "m") == expected


def test_what_the_user_says_comes_first():
    assert model_code("zh", ["zho_Hans", "zho_Hant"], {"zh": "zho_Hant"}, "m") == "zho_Hant"


def test_several_scripts_are_the_user_s_choice():
    with pytest.raises(Fatal, match=r"\[B003\].*zho_Hans, zho_Hant"):
        model_code("zh", ["deu_Latn", "zho_Hans", "zho_Hant"], {}, "m")


def test_a_code_that_the_model_lacks_is_named_even_if_the_user_said_so():
    with pytest.raises(Fatal, match=r"\[B003\].*'dee'"):
        model_code("de", ["deu"], {"de": "dee"}, "m")


def test_long_lists_are_abbreviated():
    assert abbreviated(map(str, range(100, 130)), 2) == "100, 101 and 28 more"
    assert abbreviated([]) == "none"
