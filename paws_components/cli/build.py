from typing import Any

import click

from .options import cache_option


@click.command()
@click.argument("folder", metavar="NAME")
@click.option("--init", "begin", is_flag=True, help="Only write NAME/build.yml, a plan that runs as it is.")
@click.option("--fresh", is_flag=True, help="Repeat slow stages whose settings or inputs have changed.")
@click.option(
    "--max-errors", type=click.IntRange(0), help="Stop a stage after more errors than this.  [default: no limit]"
)
@click.option("--gpu-id", type=click.IntRange(-1), default=-1, show_default=True, help="The GPU; -1 for none.")
@cache_option
@click.option("--quiet", is_flag=True, help="Show no progress, and no tables at the end.")
def build(folder: str, begin: bool, fresh: bool, quiet: bool, **frame: Any) -> None:
    """Build a data set as PAWS was built, from texts to a folder that `datasets` loads.

    NAME is a folder with a build.yml: texts, generators, who labels (silver, people, a model), splits.

    \b
    paws build flights --init      # writes flights/build.yml; edit it
    paws build flights             # runs the stages that are not done yet
    paws push flights/dataset me/flights

    The stages: swaps, correct and label (by people, if the plan says so), back translations, labels for them,
    balancing, splits. Each leaves its pairs in NAME/steps. The data set is in NAME/dataset: JSONL, PAWS TSV and
    Parquet, with counts and a card. If people are asked, the command stops and says which file their answers go to;
    run it again to continue, also after Ctrl-C. Finished stages are not repeated. If settings or inputs have changed,
    slow stages are refused unless --fresh is given; the others are repeated, with a message.
    """
    from ..building.plan import write_template
    from ..building.project import Project
    from ..curation.sheet import show_sheet

    if begin:
        path = write_template(folder)
        click.echo(f"{path} is a plan for the sample text. Edit it, then: paws build {folder}", err=True)
        return
    project = Project(folder)
    counts = project.build(lambda line: click.echo(line, err=True), fresh=fresh, quiet=quiet, **frame)
    if not quiet:
        click.echo(show_sheet(counts, markdown=False))
    total = sum(part["pairs"] for part in counts["splits"].values())
    click.echo(f"{total:,} pairs are in {project.data_set}; its README.md is the card", err=True)
