"""Every Python block of the README and the docs runs as pasted, top to bottom, page by page."""

import importlib.util
import os
import re
from pathlib import Path

import pytest
from spacy.cli.init_config import fill_config

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("PAWS_DATA", "PAWS_CORPORA"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # a page may set them for itself
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf8"), re.DOTALL)
    assert blocks, f"{page.name} shows no Python"
    names: dict = {"__name__": "docs"}
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)


def test_configs_can_be_filled(tmp_path):
    """What is shown as the base of a config is one: thinc wants every section above another one, too."""
    bases = [
        (page.name, block)
        for page in PAGES
        for block in re.findall(r"```ini\n(.*?)```", page.read_text(encoding="utf8"), re.DOTALL)
        if block.startswith("[nlp]")
    ]
    assert {name for name, _ in bases} == {"classifiers.md", "transformer.md"}
    for name, block in bases:
        if "spacy-transformers." in block and importlib.util.find_spec("spacy_transformers") is None:
            continue  # tests/ml/test_shared_transformer.py trains it where that is installed
        (tmp_path / name).write_text(block, encoding="utf8")
        _, filled = fill_config(tmp_path / "config.cfg", tmp_path / name, silent=True)
        assert filled["corpora"]["train"] and filled["components"]["textcat"]["model"]["symmetric"] is False


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
