from typing import Optional

import click


@click.command()
@click.argument("folder")
@click.argument("repo")
@click.option("--dry-run/--no-dry-run", default=True, show_default=True, help="Only show what would be uploaded.")
@click.option("--yes", "sure", is_flag=True, help="The same as --no-dry-run: do it.")
@click.option("--private", is_flag=True, help="Make a new data set private.")
@click.option("--revision", help="The branch to push to.  [default: main]")
@click.option("-m", "--message", default="Upload with paws push", show_default=True, help="The commit message.")
def push(
    folder: str, repo: str, dry_run: bool, sure: bool, private: bool, revision: Optional[str], message: str
) -> None:
    """Upload the data set in FOLDER to the Hugging Face hub, as REPO (USER/NAME).

    \b
    paws push flights/dataset me/flights              # shows what would go there
    paws push flights/dataset me/flights --yes        # does it

    FOLDER is one that `paws build` wrote: its README.md is the card. The files are uploaded in one commit; other files
    there are kept. You need a token with write access, from `hf auth login` or the variable HF_TOKEN. It is
    never shown. HF_ENDPOINT names another server.
    """
    from ..building.push import import_hub, plan_upload

    plan = plan_upload(folder, repo, private=private, revision=revision)
    for name, size in plan.files:
        click.echo(f"{size:>12,}  {name}")
    total = f"{len(plan.files)} files, {plan.size:,} bytes"
    if dry_run and not sure:
        click.echo(f"{total} would go to the data set {repo}; nothing was sent. Do it with --yes", err=True)
        return
    import_hub()
    click.echo(f"{total} went to the data set {repo}: {plan.push(message)}", err=True)
