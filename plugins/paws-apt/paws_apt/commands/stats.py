import json
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import click


@click.command()
@click.argument("attempts", metavar="ATTEMPTS...", nargs=-1, required=True)
@click.option("--threshold", type=float, help="The highest similarity that passes.  [default: the run's, or else 0.5]")
@click.option("--passed", multiple=True, metavar="PATTERN", help="Files, by name, in which all MI attempts passed.")
@click.option("--failed", multiple=True, metavar="PATTERN", help="Files, by name, in which no attempt passed.")
@click.option("--layout", help="The layout of the files, as in `paws audit`.  [default: guessed]")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="The format of the table.",
)
@click.option("--no-paper", is_flag=True, help="Leave out the columns with the paper's own counts.")
def stats(
    attempts: Tuple[str, ...],
    threshold: Optional[float],
    passed: Tuple[str, ...],
    failed: Tuple[str, ...],
    layout: Optional[str],
    shape: str,
    no_paper: bool,
) -> None:
    """Count attempts at the Adversarial Paraphrasing Task, as in Table 2 of the paper.

    ATTEMPTS are files as the paper's authors released them, with or without a header, or as `paws apt build` writes
    them. NAME=FILE gives one a name; files with the same name are counted together.

    \b
    paws apt stats final_checks.tsv
    paws apt stats mine=attempts.jsonl --format markdown
    paws apt stats M=msrp1-apt.tsv M=msrp1-mi0.tsv M=msrp1-nmi0.tsv --passed '*-apt.tsv'

    What was paid for has passed; without a payment, MI attempts with a similarity up to the threshold have. Files that
    hold no similarity can't tell, unless --passed or --failed does: the authors sorted theirs that way. Unique
    sentences go by their text. Non-MI uniques have a non-MI attempt, never-MI uniques have no other.
    """
    from paws_components.plugin import markdown_table, own_name, split_name, text_table

    from ..stats import cells, count, paper

    named: Dict[str, List[str]] = {}
    for value in attempts:
        name, path = split_name(value)
        named.setdefault(name or own_name(path), []).append(path)
    found = [count(name, _known(paths, layout, passed, failed), threshold=threshold) for name, paths in named.items()]
    if shape == "json":
        result = {each.name: each.to_dict() for each in (found if no_paper else [*found, *paper()])}
        click.echo(json.dumps(result, ensure_ascii=False, indent=2))
    else:
        table = markdown_table if shape == "markdown" else text_table
        click.echo(table(cells(found if no_paper else [*found, *paper()])))


def _known(
    paths: List[str], layout: Optional[str], passed: Tuple[str, ...], failed: Tuple[str, ...]
) -> Iterator[Tuple[Any, Optional[bool]]]:
    """The attempts of some files, each with what the name of its file tells."""
    from ..attempts import read_attempts

    for path in paths:
        name = Path(path).name
        by_name = None
        if any(fnmatch(name, pattern) for pattern in passed):
            by_name = True
        elif any(fnmatch(name, pattern) for pattern in failed):
            by_name = False
        for attempt in read_attempts(path, layout):
            # That all of a file passed says nothing of attempts that are not MI: there can be none that did.
            yield attempt, attempt.mi if by_name else by_name
