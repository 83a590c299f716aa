import json
import shlex
from datetime import datetime
from typing import Any, List, Optional

import click


class WithDefault(click.Group):
    """A group whose first command is meant where none is named."""

    def parse_args(self, ctx: click.Context, args: List[str]) -> List[str]:
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=WithDefault)
def runs() -> None:
    """List interrupted and running runs, resume one, or remove what one left.

    A run keeps finished work in OUTPUT.run until its output is complete.

    \b
    paws runs                       # those under this folder
    paws runs data/ --json
    paws runs resume pairs.jsonl    # the same command again, in the same folder
    paws runs remove pairs.jsonl
    """


@runs.command("list")
@click.argument("place", default=".", metavar="[FOLDER]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def list_(place: str, as_json: bool) -> None:
    """List the runs under FOLDER (links are not followed), or that of an output, which may be a URL."""
    from ..engine.runs import find_runs
    from ..tables import text_table

    found = find_runs(place)
    if as_json:
        click.echo(json.dumps([run.to_dict() for run in found], ensure_ascii=False, indent=2))
        return
    if not found:
        click.echo(f"No runs under {place}", err=True)
        return
    head = ("output", "command", "state", "begun", "rows", "errors")
    rows: List[Any] = [head]
    for run in found:
        rows.append((run.output, run.command, run.state, _time(run.begun), f"{run.rows:,}", f"{run.errors:,}"))
    click.echo(text_table(rows, left=head[:4]))


@runs.command()
@click.argument("output", required=False)
def resume(output: Optional[str]) -> None:
    """Run the command of an interrupted run again, in the folder where it was first run.

    OUTPUT is the output of the run. It can be left out if only one run under this folder was interrupted. The command
    keeps its options, except --fresh.
    """
    from ..engine.runs import command_of, to_resume
    from ..engine.runs import resume as give_again

    run = to_resume(output)
    click.echo(f"cd {shlex.quote(run.directory)}\n{shlex.join(['paws', *command_of(run)])}", err=True)
    give_again(run)


@runs.command()
@click.argument("output")
@click.option("--yes", is_flag=True, help="Don't ask first.")
def remove(output: str, yes: bool) -> None:
    """Remove what a run left in OUTPUT.run. An existing output is not removed."""
    from ..engine.runs import remove as remove_run
    from ..engine.runs import to_remove

    run = to_remove(output)
    if not yes:
        click.confirm(f"Remove {run.path}, with {run.rows:,} rows that are done?", abort=True, err=True)
    remove_run(run)
    click.echo(f"Removed {run.path}", err=True)


def _time(text: str) -> str:
    """A time for a reader, as the clock of this machine has it."""
    try:
        return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return text
