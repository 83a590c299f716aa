from pathlib import Path
from typing import Any, List, Optional, Tuple

import click


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="PAIRS...")
@click.option("-o", "--output", required=True, help="The folder for the model, pairs.jsonl and base.jsonl.")
@click.option("--apart-from", multiple=True, metavar="PAIRS", help="Pairs that no sentence may come from; repeatable.")
@click.option("--words", default=10, show_default=True, help="The most words per sentence; 0 for any number.")
@click.option("--pairs", "size", default=300, show_default=True, help="How many pairs, drawn at random; 0 for all.")
@click.option("--vocabulary", default=2000, show_default=True, help="The most pieces of the tokenizer.")
@click.option("--width", default=128, show_default=True, help="The width of the embeddings and layers.")
@click.option("--layers", default=2, show_default=True, help="The layers of the encoder, and of the decoder.")
@click.option("--layout", help="The layout of the files, as in `paws audit`.  [default: guessed]")
@click.option("--seed", default=0, show_default=True, help="The seed of the draw and the weights.")
@click.option("--fresh", is_flag=True, help="Replace an existing model in OUTPUT.")
def init(
    inputs: Tuple[str, ...],
    output: str,
    apart_from: Tuple[str, ...],
    words: int,
    size: int,
    layout: Optional[str],
    seed: int,
    fresh: bool,
    **settings: Any,
) -> None:
    """Make a small untrained T5, and choose short paraphrases to train it on.

    PAIRS are files in any layout that `paws audit` knows; pairs with the label 1 are used. OUTPUT/pairs.jsonl has
    the chosen ones. OUTPUT/base.jsonl has these and every sentence paired with itself: what a model that can't write
    yet begins with.

    \b
    paws apt init twitter.jsonl -o start --apart-from final_checks.tsv
    paws apt train start/base.jsonl -o base --model start --loss cross-entropy --learning-rate 2e-3
    """
    from random import Random

    from paws_components.plugin import PairRecord, PawsError, RecordWriter, without_shared

    from ..errors import Errors
    from ..training.small_t5 import make_t5, sentences_of, short_paraphrases, with_copies
    from ._output import check_new

    check_new(output, fresh)
    given, lacking = _read(inputs, layout)
    found: List[PairRecord] = short_paraphrases(given, words)
    kept = without_shared(found, _read(apart_from)[0])
    if not kept:
        limit = f" of up to {words} words" if words else ""
        raise PawsError(Errors.A034.format(count=len(given), short=len(found), limit=limit))
    chosen = Random(seed).sample(kept, min(size or len(kept), len(kept)))
    parameters = make_t5(sentences_of(chosen), output, seed=seed, **settings)
    for name, pairs in (("pairs", chosen), ("base", with_copies(chosen))):
        with RecordWriter(Path(output) / f"{name}.jsonl") as writer:
            for pair in pairs:
                writer.write(pair)
        click.echo(f"{len(pairs):,} pairs in {Path(output) / name}.jsonl", err=True)
    if lacking:
        click.echo(f"{lacking:,} rows can't be read or lack a sentence, and are left out", err=True)
    if apart_from:
        click.echo(f"{len(found) - len(kept):,} were left out for a sentence of {', '.join(apart_from)}", err=True)
    click.echo(f"A T5 with {parameters:,} parameters and random weights is in {output}", err=True)


def _read(paths: Tuple[str, ...], layout: Optional[str] = None) -> Tuple[List[Any], int]:
    """The pairs of some files, and how many rows are none."""
    from paws_components.plugin import open_pairs

    rows = [row for path in paths for row in open_pairs(path, layout)]
    pairs = [row.to_record() for row in rows if row.readable and row.missing is None]
    return pairs, len(rows) - len(pairs)
