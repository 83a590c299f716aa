"""What an app pays for having us installed: nothing heavy, also where it is there to be imported."""

import configparser
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

# thinc imports torch by itself wherever it is installed, so what we load is told by forbidding it.
FORBID = (
    "import sys; sys.modules.update(dict.fromkeys('torch transformers pyarrow pandas datasets rapidfuzz'.split()))\n"
)


@pytest.mark.parametrize(
    "code",
    [
        "import paws_components",
        "import spacy; spacy.blank('en')",
        "import paws_components.cli",
        "import spacy; nlp = spacy.blank('en'); nlp.add_pipe('paws_template_tagger'); nlp.add_pipe('paws_swapper')",
        "import spacy; nlp = spacy.blank('en'); nlp.add_pipe('paws_pair'); nlp.add_pipe('paws_pair_metrics')",
        "import spacy; nlp = spacy.blank('en'); nlp.add_pipe('paws_generator')",
        "import spacy; nlp = spacy.blank('en'); nlp.add_pipe('paws_pair'); nlp.add_pipe('paws_mi')",
        "from paws_components.plugins import make_registered; make_registered('metrics', 'bleurt')",
        "from paws_components.plugins import make_registered; make_registered('metrics', 'mi_verdict')",
        "from paws_components.plugins import host; host().require('judges', 'neural')",
        "import paws_components.ml.models.transformer, paws_components.ml.models.pooled_pair",
        "import paws_components.training.scorers, paws_components.evaluation.comparison",
        "from paws_components import make_pair, pair_spans, pipe_pairs, render",
        "import paws_components.training.augmenters, paws_components.training.batchers",
        "import spacy; [spacy.registry.architectures.get(f'paws.{name}.v1') for name in "
        "'WordEmbed BOW BiLSTM ESIM DecAtt BiMPM DIIN'.split()]",
    ],
)
def test_nothing_heavy_is_needed(code):
    subprocess.run([sys.executable, "-c", FORBID + code], check=True)


def test_the_package_itself_loads_no_spacy():
    code = "import paws_components, sys; sys.exit('spacy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# spaCy's own command line needs click: it is hidden once spaCy is there.
HIDE = "import spacy, sys; sys.modules[{name!r}] = None; nlp = spacy.blank('en')\n"


@pytest.mark.parametrize("name", ["kenlm", "pluggy", "click"])
def test_a_broken_package_of_ours_is_not_everybodys(name):
    """All spaCy pipelines of an environment import our factories: none may fail for what only we need."""
    subprocess.run([sys.executable, "-c", HIDE.format(name=name)], check=True)


@pytest.mark.parametrize(
    "name, code, advice",
    [
        ("kenlm", "nlp.add_pipe('paws_swapper')", "pip install kenlm"),
        ("kenlm", "nlp.add_pipe('paws_generator')", "pip install kenlm"),
        ("pluggy", "nlp.add_pipe('paws_generator')", "pip install pluggy"),
        ("ray", "from paws_components.engine.ray import Actors; Actors(None)", "pip install 'paws-components[ray]'"),
    ],
)
def test_what_is_missing_is_said_on_use(name, code, advice):
    code = HIDE.format(name=name) + (
        f"from paws_components.errors import PawsError\ntry:\n    {code}\nexcept PawsError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "[P025]" in said and f"needs {name}" in said and advice in said


SPACY_POINTS = sorted(
    {
        point.value
        for group in entry_points().groups
        if group.startswith("spacy_")
        for point in entry_points(group=group)
        if point.value.startswith("paws_components.")
    }
)
# What is new in sys.modules after an import, without the standard library and without what `import spacy` brings.
BROUGHT = """
import sys, spacy, pydantic
from importlib import import_module
before = set(sys.modules)
for name in sys.argv[1:]:
    import_module(name.partition(":")[0])
new = {name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)
print(*sorted(new - {name.partition(".")[0] for name in before} - {"numpy", "pydantic"}))
"""


def test_spacys_entry_points_import_spacy_numpy_and_pydantic_only():
    assert any("swapper" in value for value in SPACY_POINTS) and any("ngram" in value for value in SPACY_POINTS)
    done = subprocess.run([sys.executable, "-c", BROUGHT, *SPACY_POINTS], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["paws_components"]


def test_no_version_of_datasets_runs_scripts_of_data_sets_by_default():
    """Before 2.20 it did."""
    config = configparser.ConfigParser()
    config.read(Path(__file__).resolve().parents[1] / "setup.cfg", encoding="utf8")
    (requirement,) = config["options.extras_require"]["datasets"].split()
    name, _, version = requirement.partition(">=")
    assert name == "datasets" and tuple(map(int, version.split("."))) >= (2, 20)
