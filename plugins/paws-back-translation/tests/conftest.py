import os
from pathlib import Path

import pytest

# A missing model is missing: nothing here may ask the hub.
os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(scope="session")
def opus(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The pattern of two tiny OPUS-MT models, en-de and de-en."""
    pytest.importorskip("transformers")
    from tiny import PAIRS, make_marian

    folder = tmp_path_factory.mktemp("opus")
    make_marian(folder / "en-de", PAIRS)
    make_marian(folder / "de-en", [(german, english) for english, german in PAIRS])
    return str(folder / "{source}-{target}")


@pytest.fixture(scope="session")
def m2m100(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    from tiny import make_m2m100

    return make_m2m100(tmp_path_factory.mktemp("m2m100") / "model")


@pytest.fixture(scope="session")
def nllb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    from tiny import make_nllb

    return make_nllb(tmp_path_factory.mktemp("nllb") / "model")
