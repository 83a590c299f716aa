"""What an app pays for having us installed: nothing heavy, also where it is there to be imported."""

import subprocess
import sys

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
        "from paws_components.plugins import make_part; make_part('metrics', 'bleurt')",
        "from paws_components.plugins import make_part; make_part('metrics', 'mi_verdict')",
        "import paws_components.ml.models.transformer, paws_components.ml.models.pooled_pair",
        "import paws_components.training.scorers, paws_components.training.comparison",
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
