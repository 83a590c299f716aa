from typing import Any, Dict, Optional, Tuple

import click


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("-o", "--output", required=True, help="Where the pairs go: .jsonl (also .gz, .xz), .tsv or .parquet.")
@click.option("--model", help="The spaCy pipeline: a package or a path.  [default: the English one installed]")
@click.option("--lm", help="An n-gram model (ARPA or KenLM binary).  [default: the embedded one of the language]")
@click.option("--rescorer", help="A causal transformer (hub name or folder) that ranks what the n-gram model proposes.")
@click.option("--beam", default=100, show_default=True, help="How many hypotheses the search keeps after each slot.")
@click.option("--threshold", default=3.0, show_default=True, help="How many nats a swap may score under its source.")
@click.option("--n-best", default=1, show_default=True, help="How many swaps a sentence gets at most.")
@click.option("--templates", default="entities,phrases,names", show_default=True, help="How sentences are cut up.")
@click.option("--sentences", is_flag=True, help="Lines are paragraphs: cut them into sentences first.")
@click.option("--keep-list-permutations", is_flag=True, help='Keep "B and A" for "A and B".')
@click.option("--fix-articles", is_flag=True, help="Make a/an agree after a swap.")
@click.option("--field", default="text", show_default=True, help="The field of JSONL, or the column of Parquet.")
@click.option("--n-process", default=1, show_default=True, help="How many processes work; 0 for one a core.")
@click.option("--batch-size", default=128, show_default=True, help="How many texts go through the pipeline at once.")
@click.option("--limit", type=int, help="Stop after this many input lines.")
@click.option("--seed", default=0, show_default=True, help="For models that draw random numbers; kept in the evidence.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def generate(
    inputs: Tuple[str, ...],
    output: str,
    model: Optional[str],
    lm: Optional[str],
    rescorer: Optional[str],
    beam: int,
    threshold: float,
    n_best: int,
    templates: str,
    sentences: bool,
    keep_list_permutations: bool,
    fix_articles: bool,
    field: str,
    n_process: int,
    batch_size: int,
    limit: Optional[int],
    seed: int,
    quiet: bool,
) -> None:
    """Make adversarial pairs from the sentences in INPUT by swapping words.

    INPUT is one or more files, or - for standard input: a sentence a line, JSONL with a text field or Parquet; .gz, .xz
    and .bz2 are unpacked. Each sentence is paired with the rearrangement of its own words that a language model
    finds most natural, if that is natural enough.

    \b
    paws generate sentences.txt -o pairs.jsonl
    zcat wiki.gz | paws generate - -o pairs.tsv --sentences --n-process 0
    paws generate questions.jsonl --field question -o pairs.parquet --n-best 3

    Every line is accounted for: the closing line counts those with pairs, without, and with an error. Errors are listed
    in OUTPUT.errors.jsonl. The same input and settings give the same bytes, however many processes work.
    """
    from ..engine.swap_job import SwapJob
    from .running import run_to_file

    config: Dict[str, Any] = {
        "beam_width": beam,
        "threshold": threshold,
        "n_best": n_best,
        "templates": [name.strip() for name in templates.split(",")],
        "keep_list_permutations": keep_list_permutations,
        "fix_articles": fix_articles,
    }
    if lm:
        config["lm"] = {"@misc": "paws.KenLM.v1", "path": lm}
    if rescorer:
        config["rescorer"] = {"@misc": "paws.CausalLM.v1", "name": rescorer}
    job = SwapJob(model, config, sentences, batch_size, seed)
    run_to_file(job, inputs, output, field=field, n_process=n_process, limit=limit, quiet=quiet)
