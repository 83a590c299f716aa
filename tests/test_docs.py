"""Every Python block of the README and the docs runs as pasted, top to bottom, page by page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf8"), re.DOTALL)
    assert blocks, f"{page.name} shows no Python"
    names: dict = {"__name__": "docs"}
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
