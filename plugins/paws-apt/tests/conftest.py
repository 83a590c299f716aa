import os
from pathlib import Path

import pytest

# A missing model is missing: nothing here may ask the hub.
os.environ["HF_HUB_OFFLINE"] = "1"
# Tiny models gain nothing from threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the real data; tests that need it are skipped where it is absent."""
    path = Path(os.environ.get("PAWS_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
    if not path.is_dir():
        pytest.skip("the real data is not there: set PAWS_DATA to the folder that holds it")
    return path


@pytest.fixture
def shared_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of an NLI model: a sentence entails another whose words it has all."""
    from containment import implication

    from paws_apt import judging

    monkeypatch.setattr(judging, "make_implication", lambda settings: implication)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny T5."""
    pytest.importorskip("transformers")
    from tiny_t5 import make_t5

    return str(make_t5(tmp_path_factory.mktemp("t5") / "model"))
