import json

import pytest
from click.testing import CliRunner

from paws_apt.training.curve import both_ends
from paws_components.cli import cli
from paws_components.errors import PawsError

REWARDS = [0.0, 0.2, 9.0, 9.0, 9.0, 9.0, 0.3, 0.5]
POINT = {"loss": 1.0, "reward_of_batch": 0.0, "mi_rate": 0.5, "apt_rate": 0.1}
POINTS = [{**POINT, "step": 10 * i, "reward": value} for i, value in enumerate(REWARDS, 1)]


def curve(*args):
    return CliRunner().invoke(cli, ["apt", "curve", *map(str, args)], catch_exceptions=False).output


def test_both_ends():
    ends = both_ends(POINTS)
    assert (ends.steps, ends.points) == (80, 2)
    assert ends.first == pytest.approx({**POINT, "reward": 0.1}) and ends.last == pytest.approx(
        {**POINT, "reward": 0.4}
    )
    assert both_ends(POINTS, 0.01).first["reward"] == 0.0 and both_ends(POINTS[:1]).points == 1
    assert "did not go up" in str(both_ends(POINTS[:1]))
    for share in (0, 0.6):
        with pytest.raises(PawsError, match="A022.*share"):
            both_ends(POINTS, share)


def test_the_command(tmp_path):
    path = tmp_path / "curve.json"
    path.write_text(json.dumps(POINTS), encoding="utf8")
    told = curve(tmp_path)
    assert told == curve(path) and "The reward went up: from 0.1000 per sentence to 0.4000" in told
    assert ["reward", "0.1000", "0.4000"] in [line.split() for line in told.splitlines()]
    assert "| reward | 0.1000 | 0.4000 |" in curve(path, "--format", "markdown")
    found = json.loads(curve(path, "--format", "json", "--share", 0.125))
    assert (found["first"]["reward"], found["last"]["reward"], found["steps"]) == (0.0, 0.5, 80)
    path.write_text(json.dumps(POINTS[::-1]), encoding="utf8")
    assert "did not go up: from 0.4000" in curve(path)


@pytest.mark.parametrize(
    "text, reason",
    [
        (None, "No such file"),
        ("[{", "Expecting"),
        ("{}", "not a list of points"),
        ("[]", "not a list of points"),
        ("[1]", "no step"),
        ('[{"step": 1, "loss": 2.0}]', "no reward.*--loss reward"),
    ],
)
def test_what_is_not_such_a_curve(tmp_path, text, reason):
    if text is not None:
        (tmp_path / "curve.json").write_text(text, encoding="utf8")
    with pytest.raises(PawsError, match=f"A032.*{reason}"):
        curve(tmp_path / "curve.json")
