"""Commands of plugins, as modules on the path and entry points made for them."""

import sys
from importlib.metadata import EntryPoint

import click
import pytest
from click.testing import CliRunner

from paws_components.cli import cli, plugged
from paws_components.errors import PawsError

GOOD = """
import click

@click.command()
@click.option("--times", default=1)
def bark(times):
    \"\"\"Make a noise.\"\"\"
    click.echo("wuff " * times)
"""


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """Plugins with a command each: a good one, some that are broken, and one that takes a name of ours."""
    monkeypatch.syspath_prepend(str(tmp_path))
    stem = f"plugged_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{stem}.py").write_text(GOOD, encoding="utf8")
    (tmp_path / f"{stem}_broken.py").write_text("import no_such_module_at_all", encoding="utf8")
    (tmp_path / f"{stem}_leaves.py").write_text("raise SystemExit(3)", encoding="utf8")
    values = {
        "bark": f"{stem}:bark",
        "broken": f"{stem}_broken:command",
        "leaves": f"{stem}_leaves:command",
        "odd": f"{stem}:GOOD_IS_NOT_THERE",
        "text": f"{stem}:__name__",
        "generate": f"{stem}:bark",
    }
    points = [EntryPoint(name, value, plugged.COMMANDS) for name, value in values.items()]

    def found(group, name=None):
        assert group == plugged.COMMANDS
        return [point for point in points if name in (None, point.name)]

    monkeypatch.setattr(plugged, "entry_points", found)
    return stem


def test_a_command_of_a_plugin(commands):
    assert CliRunner().invoke(cli, ["bark", "--times", "2"]).output == "wuff wuff \n"
    assert CliRunner().invoke(cli, ["purr"]).exit_code == 2


def lines_of_help():
    shown = CliRunner().invoke(cli, ["--help"])
    assert shown.exit_code == 0
    return {line.split()[0]: line for line in shown.output.splitlines() if line.startswith("  ") and line.split()}


def test_all_are_listed_and_none_is_imported(commands):
    """A plugin may take its time to import, or never be done: help does not wait for it."""
    lines = lines_of_help()
    assert "Make adversarial pairs" in lines["generate"]
    assert f"(from {commands}:bark)" in lines["bark"] and f"(from {commands}_broken:command)" in lines["broken"]
    assert {"leaves", "odd", "text"} <= lines.keys()
    assert not any(name.startswith(commands) for name in sys.modules)


def test_completing_a_name_imports_none(commands):
    ctx = click.Context(cli)
    assert {item.value for item in cli.shell_complete(ctx, "b")} == {"bark", "broken", "build"}
    assert "generate" in {item.value for item in cli.shell_complete(ctx, "g")}
    assert "--version" in {item.value for item in cli.shell_complete(ctx, "--")}
    assert not any(name.startswith(commands) for name in sys.modules)


def test_the_package_and_what_it_says_of_itself():
    """Of a plugin that is installed."""
    attack = next((point for point in plugged.entry_points(group=plugged.COMMANDS) if point.name == "attack"), None)
    if attack is None:
        pytest.skip("paws-shared-words is not installed")
    assert "(from paws-shared-words) Attacks on paraphrase classifiers" in lines_of_help()["attack"]


@pytest.mark.parametrize(
    "name, reason",
    [
        ("broken", "ModuleNotFoundError: No module named 'no_such_module_at_all'"),
        ("leaves", "SystemExit: 3"),
        ("odd", "AttributeError"),
        ("text", "TypeError: .* is not a click command"),
    ],
)
@pytest.mark.parametrize("args", [[], ["--help"], ["x", "--y"]])
def test_a_broken_one_says_why(commands, name, reason, args):
    with pytest.raises(PawsError, match=f"P216.*{name!r}.*{reason}"):
        CliRunner().invoke(cli, [name, *args], catch_exceptions=False)


def test_what_is_printed_at_import_is_not_output_of_the_command(commands, tmp_path):
    (tmp_path / f"{commands}.py").write_text("print('noise')" + GOOD, encoding="utf8")
    ran = CliRunner().invoke(cli, ["bark"])
    assert ran.stdout == "wuff \n" and "noise" in ran.stderr


def test_ours_can_not_be_replaced(commands):
    assert cli.get_command(click.Context(cli), "generate").callback.__module__ == "paws_components.cli.generate"
