"""The language models that come with the package."""

from functools import lru_cache
from pathlib import Path

from ..errors import Errors, PawsError
from .ngram import KenLM

MODELS = Path(__file__).parent / "models"


def embedded_lm(lang: str) -> KenLM:
    """The embedded model of a language; loaded once a process, since it is only read."""
    path = MODELS / f"{lang}.klm"
    if not path.is_file():
        known = ", ".join(sorted(model.stem for model in MODELS.glob("*.klm")))
        raise PawsError(Errors.P002.format(lang=lang, known=known))
    return _load(path)


@lru_cache(maxsize=None)
def _load(path: Path) -> KenLM:
    return KenLM(path)
