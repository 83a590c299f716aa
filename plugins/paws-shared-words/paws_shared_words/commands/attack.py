from pathlib import Path
from typing import Any, Dict, Optional, Tuple

import click

from paws_components.plugin import run_options, tell


@click.command()
@click.argument("target", metavar="TARGET")
@click.argument("corpus", metavar="CORPUS")
@click.option("-o", "--output", required=True, help="The outcomes, a pair per line: .jsonl (also .gz, .xz), -.")
@click.option("--report", "reports", multiple=True, help="The report: .md, .json or .html; repeatable.")
@click.option("--mlm", default="bert-base-uncased", show_default=True, help="The masked language model.")
@click.option(
    "--positives", type=click.IntRange(0), default=500, show_default=True, help="How many paraphrases to sample."
)
@click.option(
    "--negatives",
    type=click.IntRange(0),
    default=500,
    show_default=True,
    help="How many non-paraphrases to make from two pairs each.",
)
@click.option(
    "--preset", type=click.Choice(["qqp", "mrpc"]), default="qqp", show_default=True, help="The paper's S, K and B."
)
@click.option("--steps", type=int, help="S: the most word pairs to replace.  [qqp: 5, mrpc: 10]")
@click.option("--top-k", type=int, help="K: how many substitutes per position pair.  [qqp: 25, mrpc: 50]")
@click.option("--beam", type=int, help="B: how many modifications to keep per stage.  [qqp: 25, mrpc: 50]")
@click.option("--max-queries", default=0, show_default=True, help="The most queries per example; 0 for any number.")
@click.option("--again", is_flag=True, help="Positions may be replaced again in a later step.")
@click.option(
    "--context",
    type=click.Choice(["sentence", "pair"]),
    default="sentence",
    show_default=True,
    help="What the language model sees: one sentence at a time, as in the paper, or both together.",
)
@click.option(
    "--stop-words", metavar="FILE", help="Words that are not replaced, one per line.  [default: spaCy's list]"
)
@click.option("--positive-label", help="The target's label for a paraphrase.  [default: paraphrase]")
@click.option("--blank", help="What replaces a blanked word.  [default: what suits the target, such as [PAD]]")
@click.option("--model", help="The spaCy pipeline that tokenises and tags.  [default: the installed English one]")
@click.option("--layout", help="The layout of CORPUS, as in `paws audit`.  [default: guessed]")
@click.option("--no-full", is_flag=True, help="Don't test the whole corpus, for the first columns of the report.")
@click.option("--seed", default=0, show_default=True, help="The seed of the sampling.")
@click.option(
    "--chunk", type=click.IntRange(1), default=32, show_default=True, help="How many examples to attack together."
)
@click.option(
    "--batch-size",
    type=click.IntRange(1),
    help="How many pairs the target takes at once.  [default: what suits it]",
)
@click.option(
    "--examples", type=click.IntRange(0), default=10, show_default=True, help="How many outcomes to show in the report."
)
@run_options(formats=False)
@click.option("--overwrite", is_flag=True, help="Another name of --fresh.")
def attack(
    target: str,
    corpus: str,
    output: str,
    reports: Tuple[str, ...],
    mlm: str,
    positives: int,
    negatives: int,
    preset: str,
    steps: Optional[int],
    top_k: Optional[int],
    beam: Optional[int],
    max_queries: int,
    again: bool,
    layout: Optional[str],
    no_full: bool,
    seed: int,
    examples: int,
    limit: Optional[int],
    overwrite: bool,
    frame: Dict[str, Any],
    **options: Any,
) -> None:
    """Attack a paraphrase classifier: replace words in both sentences by a word that they then share.

    TARGET is a trained spaCy pipeline (a path or a package), a sequence classifier of transformers or a CrossEncoder of
    sentence-transformers (a folder or a name on the hub), or a Python callable as module:function that takes pairs of
    texts and returns probabilities; `paws evaluate` takes the same. CORPUS holds labelled pairs: anything that `paws
    audit` reads, - for standard input, or a data set by name.

    \b
    paws attack training/model-best qqp_test.tsv -o attacks.jsonl --mlm bert-base-uncased --report attacks.md
    paws attack textattack/bert-base-uncased-MRPC msr_test.txt -o attacks.jsonl --preset mrpc --max-queries 2000
    paws attack my_model:probabilities pairs.jsonl -o attacks.jsonl --positives 50 --negatives 50

    Positives are pairs of the corpus; words that both sentences have are replaced. A negative is the first sentence of
    one pair with the second of another; two nouns, two verbs or two adjectives are replaced. Each step blanks every
    such pair of positions, keeps the B that leave the target least sure of the right label, and tries the K words that
    the masked language model finds most likely there. An example ends when the target fails or after S steps.

    OUTPUT has a pair per line, also for examples that failed or were skipped, with the changes, the scores of the
    target and the number of queries. After an interruption, run the same command again to resume. Finished work is
    kept in OUTPUT.run: after the end, the same command only writes the report again.
    """
    from dataclasses import replace

    from paws_components.plugin import Errors, PawsError, write_text

    from ..job import AttackJob, attack_pairs
    from ..rendering import SHAPES, to_text
    from ..report import STATUSES
    from ..search import PRESETS

    for path in reports:
        if Path(path).suffix.lower() not in SHAPES:
            raise PawsError(Errors.P011.format(path=path, known=", ".join(SHAPES), hint=""))
    given = {"steps": steps, "top_k": top_k, "beam": beam}
    changed: Any = {name: value for name, value in given.items() if value is not None}
    search = replace(PRESETS[preset], max_queries=max_queries, again=again, **changed)
    done = attack_pairs(
        AttackJob(target, mlm, search, gpu_id=frame["gpu_id"], cache=frame["cache"], **options),
        corpus,
        output,
        positives=positives,
        negatives=negatives,
        seed=seed,
        full=not no_full,
        shown=examples,
        layout=layout,
        limit=limit,
        others=reports,
        **{**frame, "fresh": frame["fresh"] or overwrite},
    )
    report, tally = done.report, done.tally
    # Where the outcomes themselves go to standard output, nothing else does.
    click.echo(to_text(report, target), err=output == "-")
    for path in reports:
        write_text(path, SHAPES[Path(path).suffix.lower()](report, target) + "\n")
    counts = " + ".join(f"{report.statuses['all'][status]:,} {status}" for status in STATUSES)
    left_out = [f"{count:,} {name.replace('_', ' ')}" for name, count in done.corpus.left_out.items() if count]
    remarks = [f"Rows of {corpus} that were left out: {', '.join(left_out)}"] if left_out else []
    tell(f"{tally.rows:,} examples = {counts} + {tally.errors:,} errors in {output}", tally, remarks)
