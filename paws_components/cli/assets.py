import click


@click.command()
@click.argument("folder", default="assets")
def assets(folder: str) -> None:
    """Let a project see the corpora that PAWS_DATA has: links to them in FOLDER, by default `assets`.

    Projects read their data from `assets`, where `spacy project assets` puts it. Who has the corpora in one folder for
    all projects names it in the environment, and nothing is fetched twice:

    \b
    export PAWS_DATA=~/corpora
    python -m spacy project run all
    """
    import os

    from ..training.assets import DATA, link_assets

    data = os.environ.get(DATA)
    if not data:
        click.echo(f"{DATA} is not set: the data is what is in {folder}; `python -m spacy project assets` brings it")
        return
    linked = link_assets(folder, data)
    own = [name for name, theirs in linked.items() if not theirs]
    click.echo(f"{folder} has links to {len(linked) - len(own)} corpora of {data}")
    if own:
        click.echo(f"Of its own it has {', '.join(own)}, and these are read")
