from typing import Any, Optional, Tuple

import click


@click.command()
@click.argument("data", metavar="FOLDER")
@click.argument("directions", nargs=-1, required=True, metavar="DIRECTION...")
@click.option(
    "-o", "--output", required=True, help="The folder for the models, each in a folder named by its direction."
)
@click.option("--vocabulary", required=True, help="The output of `paws translation vocabulary`.")
@click.option("--train-split", default="train", show_default=True, help="The beginning of the files' names.")
@click.option("--dev-split", default="val", show_default=True, help="The same for the pairs to choose the epoch by.")
@click.option(
    "--epochs", default=9, show_default=True, help="Passes over the data; the learning rate is planned by it."
)
@click.option(
    "--stop-after", type=int, metavar="EPOCH", help="Stop here; the same command resumes.  [default: the last]"
)
@click.option("--batch-tokens", default=1200, show_default=True, help="A batch's tokens on its longer side, padded.")
@click.option("--max-length", default=100, show_default=True, help="Leave out pairs with more pieces on a side.")
@click.option("--lr", default=1.2e-3, show_default=True, help="The highest learning rate.")
@click.option("--warmup", default=500, show_default=True, help="The steps until the highest learning rate.")
@click.option("--label-smoothing", default=0.1, show_default=True, help="Label smoothing, against overfitting.")
@click.option("--dropout", default=0.1, show_default=True, help="Dropout, against overfitting.")
@click.option("--width", default=256, show_default=True, help="The width of embeddings and layers.")
@click.option("--ffn", default=512, show_default=True, help="The width of the feed-forward layers.")
@click.option("--encoder-layers", default=3, show_default=True, help="The layers of the encoder.")
@click.option("--decoder-layers", default=2, show_default=True, help="The layers of the decoder.")
@click.option("--heads", default=4, show_default=True, help="The attention heads per layer.")
@click.option("--seed", default=0, show_default=True, help="The seed of the weights, dropout and the order.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="torch's threads per direction.")
@click.option("--fresh", is_flag=True, help="Start over, even if a stopped run could be resumed.")
def train(
    data: str,
    directions: Tuple[str, ...],
    output: str,
    vocabulary: str,
    train_split: str,
    dev_split: str,
    stop_after: Optional[int],
    threads: int,
    fresh: bool,
    **settings: Any,
) -> None:
    """Train small Marian models on CPU, one per direction.

    FOLDER has train.LANGUAGE and val.LANGUAGE, a sentence per line; line by line, the languages are translations of
    each other. DIRECTION is two of the languages: en-de is from train.en to train.de. Several directions are trained
    side by side, each in its own process.

    \b
    paws translation train data en-de de-en --vocabulary vocabulary -o models
    paws generate sentences.txt -o pairs.jsonl --generator back_translation \\
        --set 'translator_settings.model=models/{source}-{target}'

    Each folder, such as models/en-de, has the format of an OPUS-MT model. It is written at the end, with the weights of
    the epoch with the lowest loss on the val files. To resume a stopped run after its last complete epoch
    (models/en-de.run), run the same command again; the result is the same. The learning rate rises for
    --warmup steps and falls to 0 at the end of the last epoch. Prints a JSON object per epoch.
    """
    from ..training.plan import Plan
    from ..training.run import train_all

    options = {"train_split": train_split, "dev_split": dev_split, "stop_after": stop_after, "threads": threads}
    train_all(data, list(dict.fromkeys(directions)), vocabulary, output, Plan(**settings), fresh=fresh, **options)
