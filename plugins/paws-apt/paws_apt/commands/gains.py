import json
from pathlib import Path
from typing import Tuple

import click


@click.command()
@click.argument("answers", metavar="ANSWERS")
@click.option("--over", required=True, metavar="MODEL", help="The model that the others are compared with.")
@click.option(
    "-o", "--output", "outputs", multiple=True, help="Write the gains to this file too: .md or .json; repeatable."
)
@click.option("--samples", default=5000, show_default=True, help="Resamples of the bootstrap.")
@click.option("--seed", default=0, show_default=True, help="The seed of the bootstrap.")
def gains(answers: str, over: str, outputs: Tuple[str, ...], samples: int, seed: int) -> None:
    """Show what detectors gain over one of them in MCC, and whether it is chance.

    ANSWERS is what `paws evaluate --examples` wrote: the answers of several models to the same labelled pairs. A paired
    bootstrap draws whole source sentences, the first ones of the pairs: attempts at one sentence are alike.

    \b
    paws evaluate 'models/*/model-best' --on ap_h=test.jsonl --examples answers.jsonl
    paws apt gains answers.jsonl --over twitter -o gains.md
    """
    from paws_components.plugin import PawsError, check_outputs, read_pairs, write_text

    from ..errors import Errors
    from ..gains import find_gains

    for path in outputs:
        if Path(path).suffix not in (".md", ".json"):
            raise PawsError(Errors.A022.format(name="--output", what="a .md or .json file", value=path))
    if samples < 1:
        raise PawsError(Errors.A022.format(name="--samples", what="1 or more", value=samples))
    check_outputs([answers], outputs)
    found = find_gains(list(read_pairs(answers)), over, samples=samples, seed=seed, path=answers)
    lines = [str(gain) for gain in found] or [f"There is no other model than {over}."]
    for path in outputs:
        data = json.dumps([gain._asdict() for gain in found], indent=1)
        write_text(path, (data if path.endswith(".json") else "\n\n".join(lines)) + "\n")
    click.echo("\n".join(lines))
