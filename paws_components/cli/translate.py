import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

import click

from ..errors import Errors, PawsError
from .options import run_options, split_names, tell

if TYPE_CHECKING:
    from ..translation.job import Translated

FORMATS = ("jsonl", "tsv", "csv", "parquet", "txt")


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("-o", "--output", required=True, help="The output file, folder or pipe: see below.")
@click.option("--from", "source", required=True, metavar="LANG", help="The language of the sentences, such as en.")
@click.option("--to", "target", required=True, metavar="LANG", help="The language to translate to, such as de.")
@click.option("-t", "--translator", default="marian", show_default=True, help="The translator; see `paws plugins`.")
@click.option(
    "--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of the translator; repeatable."
)
@click.option(
    "--side",
    type=click.Choice(["1", "2"]),
    help="Translate only this sentence of a pair, and pair it with the other one unchanged: for parallel corpora.",
)
@click.option("--label", type=click.Choice(["0", "1"]), help="The label of pairs that have none.  [default: none]")
@click.option("--texts", is_flag=True, help="INPUT holds texts rather than pairs.")
@click.option("--field", help="With --texts: the field of JSONL, or the column of a table.  [default: text]")
@click.option("--layout", help="How the pairs are laid out, as in `paws audit`.  [default: guessed]")
@click.option(
    "--columns", help="The columns of the sentences and the label, separated by commas.  [default: the known ones]"
)
@click.option("--config", help="The configuration of a data set that is given by its name.")
@click.option("--split", help="The split of a data set that is given by its name.")
@click.option("--format", type=click.Choice(FORMATS), help="The format of a pipe (-o -) or a folder.  [default: jsonl]")
@run_options(formats=False)
def translate(
    inputs: Tuple[str, ...],
    output: str,
    source: str,
    target: str,
    translator: str,
    assignments: Tuple[str, ...],
    side: Optional[str],
    label: Optional[str],
    texts: bool,
    field: Optional[str],
    layout: Optional[str],
    columns: Optional[str],
    config: Optional[str],
    split: Optional[str],
    format: Optional[str],
    limit: Optional[int],
    frame: Dict[str, Any],
) -> None:
    """Translate the pairs of INPUT, each sentence on its own, as PAWS-X was made.

    INPUT is one or more files in any layout that `paws audit` knows (TSV, CSV, JSONL, Parquet, .spacy; also .gz, .xz,
    .bz2), - for standard input, or data sets by name. A pair keeps its id, its label and its source, so that the same
    pair can be found in every language, and the original sentences are in its evidence.

    \b
    paws translate paws_wiki/dev.tsv -o dev.de.tsv --from en --to de
    paws translate pairs.jsonl -o pairs.es.jsonl --from en --to es --translator apertium
    paws translate pairs.jsonl -o pairs.fr.jsonl --from en --to fr --set model=facebook/m2m100_418M
    paws translate pairs.jsonl -o pairs.it.jsonl --from en --to it --translator libretranslate \\
        --set url=http://localhost:5000
    paws translate train.en -o paraphrases.jsonl --side 2 --from de --to en --label 1    # as ParaNMT was made
    paws translate news.txt -o news.en.txt --texts --from de --to en

    --side 2 takes a parallel corpus, such as a table with the columns en and de, or train.en with train.de beside it:
    the foreign sentences are translated and paired with the English ones. --texts takes texts (a line each, or a
    --field) and gives texts.

    OUTPUT is a file (.jsonl, .tsv, .csv, also .gz, .xz, .bz2; .parquet), a folder (its name ends in /), or - for
    standard output; with --texts also .txt. It appears when everything is done; until then an existing one is not
    changed. After an interruption, run the same command again to resume: finished work is kept in OUTPUT.run.

    Every distinct sentence is translated once. The closing line accounts for every row: pairs with a sentence that is
    empty or has no translation are left out; rows with an error are listed in OUTPUT.errors.jsonl. `paws plugins NAME`
    lists a translator's settings.
    """
    from ..settings import parse_assignments
    from ..translation.job import TranslateJob, translate_pairs, translate_texts

    of_pairs = {"side": side, "label": label, "layout": layout, "columns": columns}
    for name, value in of_pairs.items():
        if texts and value is not None:
            raise PawsError(Errors.P211.format(one="--texts", other=f"--{name}"))
    if not texts and (field or format == "txt"):
        raise PawsError(Errors.P603.format(option="--field" if field else "--format txt"))
    job = TranslateJob(source, target, translator, parse_assignments(assignments))
    if texts:
        done = translate_texts(
            job,
            inputs,
            output,
            field=field or "text",
            config=config,
            split=split,
            format=format,
            limit=limit,
            **frame,
        )
    else:
        done = translate_pairs(
            job,
            inputs,
            output,
            side=int(side) if side else None,
            label=int(label) if label else None,
            layout=layout,
            columns=split_names(columns or ""),
            config=config,
            split=split,
            format=format,
            limit=limit,
            **frame,
        )
    tally = done.tally
    closing = (
        f"{tally.rows:,} {'lines' if texts else 'rows'} in = {tally.found:,} translated + {tally.nothing:,} left out + "
        f"{tally.errors:,} errors; {done.count:,} {'texts' if texts else 'pairs'} in {output}"
    )
    tell(closing, tally, [*remarks(done), *done.remarks])
    if tally.rows and not tally.found:
        click.echo("paws: Nothing was translated.", err=True)
        sys.exit(1)


def remarks(done: "Translated") -> List[str]:
    """What there is to tell of the translations."""
    told = [f"{done.distinct:,} distinct sentences went to the translator"]
    if done.unchanged:
        told.append(f"{done.unchanged:,} sentences came back as they were")
    if done.alike:
        told.append(
            f"{done.alike:,} pairs have two sentences that are the same now, and were not before: their labels may no "
            "longer hold"
        )
    return told
