from typing import Optional, Tuple

import click


@click.command()
@click.argument("sources", metavar="IN...", nargs=-1, required=True)
@click.option("-o", "--output", required=True, help="Where the pairs go: a name that ends in .spacy.")
@click.option("--layout", help="The layout of the corpus.  [default: guessed]")
@click.option(
    "--labels",
    default="all",
    show_default=True,
    help="Whose labels are taken: human, silver, rule, unknown, several with commas, or all.",
)
@click.option("--config", help="The configuration of a data set that is given by its name.")
@click.option("--split", help="The split of a data set that is given by its name.")
@click.option("--lang", default="en", show_default=True, help="The language of the pairs, whose tokenizer is used.")
@click.option("--shuffle", is_flag=True, help="In an order that the seed decides; --skip and --limit count in it.")
@click.option("--seed", default=0, show_default=True, help="The seed of that order.")
@click.option(
    "--skip", type=click.IntRange(0), default=0, show_default=True, help="Leave out the first so many pairs of each IN."
)
@click.option("--limit", type=click.IntRange(1), help="Stop after this many pairs of each IN.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def convert(
    sources: Tuple[str, ...],
    output: str,
    layout: Optional[str],
    labels: str,
    config: Optional[str],
    split: Optional[str],
    lang: str,
    shuffle: bool,
    seed: int,
    skip: int,
    limit: Optional[int],
    quiet: bool,
) -> None:
    """Write labelled pairs as Docs that spaCy's own reader reads: for `spacy evaluate`, or for training.

    IN is a file in any layout that `paws audit` knows, pair records as JSONL or Parquet, another .spacy file, or the
    name of a data set. Each pair is a Doc: the first sentence, a tab, the second; its label is in `doc.cats`.

    \b
    paws convert paws_wiki/dev.tsv -o dev.spacy
    paws convert qqp.tsv -o train.spacy --shuffle --limit 18000
    paws convert qqp.tsv -o test.spacy --shuffle --skip 18000
    paws convert paws --config labeled_final --split validation -o dev.spacy

    The closing line accounts for every row that was read: pairs, rows that were left out (no label, one that nobody
    asked for, not within --skip and --limit), and errors. The errors are listed in OUTPUT.errors.jsonl.
    """
    from ..training.mixing import Choice
    from ..training.sources import Source
    from .converting import ConvertRun

    run = ConvertRun(
        [Source(path, layout, config, split) for path in sources],
        output,
        labels=[name.strip() for name in labels.split(",")],
        lang=lang,
        choice=Choice(skip, limit or 0, shuffle, seed),
    )
    run(quiet=quiet)
    click.echo(f"{run.account} in {output}", err=True)
    if run.account.remarks:
        click.echo(f"Of these rows, {run.account.remarks}", err=True)
    if run.account.errors:
        click.echo(f"The errors, with their line numbers, are in {run.errors}", err=True)
