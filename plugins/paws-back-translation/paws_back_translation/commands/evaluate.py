from typing import List, Optional, Tuple

import click


@click.command()
@click.argument("data", metavar="FOLDER")
@click.argument("directions", nargs=-1, required=True, metavar="DIRECTION...")
@click.option("-o", "--output", help="Write the lines to this file as well.")
@click.option("--split", default="val", show_default=True, help="The beginning of the files' names.")
@click.option("--translator", default="marian", show_default=True, help="The translator; `paws plugins` lists them.")
@click.option(
    "--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting, as `paws plugins marian` lists them."
)
@click.option("--gpu-id", type=click.IntRange(-1), default=-1, show_default=True, help="The GPU to use; -1 for none.")
def evaluate(
    data: str,
    directions: Tuple[str, ...],
    output: Optional[str],
    split: str,
    translator: str,
    assignments: Tuple[str, ...],
    gpu_id: int,
) -> None:
    """Measure a translator's BLEU with sacrebleu.

    FOLDER has val.LANGUAGE for each language, a sentence per line; line by line, the languages are translations of each
    other. DIRECTION is two of the languages: en-de translates val.en and compares with val.de. Prints a JSON object per
    direction, with sacrebleu's signature.

    \b
    paws translation evaluate data en-de de-en --set 'model=models/{source}-{target}' --set num_beams=5
    paws translation evaluate data en-es --split test --translator apertium
    """
    import json

    from paws_components.plugin import check_outputs, make_registered, parse_assignments, use_gpu, write_text

    from ..evaluation import bleu
    from ..training.parallel import languages, read_split

    if output:
        check_outputs([], [output])
    sides = {direction: read_split(data, split, direction) for direction in directions}
    use_gpu(gpu_id)
    settings = parse_assignments(assignments)
    made = make_registered("translators", translator, settings)
    lines: List[str] = []
    for direction, (sources, references) in sides.items():
        figures = bleu(made, sources, references, *languages(direction))
        told = {"direction": direction, **figures, "translator": {"name": translator, **settings}}
        lines.append(json.dumps(told, ensure_ascii=False))
        click.echo(lines[-1])
    if output:
        write_text(output, "".join(line + "\n" for line in lines))
