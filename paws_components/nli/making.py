"""NLI models by name: of transformers, or pipelines of spaCy; each is loaded once per process."""

from pathlib import Path
from typing import Optional, Tuple
from weakref import WeakValueDictionary

from ..ml.hub import package_folders
from .cached import CachedEntailment
from .labels import Label
from .pipeline import PipelineEntailment
from .protocol import Entailment
from .transformer import TransformerEntailment

# The model of the paper on the Adversarial Paraphrasing Task: RoBERTa-large, trained on SNLI, MNLI, FEVER and ANLI.
DEFAULT_MODEL = "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli"
CACHE_SIZE = 100_000

# Models that are in use. One that nobody uses any more goes, and its folder may hold another by then.
_shared: "WeakValueDictionary[Tuple, CachedEntailment]" = WeakValueDictionary()


def make_entailment(
    model: str = DEFAULT_MODEL,
    *,
    entailment_label: Optional[Label] = None,
    max_length: Optional[int] = None,
    batch_size: Optional[int] = None,
) -> Entailment:
    """Load an NLI model of either kind.

    model (str): A saved spaCy pipeline or an installed package with one; else a model of transformers: a folder, an
        installed package, or a name on the hub.
    entailment_label (Optional[Label]): The number or the name of the label that means entailment; None where the
        model calls one so.
    max_length (Optional[int]): Of a model of transformers: how many tokens of a pair it sees; None for as many as it
        can. A pipeline has this in its own config.
    batch_size (Optional[int]): How many pairs one forward pass takes; None for what suits the device. Of a pipeline:
        how many it gets at once.
    RETURNS (Entailment): The model.
    """
    if is_pipeline(model):
        return PipelineEntailment(model, entailment_label=entailment_label, batch_size=batch_size)
    return TransformerEntailment(model, entailment_label=entailment_label, max_length=max_length, batch_size=batch_size)


def shared_entailment(
    model: str,
    entailment_label: Optional[Label],
    max_length: Optional[int],
    batch_size: Optional[int],
    cache_size: int,
) -> CachedEntailment:
    """The model that others in this process use with the same settings, or a new one; with its answers kept.

    model (str), entailment_label (Optional[Label]), max_length, batch_size (Optional[int]): As in `make_entailment`.
    cache_size (int): How many answers are kept.
    RETURNS (CachedEntailment): The model.
    """
    key = (model, entailment_label, max_length, batch_size, cache_size)
    found = _shared.get(key)
    if found is None:
        loaded = make_entailment(model, entailment_label=entailment_label, max_length=max_length, batch_size=batch_size)
        found = _shared[key] = CachedEntailment(loaded, cache_size)
    return found


def is_pipeline(model: str) -> bool:
    """Whether a path or an installed package holds a spaCy pipeline."""
    if Path(model).is_dir():
        return (Path(model) / "config.cfg").is_file()
    return any(
        list(folder.glob("*/config.cfg")) for folder in package_folders(model) if (folder / "meta.json").is_file()
    )
