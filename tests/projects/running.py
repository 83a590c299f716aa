"""Projects in tests: a copy, its workflow through `spacy project run`, and its scripts one by one."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

PROJECTS = Path(__file__).resolve().parents[2] / "projects"


def copy_project(name, folder):
    """A copy of a project without what was made in it."""
    ignore = shutil.ignore_patterns("build", "project.lock", "__pycache__")
    return Path(shutil.copytree(PROJECTS / name, folder / name, ignore=ignore))


def run_project(folder, overrides):
    """Run the workflow of a project with other values for its vars: the JSON objects that it printed."""
    changes = [f"--vars.{name}={value}" for name, value in overrides.items()]
    command = [sys.executable, "-m", "spacy", "project", "run", "all", ".", *changes]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return json_lines(done.stdout)


def run_scripts(folder, monkeypatch, capsys):
    """For a fixture: a function that runs a script of a project in its folder. It gives what was printed, or why the
    script gave up."""
    names = [path.stem for path in (folder / "scripts").glob("*.py")]
    monkeypatch.syspath_prepend(str(folder / "scripts"))
    monkeypatch.chdir(folder)
    for name in names:
        sys.modules.pop(name, None)

    def call(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        capsys.readouterr()
        try:
            importlib.import_module(name).main()
        except SystemExit as stop:
            if stop.code:
                return str(stop)
        return capsys.readouterr().out

    yield call
    for name in names:
        sys.modules.pop(name, None)


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def sentences(pairs):
    return {"".join(filter(str.isalnum, pair[side].lower())) for pair in pairs for side in ("sentence1", "sentence2")}
