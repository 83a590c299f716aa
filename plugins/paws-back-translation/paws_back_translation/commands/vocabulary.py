from typing import Tuple

import click


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", required=True, help="The folder to write.")
@click.option("--size", type=click.IntRange(1), default=6000, show_default=True, help="The number of pieces.")
def vocabulary(files: Tuple[str, ...], output: str, size: int) -> None:
    """Train one sentencepiece vocabulary for both languages.

    FILE is text, a sentence per line; give the training files of both languages. Prints a JSON object.

    \b
    paws translation vocabulary data/train.en data/train.de -o vocabulary --size 6000
    """
    import json

    from ..training.vocabulary import train_vocabulary

    click.echo(json.dumps({"vocabulary": output, "size": train_vocabulary(files, output, size)}))
