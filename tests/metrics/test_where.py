import pickle

import pytest

from paws_components.errors import PawsError
from paws_components.metrics.where import parse_where

VALUES = {"wpd": 0.3, "ld": 0.05, "label": 1, "gap": None, "quality": "0.5"}


@pytest.mark.parametrize(
    "text, holds",
    [
        ("wpd > 0.2 and ld < 0.1", True),
        ("wpd > 0.2 and ld > 0.1", False),
        ("wpd > 0.4 or ld < 0.1", True),
        ("not wpd > 0.4", True),
        ("0.1 < wpd <= 0.3", True),
        ("0.3 < wpd <= 0.4", False),
        ("label == 1 and (ld == 0 or wpd != 0)", True),
        ("wpd - ld > 0.2", True),
        ("2 * wpd + -1 * ld < .6", True),
        ("wpd > -0.1", True),
        ("quality >= 0.5", True),  # tables hold texts
        ("gap > 0", False),  # a value that is not there meets no comparison …
        ("gap < 0", False),
        ("gap == 0 or gap != 0", False),
        ("not gap > 0", True),
        ("gap + wpd > 0", False),
    ],
)
def test_conditions(text, holds):
    assert parse_where(text)(VALUES) is holds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "wpd",
        "wpd >",
        "wpd > 0.2; import os",
        "__import__('os').system('true')",
        "wpd.real > 0",
        "wpd > (lambda: 0)()",
        "wpd > [x for x in (1, 2)][0]",
        "wpd > 2 ** 9999999",
        "wpd in (1, 2)",
        "wpd > '0'",
        "wpd > True",
        "(wpd := 1) > 0",
        "wpd & ld",
        "(wpd > 0.1) + 1 > 0",
        "not wpd",
        "not " * 100_000 + "wpd > 1",
        "(" * 1000 + "wpd > 1" + ")" * 1000,
        "wpd > 0\0",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(PawsError, match="P105"):
        parse_where(text)


def test_names_are_known_before_any_pair_is_seen():
    assert parse_where("wpd > 0.2 and not (ld < 0.1 or wpd == label)").names == {"wpd", "ld", "label"}


def test_a_name_that_is_not_there():
    with pytest.raises(PawsError, match="P106.*'wdp'.*gap, label, ld"):
        parse_where("wdp > 0.2")(VALUES)


def test_crosses_processes():
    assert pickle.loads(pickle.dumps(parse_where("wpd > 0.2")))(VALUES)
