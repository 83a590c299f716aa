from dataclasses import replace
from typing import Any, Dict, Optional

import click


@click.command()
@click.argument("target", metavar="TARGET")
@click.argument("corpus", metavar="CORPUS")
@click.option("-o", "--output", required=True, help="Where the outcomes go, a pair a line: .jsonl.")
@click.option("--mlm", default="bert-base-uncased", show_default=True, help="The masked language model.")
@click.option("--positives", default=500, show_default=True, help="How many paraphrases are attacked.")
@click.option("--negatives", default=500, show_default=True, help="How many non-paraphrases are made and attacked.")
@click.option(
    "--preset", type=click.Choice(["qqp", "mrpc"]), default="qqp", show_default=True, help="The paper's S, K, B."
)
@click.option("--steps", type=int, help="S: how many word pairs are replaced at most.  [qqp: 5, mrpc: 10]")
@click.option("--top-k", type=int, help="K: how many substitutes a position pair has.  [qqp: 25, mrpc: 50]")
@click.option("--beam", type=int, help="B: how many modifications are kept.  [qqp: 25, mrpc: 50]")
@click.option(
    "--max-queries", type=int, default=0, show_default=True, help="Of the target, an example; 0 for any number."
)
@click.option("--seed", default=0, show_default=True, help="Of the sampling.")
@click.option("--chunk", default=32, show_default=True, help="How many examples are attacked together.")
@click.option("--quiet", is_flag=True, help="No progress.")
def attack(
    target: str,
    corpus: str,
    output: str,
    mlm: str,
    positives: int,
    negatives: int,
    preset: str,
    steps: Optional[int],
    top_k: Optional[int],
    beam: Optional[int],
    max_queries: int,
    seed: int,
    chunk: int,
    quiet: bool,
) -> None:
    """Attack a paraphrase classifier with shared words."""
    from paws_components.models import load_with
    from paws_components.training.judging import read_test_set

    from ..checkpoint import Checkpointed
    from ..examples import sample_examples
    from ..job import Attacker, digest, run_attack
    from ..positions import DEFAULT_STOP_WORDS
    from ..search import PRESETS
    from ..substitutes import MaskedSubstitutes
    from ..targets import load_target

    given = {"steps": steps, "top_k": top_k, "beam": beam, "max_queries": max_queries}
    settings = replace(PRESETS[preset], **{name: value for name, value in given.items() if value is not None})
    test_set = read_test_set("corpus", corpus)
    examples = sample_examples(test_set.records, positives, negatives, seed)
    plan: Dict[str, Any] = {
        "target": target,
        "mlm": mlm,
        "chunk": chunk,
        **settings.to_dict(),
        "examples": digest(examples),
    }
    with Checkpointed(output, plan) as file:
        nlp = load_with(["tagger", "attribute_ruler"])
        attacker = Attacker(load_target(target), MaskedSubstitutes(mlm), nlp, DEFAULT_STOP_WORDS, settings)
        for progress in run_attack(attacker, examples, file, chunk):
            if not quiet:
                click.echo(str(progress.counts), err=True)
