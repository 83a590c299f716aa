import logging
import tempfile
from pathlib import Path
from typing import Any, Optional, Tuple

import click

KINDS = ("correct", "judge", "grade", "translate", "write")
TOOLS = ("label-studio", "prodigy", "argilla", "mturk")
STUDY = click.argument("study", metavar="STUDY")
TASK = click.option("--task", help="The task.  [default: the only one]")


@click.group()
def annotate() -> None:
    """Have people correct, judge, grade, translate and write, in a browser.

    STUDY is the path of an SQLite file, or the URL of a PostgreSQL database.

    \b
    paws annotate demo
    paws annotate new study.db --task judge pairs.jsonl
    paws annotate raters add study.db ann ben
    paws annotate serve study.db
    paws annotate export study.db -o votes.jsonl
    """


def server_options(command: Any) -> Any:
    """The options of what serves pages."""
    options = [
        click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on."),
        click.option("--port", default=8020, show_default=True, type=click.IntRange(0, 65535), help="0: any free one."),
        click.option("--public-url", help="The address for browsers on other machines: https://…"),
        click.option("--trusted-proxy", help="The address of a proxy whose X-Forwarded-For is trusted."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@annotate.command()
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of the writing task.")
@click.option("--study", "path", help="Keep the answers in this file.  [default: they are deleted when the demo ends]")
@server_options
def demo(assignments: Tuple[str, ...], path: Optional[str], **server: Any) -> None:
    """Open all five tasks on the sample text that comes with the package.

    Nothing has to be set up. Without models, the Check button of the writing task guesses from the words, and says so;
    give it models with --set nli.model=… --set similarity=bleurt.
    """
    from ..annotate.demo import fill_demo
    from ..annotate.raters import add_rater
    from ..annotate.study import open_study
    from ..settings import parse_assignments

    with tempfile.TemporaryDirectory(prefix="paws-annotate-", ignore_cleanup_errors=True) as folder:
        where = path or str(Path(folder) / "demo.db")
        if path and Path(path).exists():
            raise click.UsageError(f"{path} already exists. `paws annotate serve {path}` serves it.")
        study = open_study(where, create=True)
        fill_demo(study, parse_assignments(assignments))
        secrets = {name: add_rater(study, name, admin=name == "you") for name in ("you", "somebody else")}
        _serve(study, secrets, server)


@annotate.command()
@STUDY
@click.argument("sources", metavar="IN...", nargs=-1, required=True)
@click.option("--task", "kind", type=click.Choice(KINDS), required=True, help="What people do.")
@click.option("--name", help="The name of the task.  [default: what people do]")
@click.option("--title", help="The heading that raters see.")
@click.option("--instructions", help="The instructions for raters.")
@click.option("--raters-per-item", "raters", type=click.IntRange(1), help="[default: judge 5, grade 3, others 1]")
@click.option("--lease", type=float, help="Minutes until an unanswered item goes to another rater.  [default: 30]")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Another setting; repeatable.")
@click.option("--layout", help="The layout of IN, as in `paws audit`.  [default: guessed]")
@click.option("--field", default="text", show_default=True, help="For texts: the field that holds the text.")
@click.option("--of-pairs", is_flag=True, help="Write: IN holds pairs; their first sentences are paraphrased.")
@click.option("--limit", type=click.IntRange(1), help="Read only this many rows of each IN.")
def new(
    study: str,
    sources: Tuple[str, ...],
    kind: str,
    raters: Optional[int],
    lease: Optional[float],
    assignments: Tuple[str, ...],
    **options: Any,
) -> None:
    """Add a task to a study; a new study is created if needed.

    \b
    paws annotate new study.db --task correct swaps.jsonl
    paws annotate new study.db --task judge pairs.jsonl --raters-per-item 5
    paws annotate new study.db --task grade attacks.jsonl --set sample=100
    paws annotate new study.db --task translate pairs.jsonl --set target=fr --set checked=0.1
    paws annotate new study.db --task write MSRP=msrp.txt NMT=nmt.txt --set nli.model=my-nli --set cap=20

    IN is anything that `paws audit` reads: pairs with ids, which identify the answers. In correct, people see only the
    second sentence of a pair; in translate, one sentence at a time. grade samples from what `paws attack` wrote:
    examples that fooled the target, half of each label, each before and after the attack. write takes texts; IN
    may be NAME=FILE, and a coin toss decides which file the next sentence comes from.
    """
    from ..annotate.loading import add_task
    from ..annotate.study import open_study
    from ..settings import parse_assignments

    settings = parse_assignments(assignments)
    settings.update({name: value for name, value in (("raters", raters), ("lease", lease)) if value is not None})
    there = "://" in study or Path(study).exists()
    opened = open_study(study, create=True)
    try:
        loaded = add_task(opened, kind, sources, settings=settings, **options)
    except BaseException:
        opened.close()
        if not there:  # a study that never came to be
            for ending in ("", "-wal", "-shm"):
                Path(study + ending).unlink(missing_ok=True)
        raise
    click.echo(f"{loaded} in the task {options['name'] or kind!r} of {opened.where}", err=True)
    click.echo(f"Next: paws annotate raters add {opened.where} NAME… and paws annotate serve {opened.where}", err=True)


@annotate.group()
def raters() -> None:
    """Add people with personal links, or revoke their links."""


@raters.command()
@STUDY
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--admin", is_flag=True, help="They can also see the admin pages.")
@click.option("--url", default="http://127.0.0.1:8020", show_default=True, help="Where browsers find the pages.")
def add(study: str, names: Tuple[str, ...], admin: bool, url: str) -> None:
    """Add people, and print a personal link for each.

    A link is shown only once: only its hash is stored. Whoever has it counts as that person; send it to nobody else.
    """
    from ..annotate.raters import add_rater
    from ..annotate.serving import link
    from ..annotate.study import open_study

    opened = open_study(study)
    for name in names:
        click.echo(f"{name}\t{link(url, add_rater(opened, name, admin=admin))}")


@raters.command("list")
@STUDY
def list_(study: str) -> None:
    """List the people."""
    from ..annotate.raters import list_raters
    from ..annotate.study import open_study
    from ..tables import text_table

    with open_study(study).reading() as connection:
        rows = [
            [row.name, row.kind, "admin" if row.admin else "", "revoked" if row.revoked else ""]
            for row in list_raters(connection)
        ]
    click.echo(text_table([["name", "kind", "", "state"], *rows]) if rows else "There is nobody yet.")


@raters.command()
@STUDY
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def revoke(study: str, names: Tuple[str, ...]) -> None:
    """Revoke links: these people are out at once. Their answers are kept."""
    from ..annotate.raters import revoke_rater
    from ..annotate.study import open_study

    opened = open_study(study)
    for name in names:
        revoke_rater(opened, name)
        click.echo(f"{name} is out.", err=True)


@raters.command()
@STUDY
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--url", default="http://127.0.0.1:8020", show_default=True, help="Where browsers find the pages.")
def renew(study: str, names: Tuple[str, ...], url: str) -> None:
    """Give people new links. The old ones stop working."""
    from ..annotate.raters import renew_rater
    from ..annotate.serving import link
    from ..annotate.study import open_study

    opened = open_study(study)
    for name in names:
        click.echo(f"{name}\t{link(url, renew_rater(opened, name))}")


@annotate.command()
@STUDY
@server_options
def serve(study: str, **server: Any) -> None:
    """Serve the pages of a study until Ctrl-C.

    Other machines reach it through a proxy that speaks https: give its address with --public-url. The proxy must
    pass the Host header on. Headers that say where a request came from are trusted only from --trusted-proxy.
    """
    from ..annotate.study import open_study

    _serve(open_study(study), {}, server)


def _serve(study: Any, secrets: Any, server: Any) -> None:
    from ..annotate.serving import link
    from ..annotate.serving import serve as run

    def started(url: str) -> None:
        click.echo(f"The pages of {study.where} are at {url}  (Ctrl-C stops)", err=True)
        for name, secret in secrets.items():
            click.echo(f"{name}: {link(url, secret)}", err=True)

    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    try:
        run(study, started=started, **server)
    finally:
        study.close()


@annotate.command()
@STUDY
def status(study: str) -> None:
    """Show the progress of each task, and how well people agree."""
    from ..annotate.study import open_study
    from ..annotate.web.admin import overview
    from ..tables import text_table

    with open_study(study).reading() as connection:
        found = overview(connection)
    rows = [
        [
            one["name"],
            one["kind"],
            f"{one['done']:,} of {one['total']:,}",
            f"{one['raters']}",
            "-" if one["agreement"] is None else f"{100 * one['agreement']:.1f} %",
            "-" if one["seconds"] is None else f"{one['seconds']:.1f}",
        ]
        for one in found["tasks"]
    ]
    click.echo(
        text_table([["task", "kind", "answers", "raters", "agreement", "median seconds"], *rows], ["task", "kind"])
    )


@annotate.command()
@STUDY
@TASK
@click.option("--rater", "model", required=True, help="mi, or a model as `paws evaluate` takes it.")
@click.option("--name", help="Its name among the raters.  [default: that of --rater]")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of the model.")
def rate(study: str, task: Optional[str], model: str, name: Optional[str], assignments: Tuple[str, ...]) -> None:
    """Let a model answer too. It does not take a rater's place, and is shown separately.

    \b
    paws annotate rate study.db --task judge --rater mi --set model=my-nli
    paws annotate rate study.db --task judge --rater training/model-best
    """
    from ..annotate.modelling import rate_with_model
    from ..annotate.study import open_study
    from ..settings import parse_assignments

    opened = open_study(study)
    with opened.reading() as connection:
        found = _task(connection, task)
    count = rate_with_model(opened, found, model, rater=name, settings=parse_assignments(assignments))
    click.echo(f"{name or model} answered {count:,} items of {found.name}", err=True)


def _task(connection: Any, name: Optional[str]) -> Any:
    from ..annotate.tasks import find_task, list_tasks
    from ..errors import Errors, PawsError

    if name:
        return find_task(connection, name)
    tasks = list_tasks(connection)
    if len(tasks) != 1:
        known = ", ".join(task.name for task in tasks) or "none"
        raise PawsError(Errors.P820.format(known=known))
    return tasks[0]


@annotate.command()
@click.argument("source", metavar="STUDY|PAIRS")
@TASK
@click.option("-o", "--output", required=True, help="The file: .jsonl, .tsv or .csv; of pairs also .parquet; -.")
@click.option(
    "--what", default="", help="votes, grammar, corrections, pairs or checks.  [default: what suits the task]"
)
@click.option("--for", "tool", type=click.Choice(TOOLS), help="Write pairs for another tool instead.")
@click.option("--question", default="Do the two sentences mean the same?", show_default=True, help="With --for.")
@click.option("--layout", help="With --for: the layout of PAIRS.  [default: guessed]")
@click.option("--seed", default=0, show_default=True, help="With --for: the seed of the order and the sides.")
def export(
    source: str, task: Optional[str], output: str, what: str, tool: Optional[str], question: str, **options: Any
) -> None:
    """Export the answers of a task, or pairs for another tool.

    \b
    paws annotate export study.db --task judge -o votes.jsonl
    paws annotate export study.db --task correct -o corrections.jsonl
    paws annotate export study.db --task write -o final_checks.tsv
    paws annotate export pairs.jsonl --for label-studio -o tasks.json

    Votes and corrections are what `paws label` and `paws build` read, checks what `paws apt stats` reads.
    """
    from ..annotate.exporting import export_task, list_pairs
    from ..annotate.study import is_study, open_study
    from ..writers import check_outputs

    if tool is not None:
        from ..annotate.tools import write_for
        from ..readers import read_pairs

        if is_study(source):
            with open_study(source).reading() as connection:
                records = list_pairs(connection, _task(connection, task), tool)
        else:
            check_outputs([source], [output])
            records = list(read_pairs(source, options["layout"]))
        written = write_for(tool, records, output, question=question, seed=options["seed"])
        click.echo(f"{len(records):,} pairs in {' and '.join(written)}", err=True)
        return
    check_outputs([] if "://" in source else [source], [output])
    with open_study(source).reading() as connection:
        done = export_task(connection, _task(connection, task), output, what)
    click.echo(f"{done} in {output}", err=True)


@annotate.command("import")
@click.argument("answers", metavar="ANSWERS")
@click.option("--from", "tool", type=click.Choice(TOOLS), required=True, help="The tool that wrote them.")
@click.option("-o", "--output", required=True, help="The votes: .jsonl, .tsv or .csv.")
def import_(answers: str, tool: str, output: str) -> None:
    """Import the answers of another tool as votes, for `paws label` and `paws build`.

    \b
    paws annotate import project-1.json --from label-studio -o votes.jsonl
    paws annotate import Batch_1_batch_results.csv --from mturk -o votes.jsonl
    """
    from ..annotate.tools import read_from
    from ..curation.votes import measure_agreement, write_votes
    from ..writers import check_outputs

    check_outputs([answers], [output])
    votes = read_from(tool, answers)
    write_votes(votes, output)
    found = measure_agreement(votes)
    share = "" if found.share is None else f", agreement {100 * found.share:.1f} %"
    people = len({vote.rater for vote in votes})
    click.echo(f"{len(votes):,} votes of {people} raters on {found.items:,} items{share}, in {output}", err=True)
