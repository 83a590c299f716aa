"""The command `paws apt`. Each of its commands is a file; heavy imports happen inside them."""

import click

from .build import build
from .curve import curve
from .gains import gains
from .init import init
from .scorer import scorer
from .split import split
from .stats import stats
from .train import train


@click.group()
def apt() -> None:
    """The Adversarial Paraphrasing Task: the same meaning in words as different as possible."""


for command in (build, curve, gains, init, scorer, split, stats, train):
    apt.add_command(command)
