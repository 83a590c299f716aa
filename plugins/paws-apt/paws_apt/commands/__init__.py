"""The command `paws apt`. Each of its commands is a file; heavy imports happen inside them."""

import click

from .stats import stats


@click.group()
def apt() -> None:
    """The Adversarial Paraphrasing Task: the same meaning in words as different as can be."""


apt.add_command(stats)
