import json
import re
import shutil
import sys
from pathlib import Path
from textwrap import wrap
from typing import Any, Dict, List, Optional, Tuple

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("splits", nargs=-1, required=True, metavar="SPLIT...", type=click.UNPROCESSED)
@click.option("--layout", help="The layout of every split.  [default: guessed from each file]")
@click.option(
    "--reference", help="The split whose labels are right for rows with the same ids.  [default: PAWS-X's en]"
)
@click.option("--check", "checks", multiple=True, help="Run this check only; may be given more than once.")
@click.option("--level", default="info", show_default=True, help="Show error, warning and up, or all with info.")
@click.option("--examples", is_flag=True, help="Show a few of the rows under each finding.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON in place of the table.")
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

    SPLIT is a file, - for standard input, the name or the folder of a data set, NAME=FILE (also --NAME=FILE) to give it
    a name, or a folder, for every file in it that holds pairs. The layout of each is guessed; what it was taken for is
    shown.

    \b
    paws audit train.tsv dev.tsv test.tsv
    paws audit --train=a.tsv --dev=b.tsv --json
    paws audit en=pawsx/en/dev_2k.tsv de=pawsx/de/dev_2k.tsv --reference en

    Findings are errors (training or scoring on the corpus goes wrong), warnings (it does for a reader that does not
    know) and infos. The command ends with 1 if there are errors, and with 0 if there are none.
    """
    from ..curation.audit import audit_splits, count_levels
    from ..curation.findings import ERROR, LEVELS, Split
    from ..errors import Errors, PawsError

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
        about = {s.name: {"path": str(s.path), "layout": s.layout.name, "rows": len(s.rows)} for s in read}
        data = {"splits": about, "counts": counts, "findings": [found.to_dict() for found in shown]}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        click.echo(table_of_splits(read))
        click.echo(table_of_findings(shown, examples))
        click.echo(", ".join(f"{number:,} {name}{'' if number == 1 else 's'}" for name, number in counts.items()))
    sys.exit(1 if counts[ERROR] else 0)


def name_splits(arguments: Tuple[str, ...]) -> Dict[str, Path]:
    """The files of a command line by the names of their splits."""
    from ..curation.audit import find_splits
    from ..errors import Errors, PawsError
    from ..readers.hub import is_saved, may_be_data_set

    found: List[Tuple[str, Path]] = []
    for text in arguments:
        named = re.fullmatch(r"(?:--)?([\w./-]+?)=(.+)", text)
        path = Path(text)
        if path.is_dir() and not is_saved(path) and not any(path.rglob("*.spacy")):
            found += find_splits(path).items()
        elif path.exists():
            found.append((_short_name(path, arguments), path))
        elif named:
            found.append((named.group(1), Path(named.group(2))))
        elif text == "-" or may_be_data_set(text):
            found.append((text, path))
        else:
            raise PawsError(Errors.P145.format(value=text))
    for name, _ in found:
        if sum(name == other for other, _ in found) > 1:
            raise PawsError(Errors.P146.format(name=name))
    return dict(found)


def _short_name(path: Path, arguments: Tuple[str, ...]) -> str:
    """A file's name without its ending, with as much of its folders as tells it from the others."""
    others = [Path(text).with_suffix("").parts for text in arguments if text != str(path)]
    parts = path.with_suffix("").parts
    for length in range(1, len(parts) + 1):
        if all(other[-length:] != parts[-length:] for other in others):
            return "/".join(parts[-length:])
    return str(path)


def table_of_splits(splits: List[Any]) -> str:
    """The splits, with what their layout was taken for."""
    import wasabi

    rows = [(split.name, split.layout.name, f"{len(split.rows):,}") for split in splits]
    return wasabi.table(rows, header=("split", "layout", "rows"), divider=True, aligns=("l", "l", "r"))


def table_of_findings(findings: List[Any], examples: bool) -> str:
    """The findings, the gravest first within each split."""
    import wasabi

    from ..curation.findings import LEVELS

    colours = {"error": "red", "warning": "yellow", "info": "blue"}
    order = list(dict.fromkeys(found.split for found in findings))
    names = max((len(found.split + found.check) for found in findings), default=0)
    width = max(shutil.get_terminal_size((160, 20)).columns - names - 30, 40)
    rows = []
    for found in sorted(findings, key=lambda found: (order.index(found.split), LEVELS.index(found.level))):
        level = click.style(found.level, fg=colours[found.level]) if sys.stdout.isatty() else found.level
        texts = wrap(found.message, width) + (found.examples if examples else [])
        rows.append((level, found.split, found.check, f"{found.count:,}", texts[0]))
        rows += [("", "", "", "", f"  {text}") for text in texts[1:]]
    header = ("level", "split", "check", "count", "finding")
    return wasabi.table(rows, header=header, divider=True, aligns=("l", "l", "l", "r", "l"), max_col=200)
