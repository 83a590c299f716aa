"""The config of a training: that of ../paws_qqp for the model, with other corpora."""

from pathlib import Path
from typing import List, Optional, Sequence

from thinc.api import Config

from paws_components.errors import PawsError
from paws_components.training.runs import corpus_files, fit_schedule, merge_configs

OURS = Path(__file__).resolve().parents[1] / "configs"
THEIRS = OURS.parents[1] / "paws_qqp" / "configs"
# Models that are another one with a file of ours on top.
BASES = {"decatt_bilstm": "decatt"}


def config_files(model: str) -> List[Path]:
    files = [THEIRS / "base.cfg", THEIRS / f"{BASES.get(model, model)}.cfg"]
    return [*files, OURS / f"{model}.cfg"] if model in BASES else files


def make_config(model: str, train: Sequence[Path], dev: Sequence[Path], seed: int, epochs: Optional[int]) -> Config:
    """The config of a model, without what is spaCy's default.

    model (str): The name of the model.
    train (Sequence[Path]), dev (Sequence[Path]): The files of pairs to train on, and to choose the checkpoint by.
    seed (int): The seed of everything.
    epochs (Optional[int]): How many; None for those of the config.
    RETURNS (Config): The config.
    """
    config = merge_configs(*config_files(model))
    config["system"]["seed"] = seed
    config["corpora"]["train"]["path"] = [str(path) for path in train]
    config["corpora"]["train"]["limit"] = 0
    config["corpora"]["dev"]["path"] = [str(path) for path in dev]
    if epochs:
        config["training"]["max_epochs"] = epochs
    try:
        corpus_files(config)
    except PawsError as error:
        raise SystemExit(f"{error} Run prepare, silver and auxiliary first") from error
    fit_schedule(config)
    return config
