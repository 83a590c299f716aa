import os
from pathlib import Path

import pytest

# A missing model is missing: nothing here may ask the hub.
os.environ["HF_HUB_OFFLINE"] = "1"
# Tiny models gain nothing from threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def masked_lm(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny masked language model."""
    pytest.importorskip("transformers")
    from tiny_models import make_masked_lm

    return str(make_masked_lm(tmp_path_factory.mktemp("mlm")))


@pytest.fixture(scope="session")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny sequence classifier."""
    pytest.importorskip("transformers")
    from tiny_models import make_classifier

    return str(make_classifier(tmp_path_factory.mktemp("classifier")))


@pytest.fixture(scope="session")
def tagger():
    """The English pipeline, as far as its tags need it."""
    from paws_components.models import installed_pipeline, load_with

    if installed_pipeline("en") is None:
        pytest.skip("no English pipeline is installed: `paws download en`")
    return load_with(["tagger", "attribute_ruler"])


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of pairs."""
    from tiny_models import PAIRS

    path = tmp_path_factory.mktemp("corpus") / "pairs.tsv"
    lines = [f"{i}\t{one}\t{two}\t{label}" for i, (one, two, label) in enumerate(PAIRS)]
    path.write_text("\n".join(["id\tsentence1\tsentence2\tlabel", *lines]) + "\n", encoding="utf8")
    return path
