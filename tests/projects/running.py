"""What the tests of the projects have in common: a copy of a project, its workflow, and its scripts one by one."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

PROJECTS = Path(__file__).resolve().parents[2] / "projects"


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def sentences(pairs):
    """The sentences of records, without what makes no difference to a leak."""
    return {"".join(filter(str.isalnum, pair[side].lower())) for pair in pairs for side in ("sentence1", "sentence2")}


def copy_project(name, folder):
    """A copy of a project, without what was made in it."""
    ignored = shutil.ignore_patterns("build", "project.lock", "__pycache__")
    return Path(shutil.copytree(PROJECTS / name, folder / name, ignore=ignored))


def run_workflow(folder, workflow="all", **overrides):
    """Run a project's workflow with other variables, in a process of its own that gives stdout and stderr."""
    changes = [f"--vars.{name}={value}" for name, value in overrides.items()]
    command = [sys.executable, "-m", "spacy", "project", "run", workflow, ".", *changes]
    # Commands of a project such as `paws generate` are those of the environment that the tests run in.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PATH": path}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@contextmanager
def open_scripts(folder, monkeypatch, capsys):
    """A function that runs a script of the project in its folder: it gives what was printed, or why it gave up."""
    names = [path.stem for path in (folder / "scripts").glob("*.py")]
    monkeypatch.syspath_prepend(str(folder / "scripts"))
    monkeypatch.chdir(folder)
    # Another project has scripts of the same names.
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
