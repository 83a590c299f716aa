from typing import Optional, Tuple

import click

from .options import FORMATS


@click.command()
@click.argument("corpus")
@click.option(
    "-o", "--output", required=True, help="Where the pairs go: .jsonl, .tsv, .csv (also .gz, .xz), .parquet, -."
)
@click.option("--manifest", help="The list of changed and dropped rows.  [default: OUTPUT.manifest.jsonl]")
@click.option("--layout", help="The layout of the corpus.  [default: guessed]")
@click.option("--train/--no-train", default=None, help="Training data keeps identical pairs.  [default: by the name]")
@click.option("--detokenise/--no-detokenise", default=None, help="Make tokens plain text.  [default: if most rows are]")
@click.option("--reference", help="A file whose labels are right for the rows with the same ids.")
@click.option("--against", multiple=True, help="Drop pairs that are also in this file; repeatable.")
@click.option("--skip", multiple=True, help="Leave out this repair; repeatable.")
@click.option("--format", type=click.Choice(FORMATS), help="The format of a pipe (-o -).  [default: jsonl]")
def repair(
    corpus: str,
    output: str,
    manifest: Optional[str],
    layout: Optional[str],
    train: Optional[bool],
    detokenise: Optional[bool],
    reference: Optional[str],
    against: Tuple[str, ...],
    skip: Tuple[str, ...],
    format: Optional[str],
) -> None:
    """Write a clean copy of a CORPUS, and a manifest of every row that was changed or dropped.

    \b
    paws repair paws_wiki/dev.tsv -o dev.jsonl
    paws repair pawsx/de/dev_2k.tsv -o de.tsv --reference pawsx/en/dev_2k.tsv
    paws repair quora.tsv -o quora.parquet --against test.tsv --skip duplicate_pair

    Every row is accounted for: the closing line counts those kept unchanged, changed, and dropped. The manifest has
    one line per changed or dropped row, with its line number, the reasons, and the row before and after.
    """
    from ..curation.repair import CHANGES, DROPS
    from ..curation.repair import repair as run
    from ..tables import text_table
    from ..writers import is_pipe

    counts = run(
        corpus,
        output,
        manifest or (None if is_pipe(output) else f"{output}.manifest.jsonl"),
        layout=layout,
        train=train,
        tokens=detokenise,
        reference=reference,
        against=against,
        skip=skip,
        format=format,
    )
    rows = [(name, f"{number:,}", {**CHANGES, **DROPS}[name]) for name, number in counts.reasons.most_common()]
    if rows:
        table = text_table([("repair", "rows", "what"), *rows], ("repair", "what"))
        click.echo(f"{table}\n", err=is_pipe(output))
    click.echo(f"{counts} in {output}", err=True)
