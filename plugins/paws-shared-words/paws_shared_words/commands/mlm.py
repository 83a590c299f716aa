"""The command `paws mlm`. Heavy imports happen inside it."""

from typing import Any, Tuple

import click


@click.group()
def mlm() -> None:
    """Masked language models, which propose the words of an attack."""


@mlm.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option("--pairs", multiple=True, help="A file of pairs, whose sentences are read too; repeatable.")
@click.option("-o", "--output", required=True, help="The folder for the model.")
@click.option(
    "--encoder",
    default="sentence-transformers/all-MiniLM-L6-v2",
    show_default=True,
    help="The BERT to start from: a folder, an installed package or a name on the hub.",
)
@click.option(
    "--sentences",
    type=click.IntRange(1),
    default=20000,
    show_default=True,
    help="How many sentences to take from each TEXT.",
)
@click.option("--lang", default="en", show_default=True, help="The language of TEXT, to split it into sentences.")
@click.option("--steps", type=int, default=800, show_default=True, help="How many batches to train on.")
@click.option("--tokens", type=int, default=1024, show_default=True, help="The tokens per batch, including padding.")
@click.option("--longest", type=int, default=64, show_default=True, help="The most tokens per input.")
@click.option("--share", type=float, default=0.25, show_default=True, help="The share of words that are masked.")
@click.option("--rate", type=float, default=6e-4, show_default=True, help="The highest learning rate.")
@click.option("--head-rate", type=float, default=2e-3, show_default=True, help="The highest learning rate of the head.")
@click.option(
    "--held-back",
    type=click.IntRange(0),
    default=300,
    show_default=True,
    help="Lines per file to hold back for testing.",
)
@click.option("--seed", default=0, show_default=True, help="The seed of the new head, the draws and dropout.")
@click.option("--embeddings", is_flag=True, help="Train the embeddings too, for an encoder that was never trained.")
def train(texts: Tuple[str, ...], pairs: Tuple[str, ...], output: str, sentences: int, lang: str, **plan: Any) -> None:
    """Train a small masked language model on sentences of TEXT and of pairs, for `paws attack --mlm`.

    TEXT has a paragraph per line: plain, .gz, .xz, JSONL or Parquet. Pairs are in any layout that `paws audit` knows;
    their labels are not read. Every other pair is one input, so that the model has seen two sentences at once (`paws
    attack --context pair`).

    \b
    paws mlm train wiki.txt.xz --pairs qqp_train.jsonl -o mlm
    paws attack training/model-best qqp_test.tsv -o attacks.jsonl --mlm mlm

    It starts from a BERT, or a sentence encoder of that kind, which gets a new head over the words of its embeddings;
    these stay frozen without `--embeddings`. With the defaults it takes a quarter of an hour on one CPU core. Prints
    JSON: how many lines there are, loss and accuracy of the masked words on lines that were held back, before and
    after, and the progress in between. An existing OUTPUT is not changed until the end.
    """
    import json

    from paws_components.plugin import check_outputs

    from ..mlm_text import read_sources
    from ..mlm_training import MaskedPlan, train_masked_lm

    settings = MaskedPlan(**plan)
    settings.check()
    check_outputs([*texts, *pairs], [output])
    found = read_sources(texts, pairs, sentences, settings.seed, lang)
    train_masked_lm(found, output, settings, lambda figures: click.echo(json.dumps(figures)))
