from typing import Any, Dict, Optional, Tuple

import click

from .options import run_options, split_names, tell


@click.command()
@click.argument("source", metavar="IN")
@click.option(
    "-o", "--output", required=True, help="Where the pairs go: .jsonl, .tsv, .csv (also .gz, .xz), .parquet, -."
)
@click.option(
    "--metrics",
    default="bow_cosine,inversion_rate,wpd,ld",
    show_default=True,
    help="The metrics; also rouge_l, self_bleu and damerau_levenshtein, and those of plugins.",
)
@click.option("--set", "assignments", multiple=True, metavar="METRIC.KEY=VALUE", help="A setting of a metric.")
@click.option(
    "--variant",
    default="paper",
    show_default=True,
    help="The definition of WPD and LD: paper, or released (the authors' code).",
)
@click.option("--where", help='Keep the pairs that meet a condition, such as "wpd > 0.2 and ld < 0.1".')
@click.option("--sort", help="Sort by a metric or a numeric column; -NAME puts the largest first.")
@click.option("--layout", help="How the pairs are laid out, as in `paws audit`.  [default: guessed]")
@click.option(
    "--columns", help="The columns of the sentences and the label, separated by commas.  [default: the known ones]"
)
@click.option("--config", help="The configuration of a data set that is given by its name.")
@click.option("--split", help="The split of a data set that is given by its name.")
@click.option("--model", help="The spaCy pipeline: a package or a path.  [default: the one of the language]")
@click.option("--lang", default="en", show_default=True, help="The language of the pairs.")
@run_options()
def metrics(
    source: str,
    output: str,
    metrics: str,
    assignments: Tuple[str, ...],
    variant: str,
    where: Optional[str],
    sort: Optional[str],
    layout: Optional[str],
    columns: Optional[str],
    config: Optional[str],
    split: Optional[str],
    model: Optional[str],
    lang: str,
    format: Optional[str],
    limit: Optional[int],
    frame: Dict[str, Any],
) -> None:
    """Measure the sentence pairs of IN: one more column per metric.

    IN is a file in any layout that `paws audit` knows (TSV, CSV, JSONL, Parquet, .spacy; also .gz, .xz, .bz2), - for
    standard input, or the name or the folder of a data set. TSV, CSV and Parquet output have the columns of IN and the
    metrics; JSONL output has records, with the metrics in their evidence.

    \b
    paws metrics pairs.jsonl -o measured.jsonl
    paws metrics msr_paraphrase_train.txt -o moved.tsv --where "wpd > 0.2 and ld < 0.1" --sort -wpd
    paws metrics paws --config labeled_final --split validation -o dev.parquet --metrics bow_cosine,wpd
    paws generate text.txt -o - | paws metrics - -o - --format csv

    Only the components that the metrics need are run. A table sums up the pairs that are kept, and the closing line
    accounts for every row. Rows with an error are listed in OUTPUT.errors.jsonl. After an interruption, run the same
    command again to resume.
    """
    from ..metrics.job import MetricsJob, MetricsTable
    from ..metrics.measure import with_variant
    from ..settings import parse_assignments

    names = split_names(metrics)
    job = MetricsJob(names, model, lang, with_variant(names, variant, parse_assignments(assignments)))
    table = MetricsTable(
        source,
        output,
        job,
        where=where,
        sort=sort,
        layout=layout,
        columns=split_names(columns or ""),
        config=config,
        split=split,
        format=format,
    )
    done = table(limit=limit, **frame)
    tally = done.tally
    # Where the pairs themselves go to standard output, nothing else does.
    click.echo(str(done.summary), err=output == "-")
    closing = (
        f"\n{tally.rows:,} rows in = {tally.found:,} kept + {tally.nothing:,} left out + {tally.errors:,} errors "
        f"in {output}"
    )
    tell(closing, tally, done.remarks)
