"""Finds the sample texts of `corpora/`, in a checkout or where the package was installed."""

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from .errors import Errors, PawsError

CHECKOUT = Path(__file__).resolve().parents[1] / "corpora"


def sample_text(lang: str) -> Path:
    """The path of the sample text in a language, one sentence a line."""
    name = f"sample_{lang}.txt"
    if (CHECKOUT / name).is_file():
        return CHECKOUT / name
    try:
        # Wherever pip put it (a virtual environment, the user's folder, --target), it wrote that down.
        for file in files("paws-components") or ():
            if file.name == name and Path(str(file.locate())).is_file():
                return Path(str(file.locate()))
    except PackageNotFoundError:
        pass
    raise PawsError(Errors.P020.format(path=name, reason="the package was installed without its sample texts"))
