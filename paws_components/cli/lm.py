import click


@click.group()
def lm() -> None:
    """Train n-gram models and score texts."""
