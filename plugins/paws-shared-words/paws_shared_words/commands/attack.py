import sys
from typing import Any, Tuple

import click


@click.command()
@click.argument("target", metavar="TARGET")
@click.argument("corpus", metavar="CORPUS")
@click.option("-o", "--output", required=True, help="Where the outcomes go, a pair a line: .jsonl.")
@click.option("--report", "reports", multiple=True, help="Where the report goes: .md, .json or .html; repeatable.")
@click.option("--mlm", default="bert-base-uncased", show_default=True, help="The masked language model.")
@click.option("--positives", default=500, show_default=True, help="How many paraphrases are sampled.")
@click.option("--negatives", default=500, show_default=True, help="How many non-paraphrases are made of two pairs.")
@click.option(
    "--preset", type=click.Choice(["qqp", "mrpc"]), default="qqp", show_default=True, help="The paper's S, K and B."
)
@click.option("--steps", type=int, help="S: how many word pairs are replaced at most.  [qqp: 5, mrpc: 10]")
@click.option("--top-k", type=int, help="K: how many substitutes a position pair has.  [qqp: 25, mrpc: 50]")
@click.option("--beam", type=int, help="B: how many modifications each stage keeps.  [qqp: 25, mrpc: 50]")
@click.option("--max-queries", default=0, show_default=True, help="How many an example may take; 0 for any number.")
@click.option("--again", is_flag=True, help="Positions may be replaced again in a later step.")
@click.option(
    "--context",
    type=click.Choice(["sentence", "pair"]),
    default="sentence",
    show_default=True,
    help="What the language model sees: each sentence by itself, as in the paper, or both together.",
)
@click.option("--stop-words", metavar="FILE", help="Words that stay, one a line.  [default: spaCy's list]")
@click.option("--positive-label", help="The target's label for a paraphrase.  [default: paraphrase]")
@click.option("--blank", help="What stands for a blanked word.  [default: what suits the target, such as [PAD]]")
@click.option("--model", help="The spaCy pipeline that cuts and tags.  [default: the installed English one]")
@click.option("--layout", help="The layout of CORPUS, as in `paws audit`.  [default: found out]")
@click.option("--limit", type=int, help="Read this many rows of CORPUS.")
@click.option("--no-full", is_flag=True, help="Do not ask about the whole corpus, for the first columns of the report.")
@click.option("--seed", default=0, show_default=True, help="Of the sampling.")
@click.option("--chunk", default=32, show_default=True, help="How many examples are attacked together.")
@click.option("--batch-size", type=int, help="How many pairs the target takes at once.  [default: what suits it]")
@click.option("--examples", default=10, show_default=True, help="How many outcomes the report shows.")
@click.option("--overwrite", is_flag=True, help="Begin anew, whatever OUTPUT holds.")
@click.option("--gpu-id", default=-1, show_default=True, help="The GPU to use; -1 for none.")
@click.option("--quiet", is_flag=True, help="No progress.")
def attack(target: str, corpus: str, output: str, reports: Tuple[str, ...], **options: Any) -> None:
    """Attack a paraphrase classifier: replace words of both sentences by a word that they then share.

    TARGET is a trained spaCy pipeline (a path or a package), a sequence classifier of transformers (a folder or a name
    on the hub), or a Python callable as module:function that takes pairs of texts and gives probabilities. CORPUS is a
    file of labelled pairs in any layout that `paws audit` knows.

    \b
    paws attack training/model-best qqp_test.tsv -o attacks.jsonl --mlm bert-base-uncased --report attacks.md
    paws attack textattack/bert-base-uncased-MRPC msr_test.txt -o attacks.jsonl --preset mrpc --max-queries 2000
    paws attack my_model:probabilities pairs.jsonl -o attacks.jsonl --positives 50 --negatives 50

    Positives are pairs of the corpus; words that both sentences have are replaced. A negative is the first sentence of
    one pair with the second of another; two nouns, two verbs or two adjectives are replaced. Each step blanks every
    such pair of positions, keeps the B that leave the target least sure of the right label, and tries the K words that
    the masked language model finds likeliest there. An example ends when the target fails or after S steps.

    OUTPUT has a pair a line, also for examples that failed or were skipped, with what was changed, the target's scores
    and the number of queries. A run that was broken off goes on where it was when it is started again.
    """
    from .attacking import Options, run

    sys.exit(run(target, corpus, output, reports, Options(**options)))
