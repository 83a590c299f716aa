import os
from pathlib import Path

import pytest

from paws_components.corpora import data_folder

# Where the real data is that tests read, if nothing else is said; readers then know it by the names of the cards too.
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
if SHARED.is_dir():
    os.environ.setdefault("PAWS_DATA", str(SHARED))

# Nothing in the tests goes out to a model hub.
os.environ["HF_HUB_OFFLINE"] = "1"
# Models as small as the tests' gain nothing from threads, and lose minutes waiting for them on a busy machine.
# Set before anything imports torch, which spaCy does where it is there: so fixtures import what they need.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def en_nlp():
    """The English pipeline with all its components. Tests that add to it use `make_nlp` instead."""
    from paws_components.models import load_pipeline

    return load_pipeline()


@pytest.fixture
def make_nlp(en_nlp):
    """A function that gives a pipeline with the English components and ours after them."""
    from paws_components.models import load_pipeline

    def make(*names, exclude=(), **configs):
        nlp = load_pipeline(exclude=exclude)
        for name in names:
            nlp.add_pipe(name, config=configs.get(name, {}))
        return nlp

    return make


@pytest.fixture(scope="session")
def swap_nlp():
    """The English pipeline with a swapper of five best: all that the search finds, whatever judges are there."""
    from paws_components.models import load_pipeline

    nlp = load_pipeline(exclude=["parser", "lemmatizer"])
    nlp.add_pipe("paws_swapper", config={"n_best": 5, "precise": False})
    return nlp


@pytest.fixture(scope="session")
def data_dir():
    """The folder with the real data; tests that need it are skipped where it is absent."""
    path = data_folder()
    if not os.environ.get("PAWS_DATA") or not path.is_dir():
        pytest.skip("the real data is not there: set PAWS_DATA to the folder that holds it")
    return path
