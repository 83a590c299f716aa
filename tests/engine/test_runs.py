"""Runs that are found, given again and removed; real ones, which stopped or are under way."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from paws_components.engine import runs, work
from paws_components.engine.frame import Run
from paws_components.engine.runs import find_runs, remove, to_remove, to_resume
from paws_components.errors import Fatal, PawsError, without_secrets
from paws_components.readers import Text
from paws_components.writers import write_text

# A generator that stops while there is a file of a name.
STUBBORN = """
import os
from paws_components.plugin import Fatal, hookimpl

def make(nlp):
    def generate(docs):
        if os.path.exists("stop") and any("last" in doc.text for doc in docs):
            raise Fatal("[X001] The model is gone.")
        return [[{"text": doc.text[::-1]}] for doc in docs]
    return generate

@hookimpl
def paws_register_generators(register):
    register("stubborn", make, needs="tokenizer", chunk=2)
"""


@dataclass
class Stops:
    chunk: int = 2

    def start(self):
        return self.work

    def work(self, texts):
        if "stop" in texts:
            raise Fatal("[X001] The model is gone.")
        return [PawsError("odd") if text == "odd" else text for text in texts]


@pytest.fixture(autouse=True)
def every_chunk_a_shard(monkeypatch):
    monkeypatch.setattr(work, "SHARD_SECONDS", 0.0)


def run_of(output, words, command="test", **options):
    def finish(values, place):
        write_text(place, "done\n")
        return len(list(values))

    run = Run(command, Stops(), ["in.txt"], str(output), {}, value=lambda _, it: it, finish=finish, **options)
    items = [Text("f", number, word) for number, word in enumerate(words, 1)]
    try:
        run(items, quiet=True)
    except Fatal:
        pass
    return run


def test_runs_are_found_with_their_state(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    run_of(tmp_path / "deep" / "er" / "a.txt", ["one", "odd", "three", "four", "stop"])
    run_of(tmp_path / "kept.txt", ["one"], command="apt build", keeps=True)
    broken = run_of(tmp_path / "broken.txt", ["one", "two", "stop"]).folder_path
    (broken / "manifest.json").write_text("{", encoding="utf8")
    run_of(tmp_path / "whole.txt", ["one", "two"])
    (tmp_path / "link").symlink_to(tmp_path / "deep")
    (tmp_path / "mine.run").mkdir()
    (tmp_path / "mine.run" / "notes.txt").write_text("mine")
    active = run_of(tmp_path / "active.txt", ["one", "two", "stop"])
    active.folder = None
    folder = active.open()
    found = find_runs(str(tmp_path))
    told = {os.path.relpath(run.output, tmp_path): (run.command, run.state, run.rows, run.errors) for run in found}
    assert told == {
        "active.txt": ("test", "running", 2, 0),
        "broken.txt": ("", "damaged", 0, 0),
        "deep/er/a.txt": ("test", "stopped", 4, 1),
        "kept.txt": ("apt build", "done", 1, 0),
    }
    with pytest.raises(PawsError, match="P063.*removed"):
        to_remove(str(tmp_path / "active.txt"))
    with pytest.raises(PawsError, match="P063.*resumed"):
        to_resume(str(tmp_path / "active.txt"))
    folder.release()
    (run,) = find_runs(str(tmp_path / "active.txt"))
    assert run.state == "stopped" and find_runs(run.path) == [run] == find_runs(str(tmp_path / "active.txt.run/"))
    # That somebody looked does not keep it from going on.
    active.folder = None
    active.open().release()


def test_what_a_run_left_is_removed(tmp_path):
    run = run_of(tmp_path / "a.txt", ["one", "two", "stop"])
    (tmp_path / "a.txt").write_text("old\n")
    remove(to_remove(str(tmp_path / "a.txt")))
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    for place in ("a.txt", "none.txt", ""):
        with pytest.raises(PawsError, match="P061"):
            to_remove(str(tmp_path / place))
    run.folder_path.mkdir()
    (run.folder_path / "notes.txt").write_text("mine")
    with pytest.raises(PawsError, match="P040"):
        to_remove(str(tmp_path / "a.txt"))
    assert (run.folder_path / "notes.txt").exists()


def test_what_cannot_be_resumed_says_why(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PawsError, match="P065"):
        to_resume()
    folder = run_of(tmp_path / "a.txt", ["one", "two", "stop"]).folder_path
    with pytest.raises(PawsError, match="P064.*from Python"):
        to_resume()
    manifest = json.loads((folder / "manifest.json").read_text())

    def given(**about):
        told = {**manifest, "about": {**manifest["about"], "arguments": ["generate", "--fresh", "x"], **about}}
        (folder / "manifest.json").write_text(json.dumps({**told, "inputs": about.pop("inputs", told["inputs"])}))

    for about, told in [
        ({"directory": str(tmp_path / "gone")}, "gone"),
        ({"inputs": [{"path": "(pipe)"}]}, "a pipe"),
        ({"arguments": ["generate", "s3://me:***@bucket/a"]}, "password"),
    ]:
        given(**about)
        with pytest.raises(PawsError, match=f"P064.*{told}"):
            to_resume("a.txt")
    given()
    assert runs.command_of(to_resume()) == ["generate", "x"]
    run_of(tmp_path / "b.txt", ["one", "two", "stop"])
    with pytest.raises(PawsError, match=r"P062[^$]*2 runs[^$]*a\.txt\n *b\.txt"):
        to_resume()
    (folder / "manifest.json").write_text("{")
    with pytest.raises(PawsError, match="P064.*damaged"):
        to_resume("a.txt")


def test_the_run_of_a_link_is_beside_what_it_links_to(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.txt").write_text("old\n")
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "there" / "a.txt")
    run_of(link, ["one", "two", "stop"])
    (run,) = find_runs(str(link))
    assert (run.state, run.rows, run.path) == ("stopped", 2, str(tmp_path / "there" / "a.txt.run"))
    remove(to_remove(str(link)))
    assert link.read_text() == "old\n" and find_runs(str(tmp_path)) == []


def test_no_password_is_kept():
    hidden = {
        "s3://key:secret@bucket/a": "s3://key:***@bucket/a",
        "--set=url=https://me:pass@host/": "--set=url=https://me:***@host/",
        "https://host/a?X-Amz-Signature=abc&part=1&token=x": "https://host/a?X-Amz-Signature=***&part=1&token=***",
        "s3://bucket/a:b@c": "s3://bucket/a:b@c",
        "a:b@c": "a:b@c",
    }
    assert {text: without_secrets(text) for text in hidden} == hidden


@pytest.mark.skipif(sys.platform == "win32", reason="the process is replaced")
def test_the_command_is_given_again_where_it_was_given(tmp_path):
    (tmp_path / "stubborn.py").write_text(STUBBORN, encoding="utf8")
    about = tmp_path / "stubborn-1.0.dist-info"
    about.mkdir()
    metadata = "Metadata-Version: 2.1\nName: stubborn\nVersion: {}\n"
    (about / "METADATA").write_text(metadata.format("1.0"), encoding="utf8")
    (about / "entry_points.txt").write_text("[paws_components]\nstubborn = stubborn\n", encoding="utf8")
    place = tmp_path / "a place"
    place.mkdir()
    (place / "in.txt").write_text("One is here.\nTwo is here.\nThe last is here.\n", encoding="utf8")
    (place / "stop").touch()
    paths = [str(tmp_path), *sys.path, os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def paws(*arguments, cwd=place):
        command = [sys.executable, "-m", "paws_components", *arguments]
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)

    given = ["generate", "in.txt", "-o", "out.jsonl", "-g", "stubborn", "--quiet", "--log", "log.jsonl"]
    first = paws(*given, "--fresh")
    assert first.returncode == 1 and "X001" in first.stderr, first.stderr
    (run,) = find_runs(str(tmp_path))
    assert (run.state, run.rows, run.arguments, run.directory) == ("stopped", 2, [*given, "--fresh"], str(place))
    (place / "stop").unlink()
    (about / "METADATA").write_text(metadata.format("2.0"), encoding="utf8")
    upgraded = paws(*given)
    assert upgraded.returncode == 1 and 'plugin: "stubborn 1.0" then, "stubborn 2.0" now' in upgraded.stderr
    (about / "METADATA").write_text(metadata.format("1.0"), encoding="utf8")
    again = paws("runs", "resume", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert again.stderr.startswith(f"cd '{place}'\npaws generate in.txt -o out.jsonl")
    assert "--fresh" not in again.stderr and "3 lines in = 3 with pairs" in again.stderr
    assert len((place / "out.jsonl").read_text().splitlines()) == 3 and find_runs(str(tmp_path)) == []
    log = [json.loads(line) for line in (place / "log.jsonl").read_text().splitlines()]
    assert [line["event"] for line in log if line["event"] != "update"] == ["begin", "end"] * 3
    assert [line["state"] for line in log if line["event"] == "end"] == ["failed", "failed", "done"]
