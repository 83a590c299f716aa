import json
from typing import Any, Dict, List

import click

from ..errors import Errors, PawsError

HEAD = ["answers", "model", "weights", "numbers", "device"]
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


@click.group()
def cache() -> None:
    """Manage a cache of model answers.

    With --cache FOLDER a long command keeps its models' answers in FOLDER: causal language models, translation
    models, models of inference (MI), BLEURT, targets of an attack. If exactly the same is asked again, by this run
    or any other, the answer comes from there. The output is the same to the byte, with and without the cache.

    \b
    paws metrics pairs.jsonl -o mi.tsv --metrics mi_verdict --cache answers
    paws metrics pairs.jsonl -o apart.tsv --metrics mi_verdict --where "mi_verdict == 1" --cache answers   # at once
    paws cache info answers
    paws cache limit answers 20GB
    paws cache clear answers

    Several processes and nodes can share a folder, also on a network file system; a killed process loses no answers.
    A model is identified by its weights, not by its name: after more training it is asked again. A
    service over HTTP, Apertium and Python functions have no weights, and are asked every time.
    """


@cache.command()
@click.argument("folder")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with versions, devices and configs too.")
def info(folder: str, as_json: bool) -> None:
    """Show what is in the cache FOLDER: answers, models, and its size.

    A model is listed once per device, number format and version of its libraries, since the last digits of its
    answers differ.
    """
    from ..engine.cache import cache_info
    from ..tables import text_table

    found = cache_info(folder)
    if as_json:
        told = {**found._asdict(), "models": [model._asdict() for model in found.models]}
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    if found.models:
        rows = [[f"{held.answers:,}", held.name, *told_apart(held.about)] for held in found.models]
        click.echo(text_table([HEAD, *rows], left=HEAD[1:]) + "\n")
    click.echo(
        f"{found.answers:,} answers of {len(found.models)} models; {size_text(found.size)} in {found.segments} "
        f"segments, {found.size / found.limit:.0%} of the {size_text(found.limit)} that it may have"
    )


@cache.command()
@click.argument("folder")
def clear(folder: str) -> None:
    """Remove all answers from the cache FOLDER. Runs that are using it continue, and ask their models."""
    from ..engine.cache import clear_cache

    click.echo(f"{size_text(clear_cache(folder))} were removed from {folder}")


@cache.command()
@click.argument("folder")
@click.argument("size")
def limit(folder: str, size: str) -> None:
    """Limit the size of the cache FOLDER to SIZE, such as 500MB or 20GB.

    Beyond the limit, the answers that were not used for the longest time are removed. A new cache is limited to 1 GB.
    """
    from ..engine.cache import limit_cache

    removed = limit_cache(folder, parse_size(size))
    click.echo(f"{folder} may have {size_text(parse_size(size))} from now on; {size_text(removed)} were removed")


def told_apart(about: Dict[str, Any]) -> List[str]:
    """What tells models of one name apart, short."""
    numbers = str(about.get("dtype", about.get("numbers", "")))
    return [str(about.get("weights", ""))[:8], numbers.removeprefix("torch."), str(about.get("device", ""))]


def size_text(size: int) -> str:
    """A number of bytes for people."""
    for unit, factor in reversed(UNITS.items()):
        if size >= factor > 1:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def parse_size(text: str) -> int:
    """A number of bytes from what people write; our error for what is none."""
    plain = text.strip().upper().replace(" ", "")
    number = plain.rstrip("BKMGT")
    try:
        size = int(float(number) * UNITS[plain[len(number) :]])
    except (ValueError, KeyError, OverflowError):
        size = 0
    if size < 1:
        raise PawsError(Errors.P015.format(name="SIZE", what="a number of bytes, such as 500MB or 20GB", value=text))
    return size
