"""A detector from its config to its wheel, by spaCy's own commands."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import click.testing
import pytest
import spacy
import typer.testing
from spacy.cli import app
from spacy.util import get_minor_version_range

from paws_components import __version__
from paws_components.cli import cli
from paws_components.pairs import pair_text

from ..ml.encoders import make_tiny_bert
from .small import base_config, make_pairs, write_pairs

TEXTS = [pair_text(pair.sentence1, pair.sentence2) for pair in make_pairs(8)]
# What is done where the wheels were installed.
USE = """
import json, sys, spacy
print(json.dumps({name: [doc.cats for doc in spacy.load(name).pipe(json.loads(sys.argv[1]))] for name in sys.argv[2:]}))
"""


def run(*args):
    """One of spaCy's commands. RETURNS (str): What it said, as one line without colours."""
    result = typer.testing.CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", result.output).split())


def fill_config(folder, model, convert):
    """Write pairs and the filled config of a detector: with our own reader, or with spaCy's on converted files."""
    config = base_config("", "", training__max_epochs=1)
    for part, pairs in (("train", make_pairs(120)), ("dev", make_pairs(150)[120:])):
        path = write_pairs(folder / f"{part}.jsonl", pairs)
        if convert:
            args = ["convert", path, "-o", str(folder / f"{part}.spacy"), "--quiet"]
            assert click.testing.CliRunner().invoke(cli, args).exit_code == 0
            path = str(folder / f"{part}.spacy")
            config["corpora"][part]["@readers"] = "spacy.Corpus.v1"
        config["corpora"][part]["path"] = path
    config["components"]["textcat"].update(model=model, scorer={"@scorers": "paws.paraphrase_scorer.v1"})
    config["components"]["paws_pair"] = {"factory": "paws_pair"}
    config["nlp"]["pipeline"] = ["paws_pair", "textcat"]
    config.to_disk(folder / "base.cfg")
    run("init", "fill-config", folder / "base.cfg", folder / "config.cfg")
    return folder / "config.cfg"


def detector_config(folder, name):
    """A detector that is torch inside thinc, or one that carries a transformer."""
    folder.mkdir()
    if name == "decatt":
        return fill_config(folder, {"@architectures": "paws.DecAtt.v1", "hidden": 16}, convert=False)
    encoder = make_tiny_bert(folder / "encoder", TEXTS)
    return fill_config(folder, {"@architectures": "paws.Transformer.v1", "name": encoder}, convert=True)


@pytest.mark.parametrize("name", ["decatt", "transformer"])
def test_debug(name, tmp_path):
    config = detector_config(tmp_path / "made", name)
    assert "Config is valid" in run("debug", "config", config)
    said = run("debug", "data", config, "--verbose")
    assert "Training pipeline: paws_pair, textcat 120 training docs 30 evaluation docs" in said
    assert "No overlap between training and evaluation data" in said
    assert "2 label(s)" in said and "'not_paraphrase'" in said and "'paraphrase'" in said
    assert "3 checks passed" in said and "failed" not in said
    # That 120 pairs are few; nothing else is odd about them.
    assert "1 warning" in said and "Low number of examples" in said


def test_runs_from_its_wheel(tmp_path):
    before, pip = {}, [sys.executable, "-m", "pip"]
    for name in ("decatt", "transformer"):
        run("train", detector_config(tmp_path / "made", name), "--output", tmp_path / "made" / "out")
        model = tmp_path / "made" / "out" / "model-best"
        before[f"en_{name}"] = [doc.cats for doc in spacy.load(model).pipe(TEXTS)]
        said = run("package", model, tmp_path, "--name", name, "--version", "1.2.0", "--build", "none")
        requirement = f"paws-components[train]{get_minor_version_range(__version__)}"
        assert said.count("paws-components") == 1 and requirement in said
        # Built with this environment's setuptools: `--build wheel` would fetch one.
        build = [*pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path / "dist"]
        subprocess.run([*build, tmp_path / f"en_{name}-1.2.0"], check=True, capture_output=True)
        # Nothing that it was made of is left.
        shutil.rmtree(tmp_path / "made")
    wheels = [tmp_path / "dist" / f"{name}-1.2.0-py3-none-any.whl" for name in before]
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as files:
            (metadata,) = (files.read(name).decode() for name in files.namelist() if name.endswith("/METADATA"))
        assert "Requires-Dist: paws-components[train]" in metadata
    install = [*pip, "install", "-q", "--no-deps", "--no-index", "--target", tmp_path / "site"]
    subprocess.run([*install, *wheels], check=True, capture_output=True)
    path = os.pathsep.join([str(tmp_path / "site"), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", USE, json.dumps(TEXTS), *before],
        **{"check": True, "capture_output": True, "text": True, "cwd": tmp_path},
        env={**os.environ, "PYTHONPATH": path, "HF_HUB_OFFLINE": "1"},
    )
    assert json.loads(done.stdout) == before
    assert len({cats["paraphrase"] for cats in before["en_decatt"]}) > 1
    assert not done.stderr, done.stderr
