from typing import Iterator, Optional, Tuple

import click


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="SOURCES...")
@click.option("-o", "--output", required=True, help="Where all attempts go: .jsonl.")
@click.option("--pairs", "corpus", help="Where the corpus goes, each pair once: .jsonl, .tsv or .parquet.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of `apt_t5`; repeatable.")
@click.option("--of-pairs", is_flag=True, help="SOURCES hold pairs: their first sentences are the sources.")
@click.option("--layout", help="How the pairs are laid out, as in `paws audit`.  [default: guessed]")
@click.option("--field", default="text", show_default=True, help="The field of JSONL, or the column of Parquet.")
@click.option("--limit", type=int, help="Stop after this many sentences.")
@click.option("--seed", default=0, show_default=True, help="Of the draws.")
@click.option("--quiet", is_flag=True, help="No progress.")
def build(
    inputs: Tuple[str, ...],
    output: str,
    corpus: Optional[str],
    assignments: Tuple[str, ...],
    of_pairs: bool,
    layout: Optional[str],
    field: str,
    limit: Optional[int],
    seed: int,
    quiet: bool,
) -> None:
    """Build a corpus of adversarial paraphrases from sentences, as AP_T5 was built.

    A model attempts each sentence by the paper's schedule. Every attempt is written with its round, its similarity and
    its MI verdict, which is also its label; a run that was broken off goes on where it was when it is started again.

    \b
    paws apt build sentences.txt -o attempts.jsonl --pairs ap_t5.jsonl
    paws apt build msr_paraphrase_train.txt --of-pairs -o attempts.jsonl --set model=t5-apt --set nli.model=my-nli

    `paws plugins apt_t5` lists the settings. Errors are listed in OUTPUT.errors.jsonl.
    """
    from itertools import islice

    from paws_components.engine.generate_job import GenerateJob
    from paws_components.engine.sources import Line, read_lines, read_pair_lines
    from paws_components.errors import PawsError
    from paws_components.settings import parse_assignments

    from ..building import build_attempts, distinct, first_sentences, write_pairs
    from ..errors import Errors

    if not output.endswith(".jsonl"):
        raise PawsError(Errors.A022.format(name="--output", what="a file that ends in .jsonl", value=output))
    settings = parse_assignments(assignments)
    job = GenerateJob("apt_t5", settings, seed=seed)
    job.check()
    read = 0

    def counted() -> Iterator[Line]:
        nonlocal read
        lines = first_sentences(read_pair_lines(inputs, layout)) if of_pairs else read_lines(inputs, field)
        for line in lines:
            read += 1
            yield line

    progress = None
    for progress in build_attempts(job, {"seed": seed, **settings}, islice(distinct(counted()), limit), output):
        if not quiet:
            click.echo(f"{progress}", err=True)
    again = read - progress.lines if progress else 0
    more = f"; {again:,} lines were empty or repeat a sentence" if again > 0 else ""
    click.echo(f"{progress or 'Nothing was left to do'} in {output}{more}", err=True)
    if corpus:
        click.echo(f"{write_pairs(output, corpus):,} pairs in {corpus}", err=True)
