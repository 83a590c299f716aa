"""The language models that come with the package."""

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from ..errors import Errors, PawsError
from .ngram import KenLM

MODELS = Path(__file__).parent / "models"
CHECKSUM = re.compile(r"sha256 \| ([0-9a-f]{64})")


def embedded_lm(lang: str) -> KenLM:
    """The embedded model of a language; loaded once per process, since it is only read."""
    path = MODELS / f"{lang}.klm"
    if not path.is_file():
        known = ", ".join(sorted(model.stem for model in MODELS.glob("*.klm")))
        raise PawsError(Errors.P002.format(lang=lang, known=known))
    return _load(path)


@lru_cache(maxsize=None)
def _load(path: Path) -> KenLM:
    _check(path)
    return KenLM(path)


def _check(path: Path) -> None:
    """Compare a model with the checksum on its card: KenLM would crash on damage that no check of the header finds."""
    card = path.with_suffix(".md").read_text(encoding="utf8")
    if hashlib.sha256(path.read_bytes()).hexdigest() not in CHECKSUM.findall(card):
        reason = (
            "its checksum is not that on its card, so it is damaged: "
            "`pip install --force-reinstall paws-components` restores it"
        )
        raise PawsError(Errors.P003.format(path=str(path), reason=reason))
