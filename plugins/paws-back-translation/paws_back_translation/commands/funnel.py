from typing import Optional, Tuple

import click


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="TEXTS...")
@click.option("-o", "--output", help="Write the figures to this file as well.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting, as in `paws generate`.")
@click.option("--limit", type=click.IntRange(1), help="Stop after this many sentences.")
@click.option("--field", default="text", show_default=True, help="The field or column that holds the text.")
@click.option("--lang", default="en", show_default=True, help="The language of the sentences.")
@click.option("--gpu-id", type=click.IntRange(-1), default=-1, show_default=True, help="The GPU to use; -1 for none.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
def funnel(
    inputs: Tuple[str, ...],
    output: Optional[str],
    assignments: Tuple[str, ...],
    limit: Optional[int],
    field: str,
    lang: str,
    gpu_id: int,
    quiet: bool,
) -> None:
    """Count the candidates that are left after each step of back translation.

    TEXTS are as in `paws generate`. Prints a JSON object: candidates (up to k * k per sentence and
    pivot), distinct (each text once, without the source), similar (BOW cosine high enough), sampled (kept by
    a run), reordered (the share of these with an inversion rate over the threshold), the same before sampling, and
    sentences_with_pairs.

    \b
    paws translation funnel sentences.txt --limit 1000
    paws translation funnel sentences.txt --set translator=apertium --set 'pivots=["es"]'
    """
    import json
    from itertools import islice

    from tqdm import tqdm

    from paws_components.plugin import (
        check_outputs,
        load_with,
        make_registered,
        open_texts,
        parse_assignments,
        use_gpu,
        write_text,
    )

    from ..funnel import count_funnel

    check_outputs(inputs, [output] if output else [])
    use_gpu(gpu_id)
    generator = make_registered(
        "generators", "back_translation", parse_assignments(assignments), load_with([], lang=lang)
    )
    rows = list(islice(open_texts(inputs, field), limit))
    texts = [row.text for row in rows if row.text and row.reason is None]
    if len(texts) < len(rows):
        click.echo(f"{len(rows) - len(texts):,} rows are empty or can't be read, and are left out", err=True)
    shown = tqdm(texts, unit=" sentences", disable=quiet)
    figures = json.dumps(count_funnel(generator, shown))
    if output:
        write_text(output, figures + "\n")
    click.echo(figures)
