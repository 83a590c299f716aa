"""Finds what is in `corpora/`, the sample texts and the cards, in a checkout or where the package was installed."""

from pathlib import Path
from typing import Iterator

from ..errors import Errors, PawsError

ROOT = Path(__file__).resolve().parents[2]
CHECKOUT = ROOT / "corpora"
# Where `pip install --target` puts them, and writes down another place.
BESIDE = ROOT / "share" / "paws-components" / "corpora"


def corpora_files(ending: str) -> Iterator[Path]:
    """The files of `corpora/` whose names end so."""
    from importlib.metadata import PackageNotFoundError, files

    for folder in (CHECKOUT, BESIDE):
        found = sorted(folder.glob("*" + ending))
        if found:
            yield from found
            return
    try:
        # Wherever pip put them (a virtual environment, the user's folder), it wrote that down.
        for file in files("paws-components") or ():
            path = Path(str(file.locate()))
            if file.name.endswith(ending) and path.parent.name == "corpora" and path.is_file():
                yield path
    except PackageNotFoundError:
        pass


def sample_text(lang: str) -> Path:
    """The path of the sample text in a language, one sentence a line."""
    name = f"sample_{lang}.txt"
    found = next(corpora_files(name), None)
    if found is None:
        raise PawsError(Errors.P020.format(path=name, reason="the package was installed without its sample texts"))
    return found


def sample_pairs(lang: str, what: str = "pairs") -> Path:
    """The path of the sample pairs in a language. `what` is "pairs", or "attacks" for what an attack would write."""
    name = f"sample_{what}_{lang}.jsonl"
    found = next(corpora_files(name), None)
    if found is None:
        raise PawsError(Errors.P020.format(path=name, reason="the package was installed without its sample texts"))
    return found
