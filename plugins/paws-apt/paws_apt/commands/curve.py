import json

import click


@click.command()
@click.argument("run", metavar="RUN")
@click.option(
    "--share", default=0.25, show_default=True, help="The share of points in the first part, and in the last."
)
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="The format of the table.",
)
def curve(run: str, share: float, shape: str) -> None:
    """Compare the first part of a training run with the paper's loss with the last: did the reward go up?

    RUN is the output of `paws apt train --loss reward`, or the file curve.json in it.

    \b
    paws apt curve t5-apt
    """
    from paws_components.plugin import markdown_table, text_table

    from ..training.curve import MEASURES, both_ends, read_curve

    ends = both_ends(read_curve(run), share)
    if shape == "json":
        click.echo(json.dumps(ends._asdict()))
        return
    table = markdown_table if shape == "markdown" else text_table
    rows = [[name, f"{ends.first[name]:.4f}", f"{ends.last[name]:.4f}"] for name in MEASURES]
    click.echo(table([[f"{ends.steps:,} steps", f"first {ends.points:,} points", f"last {ends.points:,}"], *rows]))
    click.echo(f"\n{ends}")
