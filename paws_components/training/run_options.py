"""The options that the projects' training scripts have in common: how long, which encoder, where it runs."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Dict, Mapping, Sequence

from thinc.api import Config

from ..errors import Errors, PawsError
from .runs import train_once


def add_run_options(parser: ArgumentParser) -> None:
    """Add the options to the parser of a script."""
    parser.add_argument("-o", "--output", type=Path, default=Path("build/models"))
    parser.add_argument("--epochs", nargs="*", default=[], metavar="MODEL=N", help="instead of the config's")
    parser.add_argument("--max-steps", type=int, default=0, help="stop each after so many batches; 0 for no limit")
    parser.add_argument("--encoder", help="the transformer, instead of the config's")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--gpu-id", type=int, default=-1)
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0 for its own choice")


def read_epochs(values: Sequence[str], models: Sequence[str]) -> Dict[str, int]:
    """How many epochs each model has.

    values (Sequence[str]): Entries such as "bow=10".
    models (Sequence[str]): The models that there are.
    RETURNS (Dict[str, int]): The epochs by model.
    """
    epochs = {}
    for value in values:
        model, _, number = value.partition("=")
        if model not in models or not number.isdecimal() or not int(number):
            raise PawsError(Errors.P313.format(value=value, known=", ".join(models)))
        epochs[model] = int(number)
    return epochs


def train_all(configs: Mapping[str, Config], options: Namespace) -> None:
    """Train one config after the other, unless that was done before, and print a JSON object each.

    configs (Mapping[str, Config]): The configs by the names of the runs. They get `max_steps`, and the encoder where
        they have one.
    options (Namespace): What `add_run_options` has read.
    """
    if options.threads:
        import torch

        torch.set_num_threads(options.threads)
    for name, config in configs.items():
        config["training"]["max_steps"] = options.max_steps
        model = config["components"]["textcat"].get("model", {})
        if options.encoder and "name" in model:
            model["name"] = options.encoder
        print(json.dumps(train_once(config, options.output / name, options.gpu_id)), flush=True)
