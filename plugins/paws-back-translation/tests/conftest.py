import os
from pathlib import Path

import pytest

# A missing model is missing: nothing here may ask the hub.
os.environ["HF_HUB_OFFLINE"] = "1"
# Tiny models gain nothing from threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")


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


@pytest.fixture(scope="session")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An OPUS-MT model to German and Dutch. Its Dutch is English."""
    pytest.importorskip("transformers")
    from tiny import PAIRS, make_marian

    pairs = [(f">>deu<< {english}", german) for english, german in PAIRS]
    pairs += [(f">>nld<< {english}", english) for english, _ in PAIRS]
    return make_marian(tmp_path_factory.mktemp("several") / "model", pairs, ("deu", "nld"))


@pytest.fixture(scope="session")
def converted(opus: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The pattern of the tiny OPUS-MT models, converted."""
    converters = pytest.importorskip("ctranslate2.converters")
    folder = tmp_path_factory.mktemp("converted")
    files = ["source.spm", "target.spm", "vocab.json", "tokenizer_config.json"]
    for direction in ("en-de", "de-en"):
        model = str(Path(opus).parent / direction)
        converters.TransformersConverter(model, copy_files=files).convert(str(folder / direction))
    return str(folder / "{source}-{target}")
