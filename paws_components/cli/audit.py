import json
import shutil
import sys
from pathlib import Path
from textwrap import wrap
from typing import Any, Dict, List, Optional, Tuple, Union

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("splits", nargs=-1, required=True, metavar="SPLIT...", type=click.UNPROCESSED)
@click.option("--layout", help="The layout of every split.  [default: guessed from each file]")
@click.option(
    "--reference", help="The split whose labels are right for rows with the same ids.  [default: PAWS-X's en]"
)
@click.option("--check", "checks", multiple=True, help="Run only this check; repeatable.")
@click.option(
    "--level",
    default="info",
    show_default=True,
    help="Show only findings of this level or above: error, warning or info (all).",
)
@click.option("--examples", is_flag=True, help="Show a few of the rows under each finding.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
def audit(
    splits: Tuple[str, ...],
    layout: Optional[str],
    reference: Optional[str],
    checks: Tuple[str, ...],
    level: str,
    examples: bool,
    as_json: bool,
) -> None:
    """Find what is wrong with a corpus of sentence pairs.

    SPLIT is a file, - for standard input, a corpus that `paws corpora` lists (paws_wiki:dev, or paws_wiki for all
    its splits in the data folder), the name or the folder of a data set, NAME=FILE (also --NAME=FILE) to give it
    a name, or a folder, for all files of pairs in it. The layout of each is guessed and shown.

    \b
    paws audit train.tsv dev.tsv test.tsv
    paws audit --train=a.tsv --dev=b.tsv --json
    paws audit en=pawsx/en/dev_2k.tsv de=pawsx/de/dev_2k.tsv --reference en

    Findings are errors (training or scoring on the corpus goes wrong), warnings (it goes wrong for those who do not
    know of the fault) and infos. The exit code is 1 if there are errors, otherwise 0.
    """
    from ..curation.audit import audit_splits, count_levels
    from ..curation.findings import ERROR, LEVELS, Split
    from ..errors import Errors, PawsError
    from ..tables import text_table

    if level not in LEVELS:
        raise PawsError(Errors.P148.format(what="level", name=level, known=", ".join(LEVELS)))
    named = name_splits(splits)
    if reference is not None and reference not in named:
        raise PawsError(Errors.P147.format(name=reference, known=", ".join(named)))
    read = [Split(name, path, layout) for name, path in named.items()]
    findings = audit_splits(read, reference, checks or None)
    counts = count_levels(findings)
    shown = [found for found in findings if LEVELS.index(found.level) <= LEVELS.index(level)]
    if as_json:
        about = {s.name: {"path": s.source, "layout": s.layout.name, "rows": len(s.rows)} for s in read}
        data = {"splits": about, "counts": counts, "findings": [found.to_dict() for found in shown]}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        rows = [(split.name, split.layout.name, f"{len(split.rows):,}") for split in read]
        click.echo(text_table([("split", "layout", "rows"), *rows], ("split", "layout")) + "\n")
        click.echo(table_of_findings(shown, examples) + "\n")
        click.echo(", ".join(f"{number:,} {name}{'' if number == 1 else 's'}" for name, number in counts.items()))
    sys.exit(1 if counts[ERROR] else 0)


def name_splits(arguments: Tuple[str, ...]) -> Dict[str, Union[str, Path]]:
    """The files of a command line by the names of their splits."""
    from ..corpora import held_splits
    from ..curation.audit import find_splits
    from ..errors import Errors, PawsError
    from ..readers.names import name_sources, split_name, unique_names
    from ..storage import is_url

    # A corpus without a split is all its splits that are there.
    arguments = tuple(name for text in arguments for name in held_splits(text) or [text])
    folders = {text for text in arguments if _is_folder(Path(text))}
    files = [text.removeprefix("--") if split_name(text)[0] else text for text in arguments if text not in folders]
    named = iter(name_sources(files, "splits").items())
    found: List[Tuple[str, str]] = []
    for text in arguments:
        if text in folders:
            found += ((name, str(path)) for name, path in find_splits(Path(text)).items())
            continue
        name, source = next(named)
        if source == text and not _is_source(text):
            raise PawsError(Errors.P145.format(value=text))
        found.append((name, source))
    # A `Path` makes one slash of the two in a URL.
    named_sources = unique_names(found, "splits").items()
    return {name: source if is_url(source) else Path(source) for name, source in named_sources}


def _is_folder(path: Path) -> bool:
    """Whether it is a folder with files of pairs, rather than one saved data set."""
    from ..readers.hub import is_saved

    return path.is_dir() and not is_saved(path) and not any(path.rglob("*.spacy"))


def _is_source(text: str) -> bool:
    from ..corpora import is_corpus
    from ..readers.hub import may_be_data_set
    from ..storage import is_url

    return text == "-" or is_url(text) or Path(text).exists() or is_corpus(text) or may_be_data_set(text)


def table_of_findings(findings: List[Any], examples: bool) -> str:
    """The findings, the gravest first within each split."""
    from ..curation.findings import LEVELS
    from ..tables import text_table

    colours = {"error": "red", "warning": "yellow", "info": "blue"}
    order = list(dict.fromkeys(found.split for found in findings))
    names = max((len(found.split + found.check) for found in findings), default=0)
    width = max(shutil.get_terminal_size((160, 20)).columns - names - 30, 40)
    rows: List[Tuple[str, ...]] = [("level", "split", "check", "count", "finding")]
    for found in sorted(findings, key=lambda found: (order.index(found.split), LEVELS.index(found.level))):
        level = click.style(found.level, fg=colours[found.level]) if sys.stdout.isatty() else found.level
        texts = wrap(found.message, width) + (found.examples if examples else [])
        rows.append((level, found.split, found.check, f"{found.count:,}", texts[0]))
        rows += [("", "", "", "", f"  {text}") for text in texts[1:]]
    return text_table(rows, [name for name in rows[0] if name != "count"])
