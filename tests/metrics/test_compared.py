"""ROUGE-L, self-BLEU and Damerau-Levenshtein, beside the values that the WPD / LD paper prints (Figures 3 to 5)."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_components.metrics.compared import damerau_levenshtein, rouge_l, self_bleu

pytest.importorskip("rapidfuzz", reason="needs the [metrics] extra")
pytest.importorskip("sacrebleu", reason="needs the [metrics] extra")

WORDS = st.lists(st.sampled_from("a b c D".split()), max_size=9)

FIGURE_4A = (
    "However, prosecutors have declined to take criminal action against guards, though Fine said his inquiry is not "
    "finished.",
    "Prosecutors have declined to take criminal action against corrections officers, although Fine said his inquiry "
    "was not finished.",
)
FIGURE_4B = (
    "In trading on the New York Stock Exchange, Kraft shares fell 25 cents to close at $32.30.",
    "Kraft's shares fell 25 cents to close at $32.30 yesterday on the New York Stock Exchange.",
)
FIGURE_5A = (
    "An attempt last month in the Senate to keep the fund open for another year fell flat.",
    "An attempt to keep the fund open for another year fell flat in the Senate last month.",
)
FIGURE_5B = (
    "Prisoners were tortured and executed -- their ears and scalps severed for souvenirs.",
    "They frequently tortured and shot prisoners, severing ears and scalps for souvenirs.",
)


def longest_common(words1, words2):
    table = [[0] * (len(words2) + 1) for _ in range(len(words1) + 1)]
    for i, one in enumerate(words1):
        for j, two in enumerate(words2):
            table[i + 1][j + 1] = table[i][j] + 1 if one == two else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@given(WORDS, WORDS)
def test_rouge_l_is_the_f_measure_of_the_longest_common_subsequence(words1, words2):
    common = longest_common([word.lower() for word in words1], [word.lower() for word in words2])
    expected = 2 * common / (len(words1) + len(words2)) if common else 0.0
    assert rouge_l(words1, words2) == pytest.approx(expected)


@pytest.mark.parametrize("pair, printed", [(FIGURE_4A, 0.56), (FIGURE_4B, 0.57)])
def test_self_bleu_as_printed(pair, printed):
    assert self_bleu(*pair) == pytest.approx(printed, abs=0.005)


@pytest.mark.parametrize("pair, printed", [(FIGURE_5A, 0.59), (FIGURE_5B, 0.51)])
def test_edit_distance_as_printed(pair, printed):
    assert damerau_levenshtein(*pair) == pytest.approx(printed, abs=0.005)


def test_rouge_l_of_figure_3_is_not_what_is_printed():
    """The paper prints 0.75. That is what ROUGE-1 gives: the share of common words, whatever their order."""
    one = "the top rate will go to 4 45 percent for all residents with taxable incomes above $500,000".split()
    two = "for residents with incomes above $500,000, the income-tax rate will increase to 4 45 percent".split()
    assert 2 * len(set(one) & set(two)) / (len(set(one)) + len(set(two))) == 0.75
    assert rouge_l(one, two) == pytest.approx(14 / 32)


def test_edges():
    assert damerau_levenshtein("", "") == 0.0
    assert damerau_levenshtein("ab", "ba") == 0.5  # one transposition
    assert self_bleu("a dog", "a dog") == pytest.approx(1.0)
    assert self_bleu("a dog", "the cat") == 0.0
    assert self_bleu("", "") == 0.0


def test_the_extra_is_imported_when_it_is_needed():
    code = (
        "import sys, spacy; spacy.blank('en').add_pipe('paws_pair_metrics');"
        "print([name for name in ('rapidfuzz', 'sacrebleu', 'datasets') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_library_is_our_error():
    code = (
        "import sys; sys.modules['rapidfuzz'] = None; sys.modules['rapidfuzz.distance'] = None\n"
        "from paws_components.metrics.compared import rouge_l\nrouge_l(['a'], ['a'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "[P101]" in done.stderr and "paws-components[metrics]" in done.stderr
