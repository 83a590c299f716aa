"""Training a small masked language model, for the words that an attack puts in: words that fit where others stood.

Nothing here imports torch before a training begins.
"""

import json
import os
import shutil
import time
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Sequence

from paws_components.plugin import Errors as PawsErrors
from paws_components.plugin import Fatal, Messages, PathLike, PawsError, load_pretrained

from .errors import Errors
from .mlm_text import Line, hold_back

NOTE = "trained.json"
MESSAGES = Messages(needs=Errors.S010, failed=Errors.S016, unfit=Errors.S016)
Tell = Callable[[Dict[str, Any]], None]


@dataclass
class MaskedPlan:
    """What a training of a masked language model depends on, besides the lines.

    encoder (str): The BERT to start from: a folder, an installed package or a name on the hub. It may be one that was
        trained for something else, such as a sentence encoder: it gets a new head over the words of its embeddings.
    steps (int): How many batches it learns from.
    tokens (int): How many tokens a batch has, padding included.
    longest (int): How many tokens an input has at most.
    share (float): How many of the words are masked.
    rate (float), head_rate (float): The highest learning rates of the encoder and of the head.
    held_back (int): How many lines of each source it is measured by; a fifth of them at most.
    seed (int): Of the new head, of all draws and of dropout.
    embeddings (bool): Whether the embeddings are trained too: those of an encoder that was never trained know nothing.
    """

    encoder: str = "sentence-transformers/all-MiniLM-L6-v2"
    steps: int = 800
    tokens: int = 1024
    longest: int = 64
    share: float = 0.25
    rate: float = 6e-4
    head_rate: float = 2e-3
    held_back: int = 300
    seed: int = 0
    embeddings: bool = False

    def check(self) -> None:
        """Our error for what can't be."""
        for name in ("steps", "tokens", "longest", "rate", "head_rate"):
            if getattr(self, name) <= 0:
                raise PawsError(Errors.S003.format(name=name, what="more than 0", value=getattr(self, name)))
        if not 0 < self.share < 1:
            raise PawsError(Errors.S003.format(name="share", what="between 0 and 1", value=self.share))


def train_masked_lm(
    sources: Mapping[str, Sequence[Line]], output: PathLike, plan: MaskedPlan, tell: Tell = lambda figures: None
) -> Dict[str, Any]:
    """Train a masked language model, and write it as `save_pretrained` does.

    sources (Mapping[str, Sequence[Line]]): What it learns from, by name: see `read_sources`. Lines of each are held
        back to measure it by.
    output (Union[str, Path]): The folder for the model. One that holds an earlier model is replaced at the end.
    plan (MaskedPlan): How it is trained.
    tell (Callable): Gets figures on the way: how many lines there are, loss and accuracy of the masked words on the
        lines held back, and ten times the progress.
    RETURNS (Dict[str, Any]): Loss and accuracy by source, "before" and "after", and the plan. They are in
        OUTPUT/trained.json too.
    """
    plan.check()
    output = Path(output)
    if output.exists() and not (output.is_dir() and ((output / NOTE).is_file() or not any(output.iterdir()))):
        raise PawsError(PawsErrors.P040.format(path=str(output)))
    if not any(sources.values()):
        raise PawsError(Errors.S014)
    for package in ("torch", "transformers", "accelerate"):
        try:
            import_module(package)
        except ImportError as error:
            raise Fatal(Errors.S010.format(package=package)) from error
    import torch

    from .mlm_trainer import encode, measure, start_from_counts, train

    began = time.perf_counter()
    torch.manual_seed(plan.seed)  # of the new head
    loaded = load_pretrained("AutoModelForMaskedLM", plan.encoder, "encoder", MESSAGES, tokens=("mask", "pad"))
    model, tokenizer = loaded
    if model.config.model_type != "bert":
        raise Fatal(Errors.S013.format(name=plan.encoder, kind=model.config.model_type))
    lines: List[Line] = []
    apart: Dict[str, List[Any]] = {}
    for name, found in sources.items():
        held_back, rest = hold_back(found, plan.held_back, plan.seed)
        apart[name] = encode(held_back, tokenizer, plan.longest)
        lines.extend(rest)
    inputs = encode(lines, tokenizer, plan.longest)
    tell({name: len(found) for name, found in sources.items()})
    start_from_counts(model, inputs)
    figures: Dict[str, Any] = {"before": {name: measure(model, tokenizer, found) for name, found in apart.items()}}
    tell(figures)
    train(loaded, inputs, plan, tell)
    figures["after"] = {name: measure(model, tokenizer, found) for name, found in apart.items()}
    figures.update(asdict(plan))
    _save(loaded, output, figures)
    tell({"after": figures["after"], "seconds": round(time.perf_counter() - began)})
    return figures


def _save(loaded: Any, output: Path, figures: Dict[str, Any]) -> None:
    """Write the model beside its place, then give it its name."""
    beside, old = (output.with_name(f".{output.name}.{ending}") for ending in ("new", "old"))
    shutil.rmtree(beside, ignore_errors=True)
    loaded.model.eval().save_pretrained(beside)
    loaded.tokenizer.save_pretrained(beside)
    (beside / NOTE).write_text(json.dumps(figures) + "\n", encoding="utf8")
    if output.exists():
        shutil.rmtree(old, ignore_errors=True)
        os.rename(output, old)
    os.rename(beside, output)
    shutil.rmtree(old, ignore_errors=True)
