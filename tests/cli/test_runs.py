"""`paws runs`, and what the options of long commands do about workers that die."""

import json
import os
import re

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.engine.store import RunFolder
from paws_components.errors import PawsError
from paws_components.plugins import Host, host

DEADLY = """
import os
import signal
from paws_components.plugin import hookimpl

def make(nlp):
    def generate(docs):
        texts = [doc.text for doc in docs]
        if "exit" in texts:
            os._exit(3)
        if "kill" in texts:
            os.kill(os.getpid(), signal.SIGKILL)
        if "raise" in texts:
            raise RuntimeError("I refuse")
        return [[{"text": text[::-1]}] for text in texts]
    return generate

@hookimpl
def paws_register_generators(register):
    register("deadly", make, needs="tokenizer", chunk=4)
"""


@pytest.fixture
def deadly(tmp_path, monkeypatch):
    """A plugin as pip leaves it, here and in the workers."""
    from importlib.metadata import distribution

    (tmp_path / "paws_deadly.py").write_text(DEADLY, encoding="utf8")
    about = tmp_path / "paws_deadly-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: paws-deadly\nVersion: 1.0\n", encoding="utf8")
    (about / "entry_points.txt").write_text("[paws_components]\ndeadly = paws_deadly\n", encoding="utf8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(tmp_path)
    here = Host(list(distribution("paws-deadly").entry_points)).registered["generators"]["deadly"]
    monkeypatch.setitem(host().registered["generators"], "deadly", here)
    monkeypatch.chdir(tmp_path)

    def generate(lines, *options):
        (tmp_path / "in.txt").write_text("".join(line + "\n" for line in lines), encoding="utf8")
        args = ["generate", "in.txt", "-o", "out.jsonl", "-g", "deadly", "--quiet", "--log", "log.jsonl", *options]
        return CliRunner().invoke(cli, args)

    return generate


def json_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


@pytest.mark.parametrize("retry, deaths, line, reason", [(0, 2, "kill", "SIGKILL"), (1, 3, "exit", "exit code 3")])
def test_a_row_that_workers_die_of_is_an_error_and_no_other(tmp_path, deadly, retry, deaths, line, reason):
    lines = ["one", line, "three", "four"]
    done = deadly(lines, "--n-process", "2", "--retry", str(retry))
    assert done.exit_code == 0, done.output
    assert "4 lines in = 3 with pairs + 0 without + 1 errors" in done.output
    (error,) = json_lines(tmp_path / "out.jsonl.errors.jsonl")
    assert (error["line"], error["text"]) == (2, line)
    assert f"{retry + 1} workers died while they worked on it" in error["error"] and reason in error["error"]
    assert [row["sentence1"] for row in json_lines(tmp_path / "out.jsonl")] == ["one", "three", "four"]
    end = json_lines(tmp_path / "log.jsonl")[-1]
    assert (end["rows"], end["errors"], end["workers"]["died"]) == (4, 1, deaths)


def test_too_many_errors_end_the_run(tmp_path, deadly):
    lines = ["one", "raise", "three", "four", "five", "raise", "seven"]
    done = deadly(lines, "--max-errors", "1")
    assert "P036" in str(done.exception) and "2 errors" in str(done.exception) and "I refuse" in str(done.exception)
    assert not (tmp_path / "out.jsonl").exists()
    assert deadly(lines, "--max-errors", "2").exit_code == 0


def test_help_tells_of_the_options():
    told = re.sub(r"\s+", " ", CliRunner().invoke(cli, ["generate", "--help"]).output)
    for option in (
        "--retry INTEGER RANGE How often rows are tried again after their worker died.",
        "--max-errors INTEGER RANGE Stop after more errors than this. [default: no limit",
        "--log FILE Append progress to this file every few seconds, as JSON lines",
    ):
        assert option in told


@pytest.mark.parametrize(
    "given, code",
    [
        (["--address", "auto"], "P055"),
        (["--judges", "2", "--judge", "neural"], "P053"),
        (["--judges", "2", "--engine", "ray"], "P057"),
    ],
)
def test_options_that_would_do_nothing_are_refused(tmp_path, given, code):
    (tmp_path / "in.txt").write_text("one\n", encoding="utf8")
    command = ["generate", str(tmp_path / "in.txt"), "-o", str(tmp_path / "out.jsonl"), *given]
    with pytest.raises(PawsError, match=code):
        CliRunner().invoke(cli, command, catch_exceptions=False)
    assert not (tmp_path / "out.jsonl").exists()


def test_runs_as_a_table_and_as_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def paws(*args, **given):
        return CliRunner().invoke(cli, ["runs", *args], **given)

    assert "No runs under ." in paws().output
    manifest = {"command": "generate", "inputs": [{"path": "in.txt"}], "settings": {}, "chunk": 1, "versions": {}}
    about = {"arguments": ["generate", "in.txt"], "directory": str(tmp_path), "begun": "2026-01-02T03:04:05+00:00"}
    RunFolder("out.jsonl.run", manifest, about=about).release()
    for args in ([], ["."], ["list"], ["out.jsonl"]):
        head, rule, row = paws(*args).output.splitlines()
        assert head.split() == ["output", "command", "state", "begun", "rows", "errors"]
        assert row.split()[:3] == ["out.jsonl", "generate", "stopped"] and row.split()[-2:] == ["0", "0"]
    (told,) = json.loads(paws("--json").output)
    assert (told["output"], told["state"], told["arguments"]) == ("out.jsonl", "stopped", ["generate", "in.txt"])
    asked = paws("remove", "out.jsonl", input="n\n")
    assert asked.exit_code == 1 and "Remove out.jsonl.run, with 0 rows" in asked.output
    assert (tmp_path / "out.jsonl.run").is_dir()
    assert "Removed out.jsonl.run" in paws("remove", "out.jsonl", "--yes").output
    assert not (tmp_path / "out.jsonl.run").exists()
    assert "resume" in paws("--help").output
