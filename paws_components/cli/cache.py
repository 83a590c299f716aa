import json
from typing import Any, Dict, List

import click

from ..errors import Errors, PawsError

HEAD = ["answers", "model", "weights", "numbers", "device"]
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


@click.group()
def cache() -> None:
    """Answers of models that are kept for later runs.

    With --cache FOLDER a long command keeps in FOLDER what its models answer: causal language models, translation
    models, models of inference (MI), BLEURT, targets of an attack. When the very same is asked again, by this run
    or by any other, the answer comes from there. The output is the same to the byte, with the cache and without.

    \b
    paws metrics pairs.jsonl -o mi.tsv --metrics mi_verdict --cache answers
    paws metrics pairs.jsonl -o apart.tsv --metrics mi_verdict --where "mi_verdict == 1" --cache answers   # at once
    paws cache info answers
    paws cache limit answers 20GB
    paws cache clear answers

    Several processes and nodes can share a folder, also on a network file system; one that is killed leaves what it
    had found out. A model is known by its weights, not by its name: one that was trained anew is asked anew. A
    service over HTTP, Apertium and Python functions have no weights to know them by, and are asked every time.
    """


@cache.command()
@click.argument("folder")
@click.option("--json", "as_json", is_flag=True, help="All of it as JSON: also versions, devices and configs.")
def info(folder: str, as_json: bool) -> None:
    """Say what is in the cache FOLDER: answers, models, and how large it is.

    A model stands there once for each device, number format and version of its libraries: the last digits of its
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
    """Remove all answers from the cache FOLDER. Runs that use it at this moment go on, and ask their models."""
    from ..engine.cache import clear_cache

    click.echo(f"{size_text(clear_cache(folder))} were removed from {folder}")


@cache.command()
@click.argument("folder")
@click.argument("size")
def limit(folder: str, size: str) -> None:
    """Say how large the cache FOLDER may become: SIZE is such as 500MB or 20GB.

    Where there is more, the answers go that were not used for the longest time. A new cache may have 1 GB.
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
