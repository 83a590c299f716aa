"""What can be evaluated and attacked: spaCy pipelines, sequence classifiers of transformers, Python callables."""

import re
from pathlib import Path
from typing import Any, Optional

from spacy.language import Language

from ...errors import Errors, PawsError
from ...ml.hub import packaged_folder, reason_of
from ...nli.making import is_pipeline
from .function import FunctionTarget, load_function
from .pipeline import PipelineTarget
from .protocol import Cats, Target, gold_score, says_paraphrase
from .transformer import TransformerTarget

__all__ = [
    "Cats",
    "FunctionTarget",
    "PipelineTarget",
    "Target",
    "TransformerTarget",
    "check_target",
    "gold_score",
    "load_target",
    "says_paraphrase",
]

# `module:function`, and no path of Windows.
FUNCTION = re.compile(r"[A-Za-z_][\w.]+:[A-Za-z_][\w.]*")
HUB_NAME = re.compile(r"\w[\w.-]*(/[\w.-]+)?")


def load_target(
    name: Any,
    *,
    positive_label: Optional[str] = None,
    blank: Optional[str] = None,
    batch_size: Optional[int] = None,
    n_process: int = 1,
) -> Target:
    """Load a target of any kind.

    name (Any): A spaCy pipeline, saved or in memory, or an installed package with one; `module:function`; else a
        sequence classifier of transformers, or a CrossEncoder of sentence-transformers: a folder, an installed package,
        or a name on the hub. What is a target already stays as it is.
    positive_label (Optional[str]): The label that means "paraphrase"; None where it is called so.
    blank (Optional[str]): What an attack replaces a word with; None for what suits the target.
    batch_size (Optional[int]): How many pairs it takes at once; None for what suits the target.
    n_process (int): How many processes a pipeline may use for `cats`; other targets use one.
    RETURNS (Target): The target.
    """
    name = str(name) if isinstance(name, Path) else name
    check_target(name)
    if isinstance(name, Target):
        return name
    if isinstance(name, str) and _names_function(name):
        return FunctionTarget(name, positive_label=positive_label, blank=blank, batch_size=batch_size)
    if isinstance(name, Language) or is_pipeline(name):
        return PipelineTarget(
            name, positive_label=positive_label, blank=blank, batch_size=batch_size, n_process=n_process
        )
    return TransformerTarget(name, positive_label=positive_label, blank=blank, batch_size=batch_size)


def check_target(name: Any) -> None:
    """Our error where there is no target of this name, found out without loading weights."""
    if isinstance(name, (Language, Target)):
        return
    name = str(name)
    if _names_function(name):
        load_function(name)
        return
    if is_pipeline(name):
        return
    path = Path(name)
    reason = ""
    if path.is_dir():
        reason = "" if (path / "config.json").is_file() else "the folder has neither config.cfg nor config.json"
    elif path.exists():
        reason = "it is a file"
    elif not packaged_folder(name):
        reason = _not_on_hub(name)
    if reason:
        raise PawsError(Errors.P356.format(name=name, reason=reason))


def _names_function(name: str) -> bool:
    return bool(FUNCTION.fullmatch(name)) and not Path(name).exists()


def _not_on_hub(name: str) -> str:
    """Why a name can't be had from the hub; "" if it can."""
    if not HUB_NAME.fullmatch(name):
        return "there is no such folder"
    try:
        from transformers import AutoConfig
    except ImportError:
        install = "pip install 'paws-components[train]'"
        return f"it is neither a folder nor an installed package, and asking the hub needs transformers (`{install}`)"
    try:
        AutoConfig.from_pretrained(name, trust_remote_code=False)
    except Exception as error:  # its libraries raise all kinds, also where one of them is not installed
        return f"it is neither a folder nor an installed package, and not on the hub ({reason_of(error)})"
    return ""
