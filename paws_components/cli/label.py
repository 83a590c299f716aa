from pathlib import PurePath
from typing import Any, Dict, Optional, Tuple

import click

from ..errors import Errors, PawsError
from .options import run_options, tell


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="PAIRS...")
@click.option("-o", "--output", required=True, help="The output: .jsonl, .tsv, .csv, .parquet, or -.")
@click.option("--label", type=click.IntRange(0, 1), help="One label for all pairs: 1 paraphrase, 0 not.")
@click.option("--by", help="Who labels them: mi (mutual implication), or a MODEL as `paws evaluate` takes it.")
@click.option("--votes", help="A file of people's votes (.jsonl, .tsv, .csv): see docs/build.md.")
@click.option(
    "--source",
    type=click.Choice(["human", "silver", "rule"]),
    help="Where the label comes from.  [default: silver; human for --votes]",
)
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of the model; repeatable.")
@click.option("--raters", type=click.IntRange(1), help="--votes: the fewest people per pair.  [default: 5]")
@click.option("--agreeing", type=click.IntRange(1), help="--votes: how many of them must agree.  [default: 4]")
@click.option("--rest", help="--votes: the file for the other pairs.  [default: OUTPUT with .rest before its ending]")
@click.option("--relabel", is_flag=True, help="Give pairs that already have a label a new one.")
@click.option("--layout", help="The layout of the pairs, as in `paws audit`.  [default: guessed]")
@run_options()
def label(
    inputs: Tuple[str, ...],
    output: str,
    label: Optional[int],
    by: Optional[str],
    votes: Optional[str],
    source: Optional[str],
    assignments: Tuple[str, ...],
    raters: Optional[int],
    agreeing: Optional[int],
    rest: Optional[str],
    relabel: bool,
    layout: Optional[str],
    format: Optional[str],
    limit: Optional[int],
    frame: Dict[str, Any],
) -> None:
    """Label pairs, which `paws generate` does not: silver labels, a model's, or people's.

    \b
    paws label swaps.jsonl -o silver.jsonl --label 0 --source silver
    paws label back.jsonl -o silver.jsonl --label 1
    paws label pairs.jsonl -o labelled.jsonl --by mi --set model=FOLDER
    paws label pairs.jsonl -o labelled.jsonl --by training/model-best
    paws label pairs.jsonl -o labelled.jsonl --votes votes.jsonl

    Silver labels are those of PAWS: most word swaps are not paraphrases, most back translations are. With --votes each
    pair gets the label of the majority; pairs on which fewer than 4 of 5 people agree, and those with fewer than 5
    votes, go to another file. A pair that already has a label keeps it, unless --relabel is given.
    """
    given = [name for name, value in (("--label", label), ("--by", by), ("--votes", votes)) if value is not None]
    if len(given) != 1:
        raise PawsError(Errors.P707)
    _only(given[0], "--votes", {"--raters": raters, "--agreeing": agreeing, "--rest": rest})
    _only(given[0], "--by", {"--set": assignments or None})
    if votes is not None:
        if source not in (None, "human"):
            raise PawsError(Errors.P211.format(one="--votes", other=f"--source {source}"))
        _by_votes(inputs, output, rest or _rest_of(output), votes, {"raters": raters, "agreeing": agreeing}, layout)
        return
    from ..evaluation.labelling import LabelJob, label_pairs
    from ..settings import parse_assignments

    job = LabelJob(label, by, parse_assignments(assignments), source or "silver", relabel)
    done = label_pairs(job, inputs, output, layout=layout, limit=limit, format=format, **frame)
    tally = done.tally
    closing = (
        f"{tally.rows:,} pairs in = {tally.found:,} with a label + {tally.nothing:,} left out + {tally.errors:,} "
        f"errors; they are in {output}"
    )
    had = f"{done.before:,} had a label before and keep it (--relabel gives them a new one)"
    tell(closing, tally, [*([had] if done.before else []), *done.remarks])


def _by_votes(
    inputs: Tuple[str, ...], output: str, rest: str, votes: str, bar: Dict[str, Any], layout: Optional[str]
) -> None:
    from ..curation.votes import TOO_FEW
    from ..evaluation.labelling import label_by_votes

    bar = {name: value for name, value in bar.items() if value is not None}
    done = label_by_votes(inputs, votes, output, rest, layout=layout, **bar)
    few = sum(one.evidence["votes"]["why"] == TOO_FEW for one in done.rest)
    kept, others = len(done.kept), len(done.rest)
    click.echo(
        f"{kept + others:,} pairs in = {kept:,} kept in {output} + {others:,} in {rest} ({few:,} with too few votes, "
        f"{others - few:,} on which too few agree)",
        err=True,
    )
    for what, found in (("All pairs with enough votes", done.before), ("Those that are kept", done.after)):
        if found.share is not None:
            click.echo(f"{what}: human agreement {100 * found.share:.1f} %{_chance(found)}", err=True)
    if done.unknown:
        click.echo(f"{done.unknown:,} votes are for items that are not among the pairs", err=True)
    _show_raters(done.before)


def _show_raters(found: Any) -> None:
    """A row per rater, those who are least often with the majority first; models after the people."""
    from ..tables import text_table

    rows = [["rater", "", "answers", "with the majority", "share"]]
    for raters, kind in ((found.raters, ""), (found.models, "model, not counted")):
        for name, one in sorted(raters.items(), key=lambda item: (item[1].share is None, item[1].share, item[0])):
            share = "–" if one.share is None else f"{100 * one.share:.1f} %"
            rows.append([name, kind, f"{one.answers:,}", f"{one.agreeing:,}", share])
    if len(rows) > 1:
        click.echo(text_table(rows, ["rater", ""]))


def _chance(found: Any) -> str:
    figures = (("Fleiss' kappa", found.kappa), ("Krippendorff's alpha", found.alpha))
    return "".join(f", {name} {value:.3f}" for name, value in figures if value is not None)


def _rest_of(output: str) -> str:
    path = PurePath(output)
    ending = "".join(path.suffixes[-2:]) if path.suffix in (".gz", ".xz", ".bz2") else path.suffix
    return str(path.with_name(path.name.removesuffix(ending) + ".rest" + ending))


def _only(given: str, wanted: str, options: Dict[str, Any]) -> None:
    """Our error for an option that means nothing here."""
    for name, value in options.items():
        if value is not None and given != wanted:
            raise PawsError(Errors.P211.format(one=name, other=given))
