from pathlib import Path
from typing import List, Optional, Tuple

import click


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("models", metavar="MODEL...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--configs", default="configs", show_default=True, help="The folder of the configs.")
@click.option("--mixes", required=True, help="What to train on, separated by spaces: 'qqp qqp+paws:3000'.")
@click.option(
    "--corpus", "folders", multiple=True, required=True, help="A folder with NAME_train.jsonl and NAME_dev.jsonl."
)
@click.option("--dev", help="A file to choose the checkpoint by, instead of the dev files of the mix.")
@click.option("-o", "--output", required=True, help="The folder for all runs; each gets its own folder in it.")
@click.option("--seeds", default="0", show_default=True, help="The seeds, separated by spaces: '0 1 2 3 4'.")
@click.option(
    "--name",
    help="The name of a run, with {model}, {mix} and {seed}.  [default: {model}-{mix}, with -{seed} for several]",
)
@click.option("--init", help="A trained pipeline to start from, such as 'models/{model}-silver/model-best'.")
@click.option("--gpu-id", default=-1, show_default=True, help="The GPU to use; -1 for none.")
@click.pass_context
def train(
    context: click.Context,
    models: Tuple[str, ...],
    configs: str,
    mixes: str,
    folders: Tuple[str, ...],
    dev: Optional[str],
    output: str,
    seeds: str,
    name: Optional[str],
    init: Optional[str],
    gpu_id: int,
) -> None:
    """Train several models on several mixes of corpora, with several seeds.

    MODEL is a config that `spacy train` reads as it is: a file, or the name of one in --configs, without its .cfg. Each
    training is the same as with `spacy train`, and its config is stored with the result. A finished training with the
    same config on the same files is not repeated: to resume a stopped command, run it again. Options that are not
    listed here change the configs, as in `spacy train`; they come last.

    \b
    paws train bow diin --mixes 'qqp qqp+paws' --corpus corpus -o models --paths.vectors en_core_web_md
    paws train diin --mixes wiki --corpus corpus -o models --init 'models/{model}-silver/model-best' \\
        --name '{model}-silver-{mix}' --training.max_epochs 3

    A mix is the names of corpora joined by plus signs; `paws:3000` takes 3,000 pairs of one. The checkpoint is
    chosen by the dev files of those that have one. A falling learning rate reaches its end with the last epoch,
    however many pairs there are. Prints one JSON object per run.
    """
    import json

    from spacy.cli._util import parse_config_overrides

    from ..errors import Errors, PawsError
    from ..training.matrix import plan_runs, read_mix
    from ..training.runs import train_once

    names, extra = _split(models)
    if not names:
        raise PawsError(Errors.P320)
    files = [Path(one) if one.endswith(".cfg") else Path(configs) / f"{one}.cfg" for one in names]
    wanted = [read_mix(mix, folders, dev) for mix in mixes.split()]
    numbers = seeds.split()
    if not wanted:
        raise PawsError(Errors.P015.format(name="--mixes", what="names with spaces between them", value=mixes))
    if not numbers or not all(number.isdecimal() for number in numbers):
        raise PawsError(Errors.P015.format(name="--seeds", what="numbers with spaces between them", value=seeds))
    overrides = parse_config_overrides([*extra, *context.args], env_var=None)
    runs = plan_runs(files, wanted, list(map(int, numbers)), name=name, init=init, overrides=overrides)
    for run, config in runs.items():
        click.echo(json.dumps(train_once(config, Path(output) / run, gpu_id)))


def _split(arguments: Tuple[str, ...]) -> Tuple[List[str], List[str]]:
    """The models, and what begins with the first option that is not ours."""
    first = next((i for i, one in enumerate(arguments) if one.startswith("--")), len(arguments))
    return list(arguments[:first]), list(arguments[first:])
