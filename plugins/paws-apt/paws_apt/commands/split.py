from typing import Optional, Tuple

import click


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="PAIRS...")
@click.option("--train", required=True, help="The file for the larger part: .jsonl, .tsv, .csv or .parquet.")
@click.option("--test", required=True, help="The file for the part that is held back.")
@click.option("--share", default=0.25, show_default=True, help="The share that is held back.")
@click.option("--layout", help="The layout of the files, as in `paws audit`.  [default: guessed]")
@click.option("--seed", default=0, show_default=True, help="The seed of the draw.")
def split(inputs: Tuple[str, ...], train: str, test: str, share: float, layout: Optional[str], seed: int) -> None:
    """Split attempts by their source sentences, so that no sentence is on both sides.

    PAIRS are files in any layout that `paws audit` knows.

    \b
    paws apt split final_checks.tsv --train ap_h-train.jsonl --test ap_h-test.jsonl
    """
    from paws_components.plugin import PawsError, RecordWriter, check_outputs, file_format

    from ..attempts import read_rows
    from ..errors import Errors
    from ..splitting import split_by_source

    if not 0 < share < 1:
        raise PawsError(Errors.A022.format(name="--share", what="over 0 and under 1", value=share))
    for path in (train, test):
        file_format(path)
    check_outputs(inputs, (train, test))
    pairs = [row.to_record() for row in read_rows(inputs, layout)]
    for path, part in zip((train, test), split_by_source(pairs, share, seed)):
        with RecordWriter(path) as writer:
            for pair in part:
                writer.write(pair)
        sources = len({pair.sentence1 for pair in part})
        click.echo(f"{len(part):,} pairs of {sources:,} sentences in {path}", err=True)
