from functools import partial
from typing import Annotated, Any, Dict, List, Optional

import pytest
from pydantic import Field

from paws_components.errors import PawsError
from paws_components.settings import describe, parse_assignments, validate


class Maker:
    """Makes it.

    nlp (Language): The pipeline.
    model (str): Which one, by its name
        or its folder.
    """

    def __init__(
        self,
        nlp,
        *,
        k: Annotated[int, Field(ge=1)] = 5,
        model: str,
        names: List[str] = [],  # noqa: B006
        limit: Optional[float] = None,
        anything=None,
    ):
        pass


def open_maker(*, k: int = 1, **others: Any):
    pass


def check(**settings):
    return validate("generator 'x'", Maker, settings, 1)


def test_good_settings_pass_and_keep_their_types():
    assert check(model="m") == {"model": "m"}
    assert check(model="m", k="3", names=["a"], limit=2, anything=object) == {
        "model": "m",
        "k": 3,
        "names": ["a"],
        "limit": 2.0,
        "anything": object,
    }
    assert validate("x", open_maker, {"k": 2, "other": [1]}) == {"k": 2, "other": [1]}


@pytest.mark.parametrize(
    "settings, reason",
    [
        ({}, "`model` is missing"),
        ({"model": "m", "modle": 1}, r"there is no `modle` \(did you mean `model`\?\)"),
        ({"model": "m", "zzz": 1}, r"there is no `zzz` \(there are: k, model, names, limit, anything\)"),
        ({"model": "m", "k": "five"}, "`k`: .*integer.* but it is 'five'"),
        ({"model": "m", "k": 0}, "`k`: .*greater than or equal to 1.* but it is 0"),
        ({"model": "m", "names": ["a", 1]}, "`names.1`: .*string.* but it is 1"),
        ({"model": 3}, "`model`"),
    ],
)
def test_errors_name_the_key(settings, reason):
    with pytest.raises(PawsError, match=f"P203.*generator 'x'.*{reason}"):
        check(**settings)


def test_describe():
    settings = {setting.name: setting for setting in describe(Maker, 1)}
    assert list(settings) == ["k", "model", "names", "limit", "anything"]
    assert settings["model"].required and not settings["k"].required and settings["k"].default == 5
    assert settings["k"].type == "int" and settings["limit"].type == "Optional[float]"
    assert settings["model"].about == "Which one, by its name or its folder." and settings["k"].about == ""
    assert [setting.name for setting in describe(partial(open_maker, k=3))] == ["k"]


def test_assignments():
    assert parse_assignments(["k=5", "a.b.c=text", "a.d=[1, 2]", "model=x=y", "on=true", "none=null", "e="]) == {
        "k": 5,
        "a": {"b": {"c": "text"}, "d": [1, 2]},
        "model": "x=y",
        "on": True,
        "none": None,
        "e": "",
    }
    for bad in (["k"], ["=5"], ["a..b=1"], ["a=1", "a.b=2"]):
        with pytest.raises(PawsError, match="P204"):
            parse_assignments(bad)


def test_a_dict_of_settings_is_passed_on():
    def maker(*, inner: Dict[str, Any] = {}):  # noqa: B006
        pass

    assert validate("x", maker, {"inner": {"a": {"b": 1}}}) == {"inner": {"a": {"b": 1}}}
