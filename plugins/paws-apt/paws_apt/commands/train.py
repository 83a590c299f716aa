from functools import partial
from pathlib import Path
from typing import Any, Optional, Tuple

import click


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="PAIRS...")
@click.option("-o", "--output", required=True, help="The folder for the model, its checkpoints and the curve.")
@click.option(
    "--model", default="google-t5/t5-base", show_default=True, help="The model to start from: name or folder."
)
@click.option("--loss", type=click.Choice(["reward", "cross-entropy"]), default="reward", show_default=True)
@click.option(
    "--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of the reward, as for the metric `apt`."
)
@click.option("--epochs", default=3.0, show_default=True, help="The number of passes over the pairs.")
@click.option("--max-steps", default=-1, help="Stop after this many steps.")
@click.option("--batch-size", default=16, show_default=True, help="Pairs per batch; the reward is summed over these.")
@click.option("--accumulate", default=1, show_default=True, help="Batches per step.")
@click.option("--learning-rate", default=3e-4, show_default=True, help="The learning rate, which falls linearly to 0.")
@click.option("--max-length", default=256, show_default=True, help="The most tokens per sentence.")
@click.option("--top-k", default=120, show_default=True, help="How the model's own paraphrases are sampled.")
@click.option("--top-p", default=0.95, show_default=True, help="How the model's own paraphrases are sampled.")
@click.option("--prompt", default="paraphrase: {sentence}", show_default=True, help="The input of the model.")
@click.option("--log-every", default=10, show_default=True, help="Steps between the points of the curve.")
@click.option("--save-every", default=500, show_default=True, help="Steps between checkpoints.")
@click.option("--layout", help="The layout of the files, as in `paws audit`.  [default: guessed]")
@click.option("--seed", default=0, show_default=True, help="The seed of the order, dropout and the samples.")
@click.option("--gpu-id", default=-1, show_default=True, help="The GPU to use; -1 for none.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def train(
    inputs: Tuple[str, ...],
    output: str,
    assignments: Tuple[str, ...],
    layout: Optional[str],
    gpu_id: int,
    quiet: bool,
    **settings: Any,
) -> None:
    """Train a paraphraser on pairs of paraphrases, with the paper's loss or plain cross-entropy.

    PAIRS are files in any layout that `paws audit` knows; pairs with the label 1 are used. With --loss reward
    the cross-entropy of a batch is divided by the reward for what the model itself writes for it, once that is 1 or
    more. To resume a killed run from its last checkpoint, run the same command again; the curve is the same.

    \b
    paws apt train twitter.jsonl -o t5-apt
    paws apt train twitter.jsonl -o t5-apt --set nli.model=my-nli --set similarity=bow_cosine --set threshold=0.6
    paws apt train mrpc_r1.jsonl paws.tsv -o t5-plain --loss cross-entropy

    The curve is in OUTPUT/curve.json: loss, reward, mi_rate and apt_rate.
    """
    from paws_components.plugin import check_outputs, parse_assignments, use_gpu, validate

    from ..attempts import read_rows
    from ..judging import make_judge
    from ..training.run import Plan
    from ..training.run import train as run

    given = parse_assignments(assignments)
    plan = Plan(**settings, judge=given)
    plan.check()
    validate("reward", make_judge, given)
    if Path(output).exists():
        check_outputs(inputs, [output])
    # The judges work where spaCy does: nothing of a batch waits for the CPU.
    use_gpu(gpu_id)
    rows = list(read_rows(inputs, layout))
    pairs = [row.to_record() for row in rows if row.missing is None]
    if len(pairs) < len(rows):
        click.echo(f"{len(rows) - len(pairs):,} rows lack a sentence and are left out", err=True)
    curve = run(pairs, output, plan, cpu=gpu_id < 0, quiet=quiet, tell=partial(click.echo, err=True))
    for entry in curve[-1:]:
        numbers = ", ".join(
            f"{name} {entry[name]:.4g}" for name in ("loss", "reward", "mi_rate", "apt_rate") if name in entry
        )
        click.echo(f"Step {entry['step']:,}: {numbers}", err=True)
    click.echo(f"The model is in {output}", err=True)
