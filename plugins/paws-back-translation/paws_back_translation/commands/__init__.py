"""The command `paws translation`. Each of its commands is a file; heavy imports happen inside them."""

import click

from .evaluate import evaluate
from .funnel import funnel
from .train import train
from .vocabulary import vocabulary


@click.group()
def translation() -> None:
    """Train and test small translation models of your own, for back translation.

    \b
    paws translation vocabulary data/train.en data/train.de -o vocabulary
    paws translation train data en-de de-en --vocabulary vocabulary -o models
    paws translation evaluate data en-de de-en --set 'model=models/{source}-{target}'
    paws translation funnel sentences.txt --set 'translator_settings.model=models/{source}-{target}'
    """


for command in (vocabulary, train, evaluate, funnel):
    translation.add_command(command)
