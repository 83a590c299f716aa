"""The config of a target: that of ../paws_qqp for the model, with the pairs of a data set."""

from pathlib import Path
from typing import Optional

from thinc.api import Config

from paws_components.errors import PawsError
from paws_components.training.runs import corpus_files, fit_schedule, merge_configs

OURS = Path(__file__).resolve().parents[1] / "configs"
THEIRS = OURS.parents[1] / "paws_qqp" / "configs"


def make_config(model: str, data_set: str, corpus: Path, seed: int, epochs: Optional[int]) -> Config:
    """The config of a normally trained target, without what is spaCy's default. That of a model on QQP is the one which
    ../paws_qqp trains with: what was trained there is the same.

    model (str), data_set (str): The names.
    corpus (Path): The folder that prepare wrote.
    seed (int): The seed of everything.
    epochs (Optional[int]): How many; None for those of the config.
    RETURNS (Config): The config.
    """
    own = [OURS / f"{data_set}.cfg", OURS / f"{model}-{data_set}.cfg"]
    config = merge_configs(THEIRS / "base.cfg", THEIRS / f"{model}.cfg", *(path for path in own if path.is_file()))
    config["system"]["seed"] = seed
    for part in ("train", "dev"):
        config["corpora"][part]["path"] = [str(corpus / f"{data_set}_{part}.jsonl")]
    config["corpora"]["train"]["limit"] = [0]
    try:
        corpus_files(config)
    except PawsError as error:
        raise SystemExit(f"{error} Run prepare first") from error
    if epochs:
        config["training"]["max_epochs"] = epochs
    fit_schedule(config)
    return config
