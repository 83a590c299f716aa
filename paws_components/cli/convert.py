from typing import Any, Dict, Optional, Tuple

import click

from .options import run_options, split_names, tell


@click.command()
@click.argument("sources", metavar="IN...", nargs=-1, required=True)
@click.option("-o", "--output", required=True, help="The output: a name that ends in .spacy, or -.")
@click.option("--layout", help="The layout of the corpus.  [default: guessed]")
@click.option(
    "--labels",
    default="all",
    show_default=True,
    help="Which labels to use, by source: human, silver, rule, unknown, several with commas, or all.",
)
@click.option("--config", help="The configuration of a data set that is given by its name.")
@click.option("--split", help="The split of a data set that is given by its name.")
@click.option("--lang", default="en", show_default=True, help="The language of the pairs, whose tokenizer is used.")
@click.option("--shuffle", is_flag=True, help="Shuffle the pairs, by --seed; --skip and --limit count in this order.")
@click.option("--seed", default=0, show_default=True, help="The seed of that order.")
@click.option(
    "--skip", type=click.IntRange(0), default=0, show_default=True, help="Leave out this many pairs of each IN first."
)
@run_options(formats=False, gpu=False, cache=False)
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
    frame: Dict[str, Any],
) -> None:
    """Write labelled pairs as Docs for spaCy's own reader: for `spacy evaluate`, or for training.

    IN is a file in any layout that `paws audit` knows, pair records as JSONL or Parquet, another .spacy file, - for
    standard input, or the name of a data set. Each pair is a Doc: the first sentence, a tab, the second; its label is
    in `doc.cats`.

    \b
    paws convert paws_wiki/dev.tsv -o dev.spacy
    paws convert qqp.tsv -o train.spacy --shuffle --limit 18000
    paws convert qqp.tsv -o test.spacy --shuffle --skip 18000
    paws convert paws --config labeled_final --split validation -o dev.spacy

    The closing line accounts for every row: pairs, rows that were left out (no label, one that is not in --labels, a
    missing sentence, outside of --skip and --limit), and errors. --skip and --limit count pairs of each
    IN. The errors are listed in OUTPUT.errors.jsonl.
    """
    from ..readers import open_pairs
    from ..training.convert import convert_pairs
    from ..training.mixing import Choice

    account, tally = convert_pairs(
        [open_pairs(path, layout, config=config, split=split) for path in sources],
        output,
        labels=split_names(labels),
        lang=lang,
        choice=Choice(skip, limit or 0, shuffle, seed),
        **frame,
    )
    remarks = [f"Of these rows, {account.remarks}"] if account.remarks else []
    tally.notes.clear()  # the account tells them
    tell(f"{account} in {output}", tally, remarks)
