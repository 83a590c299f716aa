from typing import Optional, Tuple

import click


@click.command()
@click.argument("source", metavar="IN")
@click.option("-o", "--output", required=True, help="Where the pairs go: .jsonl, .tsv, .csv (also .gz, .xz), .parquet.")
@click.option(
    "--metrics",
    default="bow_cosine,inversion_rate,wpd,ld",
    show_default=True,
    help="Which ones; also rouge_l, self_bleu and damerau_levenshtein, and those of plugins.",
)
@click.option("--set", "assignments", multiple=True, metavar="METRIC.KEY=VALUE", help="A setting of a plugin's metric.")
@click.option(
    "--variant", default="paper", show_default=True, help="Of WPD and LD: paper, or released (the authors' code)."
)
@click.option("--where", help='Keep the pairs that meet a condition, such as "wpd > 0.2 and ld < 0.1".')
@click.option("--sort", help="Sort by a metric or a column of numbers; -NAME has the largest first.")
@click.option("--columns", help="The columns of the sentences and the label, with commas.  [default: the known ones]")
@click.option("--config", help="The configuration of a data set that is given by its name.")
@click.option("--split", help="The split of a data set that is given by its name.")
@click.option("--model", help="The spaCy pipeline: a package or a path.  [default: the one of the language]")
@click.option("--lang", default="en", show_default=True, help="The language of the pairs.")
@click.option("--n-process", default=1, show_default=True, help="How many processes work; 0 for one a core.")
@click.option("--limit", type=int, help="Stop after this many rows.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def metrics(
    source: str,
    output: str,
    metrics: str,
    assignments: Tuple[str, ...],
    variant: str,
    where: Optional[str],
    sort: Optional[str],
    columns: Optional[str],
    config: Optional[str],
    split: Optional[str],
    model: Optional[str],
    lang: str,
    n_process: int,
    limit: Optional[int],
    quiet: bool,
) -> None:
    """Measure the sentence pairs of IN: a column more for each metric.

    IN is a file (pair records as JSONL, TSV or .txt with a header, CSV, Parquet), or the name of a data set. TSV, CSV
    and Parquet output have the columns of IN and the metrics; JSONL output has records, with the metrics in their
    evidence.

    \b
    paws metrics pairs.jsonl -o measured.jsonl
    paws metrics msr_paraphrase_train.txt -o moved.tsv --where "wpd > 0.2 and ld < 0.1" --sort -wpd
    paws metrics paws --config labeled_final --split validation -o dev.parquet --metrics bow_cosine,wpd

    No more of the pipeline runs than the metrics need. A table sums up the pairs that are kept, and the closing line
    accounts for every row. Rows with an error are listed in OUTPUT.errors.jsonl.
    """
    from ..settings import parse_assignments
    from .measuring import MetricsRun

    run = MetricsRun(
        source,
        output,
        metrics=[name.strip() for name in metrics.split(",") if name.strip()],
        variant=variant,
        where=where,
        sort=sort,
        columns=[name.strip() for name in columns.split(",")] if columns else [],
        config=config,
        split=split,
        model=model,
        lang=lang,
        settings=parse_assignments(assignments),
    )
    run(n_process=n_process, limit=limit, quiet=quiet)
    click.echo(str(run.summary))
    click.echo(f"\n{run.counts} in {output}", err=True)
    if run.counts.normalised:
        click.echo(
            f"{run.counts.normalised:,} rows have tabs or line breaks within a sentence, read as spaces", err=True
        )
    if run.counts.errors:
        click.echo(f"The errors, with their line numbers, are in {run.errors}", err=True)
