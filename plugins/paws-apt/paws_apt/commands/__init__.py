"""The command `paws apt`. Each of its commands is a file; heavy imports happen inside them."""

import click


@click.group()
def apt() -> None:
    """The Adversarial Paraphrasing Task: paraphrases in words as different as can be."""
