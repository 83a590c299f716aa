"""The command `paws won-back`. Heavy imports happen inside it."""

from pathlib import Path
from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

import click

if TYPE_CHECKING:
    from ..won_back import Attacked


@click.command("won-back")
@click.argument("reports", metavar="REPORT...", nargs=-1, required=True)
@click.option("-o", "--output", help="The file for the figures (.json), for `paws evaluate --results`.")
@click.option(
    "--after",
    default="-adversarial",
    show_default=True,
    help="The ending of the names of reports about targets after training against the attack.",
)
@click.option("--seed", default=0, show_default=True, help="The seed of the intervals.")
def won_back(reports: Tuple[str, ...], output: Optional[str], after: str, seed: int) -> None:
    """Sum up attacks on several targets, and what training against them has won back.

    REPORT is what `paws attack --report NAME.json` wrote, or a pattern; NAME is the name of the target, and
    NAME-adversarial that of the same one after adversarial training. The outcomes, NAME.jsonl, are expected beside the
    report: the interval is computed from them.

    \b
    paws won-back 'attacks/*.json' -o results.json
    paws evaluate --results results.json --beside table1.json -o table.md

    Full, sampled and modified are accuracies in per cent. Won back is the gain on modified examples over what the
    attack had taken, in brackets its 95 % interval over other samples of examples (bootstrap; another training would
    differ too). A target that gives all pairs the same answer keeps half of the examples, so positives and negatives
    are shown separately. Change is the change of the accuracy on all clean pairs, in points.
    """
    import json
    from glob import glob

    from paws_components.plugin import PawsError, check_outputs, text_table, write_text

    from ..errors import Errors
    from ..won_back import attack_results, budget, read_report, result_rows

    paths = [path for one in reports for path in (sorted(glob(one), key=_stem) if "*" in one else [one])]
    if not paths:
        raise PawsError(Errors.S020.format(path=" ".join(reports), reason="no file matches"))
    if output:
        check_outputs(paths, [output])
    attacks = [read_report(path) for path in dict.fromkeys(paths)]
    found = attack_results(attacks, after, seed)
    click.echo(text_table(result_rows(found)))
    budgets: Dict[str, "List[Attacked]"] = {}
    for one in attacks:
        budgets.setdefault(budget(one.report["settings"]), []).append(one)
    for allowed, those in budgets.items():
        asked = [one.report["queries"]["an_example"] for one in those]
        spread = " to ".join(dict.fromkeys(f"{end:,.0f}" for end in (min(asked), max(asked))))
        click.echo(f"\n{allowed}; {spread} were made on average")
    if output:
        write_text(output, json.dumps(found, ensure_ascii=False, indent=2) + "\n")


def _stem(path: str) -> str:
    """What files are sorted by: a name comes before the same with something at its end."""
    return Path(path).stem
