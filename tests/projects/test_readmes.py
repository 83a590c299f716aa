"""Every project has a README, whose first part is what `spacy project document` writes of project.yml."""

import re

import pytest
import srsly

from .running import PROJECTS, copy_project, run_spacy

NAMES = sorted(path.parent.name for path in PROJECTS.glob("*/project.yml"))


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_is_up_to_date(name, tmp_path):
    """If not: python -m spacy project document --output README.md --no-emoji, in a clone without assets."""
    from weasel.cli.document import project_document

    folder = copy_project(name, tmp_path)
    written = (folder / "README.md").read_text(encoding="utf8")
    project_document(folder, folder / "README.md", no_emoji=True)
    assert (folder / "README.md").read_text(encoding="utf8") == written
    assert "## Results of the last real run" in written


@pytest.mark.parametrize("name", NAMES)
def test_the_project_needs_nothing_outside_of_it(name):
    """Data is in assets, which PAWS_DATA fills; an asset has a sum unless its address says what it is."""
    text = (PROJECTS / name / "project.yml").read_text(encoding="utf8")
    project = srsly.yaml_loads(text)
    assert "shared/data" not in text and project["workflows"]["all"][0] == "data"
    assert all(asset["dest"].startswith("assets/") for asset in project["assets"])
    assert all("checksum" in asset or asset.get("extra") for asset in project["assets"])
    names = {command["name"] for command in project["commands"]}
    assert names >= {step for steps in project["workflows"].values() for step in steps}
    used = set(re.findall(r"\$\{vars\.(\w+)\}", text))
    assert used == set(project["vars"])


def test_spacy_lists_the_commands(tmp_path):
    folder = copy_project("paws_qqp", tmp_path)
    told = run_spacy(folder, "project", "run", "all", "--help").stdout
    assert "Workflow consisting of 6 commands" in told
