"""What can be attacked: spaCy pipelines, sequence classifiers of transformers, Python callables."""

import re
from pathlib import Path
from typing import Optional

from paws_components.nli.making import is_pipeline

from .function import FunctionTarget
from .pipeline import PipelineTarget
from .protocol import Target, gold_score, says_paraphrase
from .transformer import TransformerTarget

__all__ = [
    "FunctionTarget",
    "PipelineTarget",
    "Target",
    "TransformerTarget",
    "gold_score",
    "load_target",
    "says_paraphrase",
]

# `module:function`, and no path of Windows.
FUNCTION = re.compile(r"[A-Za-z_][\w.]+:[A-Za-z_][\w.]*")


def load_target(
    name: str,
    *,
    positive_label: Optional[str] = None,
    blank: Optional[str] = None,
    batch_size: Optional[int] = None,
) -> Target:
    """Load a target of any kind.

    name (str): A saved spaCy pipeline or an installed package with one; `module:function`; else a sequence classifier
        of transformers: a folder, an installed package, or a name on the hub.
    positive_label (Optional[str]): The label that means "paraphrase"; None where it is called so.
    blank (Optional[str]): What a word is replaced with in the first stage; None for what suits the target.
    batch_size (Optional[int]): How many pairs it takes at once; None for what suits the target.
    RETURNS (Target): The target.
    """
    if FUNCTION.fullmatch(name) and not Path(name).exists():
        return FunctionTarget(name, blank=blank)
    if is_pipeline(name):
        return PipelineTarget(name, positive_label=positive_label or "paraphrase", blank=blank, batch_size=batch_size)
    return TransformerTarget(name, positive_label=positive_label, blank=blank, batch_size=batch_size)
