from pathlib import Path
from typing import Optional, Tuple

import click

ENDINGS = (".html", ".htm")


@click.command()
@click.argument("corpora", nargs=-1, required=True, metavar="CORPUS...")
@click.option("-o", "--output", required=True, help="The page: an .html file.")
@click.option("--metrics", help="Metrics, separated by commas.  [default: all whose libraries are installed]")
@click.option("--sample", default=5000, show_default=True, help="How many pairs per corpus to measure; 0 for all.")
@click.option("--seed", default=0, show_default=True, help="The seed of the sample.")
@click.option("--examples", default=5, show_default=True, help="How many pairs to show: at random, and from each tail.")
@click.option(
    "--variant", default="paper", show_default=True, help='"paper" or "released": the definition of WPD and LD.'
)
@click.option("--layout", help="The layout of the files.  [default: guessed]")
@click.option("--model", help="The spaCy pipeline: a package or a path.  [default: the one of the language]")
@click.option("--lang", default="en", show_default=True, help="The language of the pairs.")
@click.option("--title", default="Sentence pairs", show_default=True, help="The title of the page.")
@click.option("--no-audit", is_flag=True, help="Leave out the audit.")
@click.option("--quiet", is_flag=True, help="Print no progress.")
def report(
    corpora: Tuple[str, ...],
    output: str,
    metrics: Optional[str],
    sample: int,
    seed: int,
    examples: int,
    variant: str,
    layout: Optional[str],
    model: Optional[str],
    lang: str,
    title: str,
    no_audit: bool,
    quiet: bool,
) -> None:
    """Compare corpora of pairs on one HTML page.

    CORPUS is a file of pairs in any layout that `paws audit` knows, - for standard input, the name or the folder of a
    data set, or NAME=FILE to give it a name. The page needs no network and no other file: labels, the distributions of
    every metric by corpus and by label, examples at random and from each tail with drawings, and the faults that an
    audit finds.

    \b
    paws report pairs.jsonl -o report.html
    paws report MRPC=msr_paraphrase_train.txt PAWS=dev.tsv -o report.html
    """
    from ..errors import Errors, PawsError
    from ..metrics.measure import load_for
    from ..readers.names import name_sources
    from ..viz.report import ReportSettings, build_report, installed_metrics
    from ..writers import STDOUT, check_outputs, write_text

    check_outputs(name_sources(corpora, "corpora").values(), [output])
    if output != STDOUT and Path(output).suffix.lower() not in ENDINGS:
        raise PawsError(Errors.P011.format(path=output, known=", ".join(ENDINGS), hint=""))
    for name, value, least in (("--sample", sample, 0), ("--seed", seed, 0), ("--examples", examples, 1)):
        if value < least:
            raise PawsError(Errors.P015.format(name=name, what=f"at least {least}", value=value))
    settings = ReportSettings(
        metrics=[name.strip() for name in metrics.split(",") if name.strip()] if metrics else None,
        sample=sample or None,
        seed=seed,
        examples=examples,
        variant=variant,
        audit=not no_audit,
        title=title,
    )

    def tell(message: str) -> None:
        if not quiet:
            click.echo(message, err=True)

    nlp = load_for(settings.metrics or installed_metrics(), model, lang)
    page = build_report(corpora, settings, nlp=nlp, layout=layout, tell=tell)
    write_text(output, page)
    click.echo(f"The report is in {output} ({len(page.encode('utf8')) / 1e6:.1f} MB)", err=True)
