import json
from textwrap import indent, wrap
from typing import Any, Dict, List, Optional

import click

FOLDER = click.option(
    "-o", "--output", "folder", help="The data folder.  [default: the one that PAWS_DATA names, or else a cache folder]"
)
QUIET = click.option("--quiet", is_flag=True, help="Show no progress.")
WIDTH = 110


@click.group(invoke_without_command=True)
@FOLDER
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
@click.pass_context
def corpora(context: click.Context, folder: Optional[str], as_json: bool) -> None:
    """List the corpora that have a card, show a card, and fetch a corpus.

    Every command and reader can then read it by its name: paws audit paws_wiki:dev.

    \b
    paws corpora
    paws corpora show paws_wiki
    paws corpora fetch paws_wiki:dev
    """
    if context.invoked_subcommand is not None:
        return
    from ..corpora import all_cards, data_folder
    from ..corpora.folder import held_path
    from ..tables import text_table

    place = data_folder(folder)
    rows = [("corpus", "title", "licence", "rows", "here")]
    found: List[Dict[str, Any]] = []
    for card in all_cards().values():
        here = [split.name for split in card.splits.values() if held_path(split, place)]
        # Two splits may be one file that is read in two ways.
        known = {split.path: split.rows for split in card.splits.values() if split.rows is not None}.values()
        data = {"name": card.name, "title": card.title, "licence": card.licence, "splits": list(card.splits)}
        found.append({**data, "rows": sum(known), "here": here})
        counts = f"{sum(known):,}", f"{len(here)} of {len(card.splits)}"
        rows.append((card.name, card.title, _cut(card.licence, 48), *counts))
    if as_json:
        click.echo(json.dumps({"folder": str(place), "corpora": found}, ensure_ascii=False, indent=2))
        return
    click.echo(text_table(rows, ("corpus", "title", "licence")))
    click.echo(f"\nThe data folder is {place}. `paws corpora show NAME` says more, `… fetch NAME` downloads one.")


@corpora.command()
@click.argument("name")
@FOLDER
@click.option("--asset", is_flag=True, help="Print the entries for `assets` of a spaCy project, as YAML.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def show(name: str, folder: Optional[str], asset: bool, as_json: bool) -> None:
    """Show the card of a corpus, NAME or NAME:SPLIT.

    \b
    paws corpora show paws_x:de_dev
    paws corpora show mrpc_r1:train --asset >> project.yml
    """
    from dataclasses import asdict

    import srsly

    from ..corpora import data_folder, get_card
    from ..corpora.fetching import asset as make_asset

    corpus, _, one = name.partition(":")
    card = get_card(corpus)
    splits = [card.split(one)] if one else list(card.splits.values())
    if asset:
        entries = [entry for split in splits for entry in make_asset(card, split)]
        click.echo(srsly.yaml_dumps({"assets": entries}, sort_keys=False), nl=False)
    elif as_json:
        data = {**asdict(card), "splits": {split.name: asdict(split) for split in splits}}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        click.echo(_show_card(card, splits, data_folder(folder)))


@corpora.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME[:SPLIT]...")
@FOLDER
@click.option(
    "--mirror",
    help="A web server or a folder with the same paths as the data folder.  [default: the one that PAWS_MIRROR names, "
    "or else where the files are published]",
)
@click.option("--hub", is_flag=True, help="Take it from the hub, with the datasets library.")
@click.option("--sha256", help="The SHA-256 to expect instead of the card's; for one split.")
@click.option("--fresh", is_flag=True, help="Fetch existing files again, and replace them.")
@click.option("--timeout", default=30.0, show_default=True, help="Try again after this many seconds without data.")
@QUIET
def fetch(names: List[str], folder: Optional[str], **options: Any) -> None:
    """Fetch corpora, or splits of them, into the data folder.

    An interrupted download resumes where it stopped. Each file is compared with the checksum on its card; a wrong
    one is refused and removed. If the card has none, the first fetch writes the sum to corpora.lock.json in
    the data folder, and later ones are compared with that. If a licence needs a person's consent, the command
    says what to do by hand and exits with code 1.

    \b
    paws corpora fetch paws_wiki
    paws corpora fetch qqp:all paws_qqp            # the second is joined with the first
    paws corpora fetch snli:validation --mirror http://lab.example/corpora
    """
    from ..corpora import get_card
    from ..errors import Errors, PawsError
    from ..readers.fetching import fetch as bring

    if options["sha256"] and (len(names) > 1 or ":" not in names[0]):
        raise PawsError(Errors.P015.format(name="--sha256", what="given with one NAME:SPLIT", value=options["sha256"]))
    for name in names:
        click.echo(f"{name}: {get_card(name.partition(':')[0]).licence}", err=True)
        bring(name, folder, tell=click.echo, **options)


@corpora.command()
@click.argument("name", metavar="NAME[:SPLIT]")
@click.option("--text", help="The file with the other corpus's text.  [default: that corpus in the data folder]")
@FOLDER
def join(name: str, text: Optional[str], folder: Optional[str]) -> None:
    """Join a corpus that is published as an index with its text: PAWS-QQP with that of QQP.

    \b
    paws corpora join paws_qqp --text quora_duplicate_questions.tsv
    """
    from pathlib import Path

    from ..corpora import data_folder, get_card
    from ..corpora.joining import join_split

    corpus, _, one = name.partition(":")
    card = get_card(corpus)
    splits = [card.split(one)] if one else [split for split in card.splits.values() if split.join]
    for split in splits or list(card.splits.values()):
        joined = join_split(card, split, data_folder(folder), Path(text) if text else None)
        click.echo(f"{card.name}:{split.name}: {joined}")


@corpora.command()
@click.argument("project", metavar="FOLDER", default="assets")
@FOLDER
def link(project: str, folder: Optional[str]) -> None:
    """Let a spaCy project see the corpora of the data folder: links to them in FOLDER, by default `assets`.

    Projects read their data from `assets`, where `spacy project assets` puts it. Who has the corpora in one folder for
    all projects names it in the environment, and nothing is fetched twice. What FOLDER has of its own stays.

    \b
    export PAWS_DATA=~/corpora
    python -m spacy project run all
    """
    from ..corpora import data_folder
    from ..corpora.linking import link_corpora

    data = data_folder(folder)
    if not folder and not data.is_dir():
        click.echo(f"There is no data folder {data}: the data is what is in {project}, by `spacy project assets`")
        return
    linked = link_corpora(project, data)
    own = [name for name, theirs in linked.items() if not theirs]
    click.echo(f"{project} has links to {len(linked) - len(own)} corpora of {data}")
    if own:
        click.echo(f"Of its own it has {', '.join(own)}, and these are read")


def _show_card(card: Any, splits: List[Any], folder: Any) -> str:
    from ..corpora.folder import held_path, read_lock
    from ..tables import text_table

    lock = read_lock(folder)
    lines = [click.style(f"{card.name}: {card.title}", bold=True), *wrap(card.about, WIDTH), ""]
    facts = {"home": card.home, "addresses": card.found, "licence": card.licence, "": card.licence_url}
    for label, value in facts.items():
        first, *rest = wrap(value, WIDTH - 12) or [""]
        lines += [f"{label:11} {first}", *(" " * 12 + text for text in rest)]
    rows = [("split", "rows", "layout", "path in the data folder", "here", "SHA-256")]
    for split in splits:
        here = held_path(split, folder)
        rows += [
            (
                split.name if i == 0 else "",
                f"{split.rows:,}" if split.rows is not None and i == 0 else "" if i else "?",
                (split.layout or "no pairs") if i == 0 else "",
                file.path,
                "" if here is None else "yes" if here.is_file() else "from the hub",
                _told_sum(file, lock),
            )
            for i, file in enumerate(split.files)
        ]
    lines += ["", text_table(rows, [name for name in rows[0] if name != "rows"]), ""]
    for split in splits:
        lines += _show_split(split)
    if card.faults:
        lines += ["", "Known faults:", *(line for fault in card.faults for line in _item(fault))]
    return "\n".join([*lines, "", "To cite:", indent(card.cite, "  ")])


def _show_split(split: Any) -> List[str]:
    """Where a split comes from, in words."""
    told = [split.about] if split.about else []
    if split.join:
        told.append(f"Joined from {split.join.index} and {split.join.text}.")
    for origin in dict.fromkeys(file.origin for file in split.files if file.origin):
        told.append(origin.url + (f" ({split.files[0].member})" if split.files[0].member else ""))
    if split.hub:
        parts = [split.hub.name, split.hub.config, split.hub.split]
        revision = f" @ {split.hub.revision}" if split.hub.revision else ""
        told.append(f"On the hub: {', '.join(filter(None, parts))}{revision}")
    if split.by_hand and not split.fetchable:
        told.append(f"By hand: {split.by_hand}")
    return [line for text in told for line in _item(text, f"{split.name}: " if text is told[0] else "")]


def _told_sum(file: Any, lock: Dict[str, Any]) -> str:
    if file.sum:
        return file.sum.sha256[:12] + "…"
    if file.path in lock:
        return str(lock[file.path]["sha256"])[:12] + "… (lock file)"
    return file.copy.sha256[:12] + "… (a copy)" if file.copy else "at the first fetch"


def _item(text: str, head: str = "") -> List[str]:
    first, *rest = wrap(head + text, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return [f"  - {first}", *(f"    {line}" for line in rest)]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip(" ,;") + "…"
