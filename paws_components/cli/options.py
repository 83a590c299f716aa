"""What long commands have in common: their options, and what they say at the end."""

import sys
from dataclasses import fields
from functools import wraps
from typing import Any, Callable, Dict, List, Optional

import click

from ..engine.options import ENGINES, RunOptions
from ..errors import Errors, PawsError

RUN = [option.name for option in fields(RunOptions)]
RETRY = "How often rows are tried again after their worker died. Then only the row that kills it is an error."
LOG = "Append progress to this file every few seconds, as JSON lines."
ENGINE = "Where the workers run: on this machine, or on a Ray cluster. The output is the same."
FORMATS = ("jsonl", "tsv", "csv", "parquet")
# What is told of rows that were changed in reading, or have nothing to work on.
NOTES = {
    "white_space": "rows have tabs, line breaks or runs of spaces within a text, read as single spaces",
    "bytes": "rows are written as Python bytes literals, and were decoded",
    "empty": "rows have an empty sentence, and were left out",
    "placeholder": "rows have NS in place of a sentence that nobody translated, and were left out",
}


def _checked(context: click.Context, option: click.Parameter, folder: Optional[str]) -> Optional[str]:
    """A cache that is none is told before any work begins."""
    if folder is not None:
        from ..engine.cache import check_cache

        check_cache(folder)
    return folder


cache_option = click.option(
    "--cache",
    metavar="FOLDER",
    callback=_checked,
    help="Keep the models' answers in this folder, and never ask twice for the same: see `paws cache --help`.",
)


def run_options(
    processes: bool = True, formats: bool = True, gpu: bool = True, cache: bool = True
) -> Callable[[Any], Any]:
    """The options of a command that runs on the frame. It gets `limit` and `format`, which tell what is read and
    written, and all that tells how the run works as one dict, `frame`, to hand on: see `engine.options.RunOptions`.

    processes (bool): Whether it can work in several processes.
    formats (bool): Whether a pipe can carry several formats.
    gpu (bool): Whether its models can work on a GPU.
    cache (bool): Whether it has models whose answers a cache can keep.
    """
    options: List[Callable[[Any], Any]] = [
        click.option("--limit", type=click.IntRange(1), help="Stop after this many rows of the input."),
        click.option(
            "--max-errors", type=click.IntRange(0), help="Stop after more errors than this.  [default: no limit]"
        ),
        click.option("--fresh", is_flag=True, help="Start over, even if an interrupted run could be resumed."),
        click.option("--quiet", is_flag=True, help="Show no progress."),
        click.option("--log", metavar="FILE", help=LOG),
    ]
    if processes:
        options[2:2] = [
            click.option("--retry", type=click.IntRange(0), default=2, show_default=True, help=RETRY),
            click.option("--engine", type=click.Choice(ENGINES), default="local", show_default=True, help=ENGINE),
            click.option(
                "--address", help="The address of the Ray cluster.  [default: RAY_ADDRESS, or start one here]"
            ),
        ]
    if cache:
        options.insert(0, cache_option)
    if gpu:
        told = "The GPU that the models run on; -1 for none."
        options.insert(0, click.option("--gpu-id", type=click.IntRange(-1), default=-1, show_default=True, help=told))
    if formats:
        told = "The format of a pipe (-o -) or a folder.  [default: jsonl]"
        options.insert(0, click.option("--format", type=click.Choice(FORMATS), help=told))
    if processes:
        told = "The number of processes, or of actors of a Ray cluster; 0 for one per core."
        options.insert(0, click.option("--n-process", type=click.IntRange(0), default=1, show_default=True, help=told))

    def decorate(command: Any) -> Any:
        @wraps(command)
        def framed(**given: Any) -> Any:
            frame = {name: given.pop(name) for name in RUN if name in given}
            if frame.get("address") and frame["engine"] != "ray":
                raise PawsError(Errors.P055.format(address=frame["address"]))
            return command(**given, frame=frame)

        for option in reversed(options):
            framed = option(framed)
        return framed

    return decorate


def tell(closing: str, tally: Any, remarks: List[str]) -> None:
    """Close a run: the line that accounts for every row, what else there is to tell, and the exit code."""
    click.echo(closing, err=True)
    for name, count in tally.notes.items():
        click.echo(f"{count:,} {NOTES[name]}", err=True)
    for remark in remarks:
        click.echo(remark, err=True)
    if tally.errors_path:
        click.echo(f"The errors, with their line numbers, are in {tally.errors_path}", err=True)
    for told in tally.broke_off:
        click.echo(f"paws: {told}", err=True)
    if tally.broke_off:
        sys.exit(1)


# Settings of word swapping that go together. The paper (section 3.1) has every word a slot by its tag, persons,
# organisations and places as names, one language model, and t = 3.0.
PRESETS: Dict[str, Dict[str, Any]] = {
    "paper": {"precise": False, "templates": ["entities"], "fixed_tags": [], "threshold": 3.0},
}


def swap_settings(generator: str, options: Dict[str, Any]) -> Dict[str, Any]:
    """The options that stand for settings of word swapping, as such; our error if another generator is asked."""
    precise = options.pop("precise", True)
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    if (given or not precise) and generator != "word_swap":
        option = "--" + next(iter(given), "all").replace("_", "-")
        raise PawsError(Errors.P210.format(option=option, name=generator))
    settings: Dict[str, Any] = {} if precise else {"precise": False}
    settings.update(PRESETS.get(given.pop("preset", ""), {}))
    for name, value in given.items():
        if name == "lm":
            settings.update(lm="kenlm", lm_settings={"path": value})
        elif name == "rescorer":
            settings.update(rescorer="causal", rescorer_settings={"name": value})
        elif name == "templates":
            settings["templates"] = split_names(value)
        else:
            settings["beam_width" if name == "beam" else name] = value
    return settings


def split_names(text: str) -> List[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]
