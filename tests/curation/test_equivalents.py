import pytest

from paws_components.curation.equivalents import Equivalents, read_equivalents
from paws_components.errors import PawsError
from paws_components.lang.en import EQUIVALENTS


@pytest.mark.parametrize(
    "first, second",
    [
        ("U.S.", "United States"),
        ("US", "U.S.A."),
        ("Nov. 11", "November 11"),
        ("Sept 3", "September 3"),
        ("over 50 million", "more than 50 million"),
        ("ten years ago", "a decade ago"),
        ("Two", "2"),
        ("third-quarter", "3rd quarter"),
        ("the ’90s", "the '90s"),
        ("al Qaeda", "al-Qaeda"),
    ],
)
def test_equivalents_have_one_key(first, second):
    equivalents = Equivalents()
    assert equivalents.key(first) == equivalents.key(second)


@pytest.mark.parametrize(
    "first, second",
    [
        ("U.N.", "U.S."),
        ("2-3", "2 3"),
        ("20", "2"),
        ("twofold", "2fold"),
        ("May 1", "March 1"),
        ("overall", "more than all"),
    ],
)
def test_others_stay_apart(first, second):
    equivalents = Equivalents()
    assert equivalents.key(first) != equivalents.key(second)


def test_keys_are_stable():
    equivalents = Equivalents()
    for group in EQUIVALENTS:
        for form in group:
            assert equivalents.key(equivalents.key(form)) == equivalents.key(form)


def test_a_form_in_two_groups_makes_them_one():
    equivalents = Equivalents([["a", "b"], ["c", "d"], ["d", "b"]])
    assert len({equivalents.key(form) for form in "abcd"}) == 1


def test_no_groups_still_folds_case_and_marks():
    equivalents = Equivalents([])
    assert equivalents.key("Third-Quarter") == "third quarter"
    assert equivalents.key("two") != equivalents.key("2")


def test_read_equivalents(tmp_path):
    path = tmp_path / "groups.txt"
    path.write_text("\ufeff# cities\nNew York = N.Y. = NY\n\nLos Angeles=L.A.\n", encoding="utf8")
    assert read_equivalents(path) == [["New York", "N.Y.", "NY"], ["Los Angeles", "L.A."]]


@pytest.mark.parametrize("line", ["New York", "New York =", "= NY"])
def test_a_line_that_is_no_group_is_named(tmp_path, line):
    path = tmp_path / "groups.txt"
    path.write_text(f"A = B\n{line}\n", encoding="utf8")
    with pytest.raises(PawsError, match=r"P121.*Line 2"):
        read_equivalents(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(PawsError, match="P020"):
        read_equivalents(tmp_path / "none.txt")
