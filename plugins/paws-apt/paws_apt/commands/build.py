from typing import Any, Dict, Optional, Tuple

import click

from paws_components.plugin import run_options, tell


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="SOURCES...")
@click.option("-o", "--output", required=True, help="The file for all attempts: .jsonl (also .gz, .xz, .bz2), -.")
@click.option("--pairs", "corpus", help="The file for the corpus, each pair once: .jsonl, .tsv, .csv or .parquet.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of `apt_t5`; repeatable.")
@click.option("--of-pairs", is_flag=True, help="SOURCES hold pairs: their first sentences are the sources.")
@click.option("--layout", help="How the pairs are laid out, as in `paws audit`.  [default: guessed]")
@click.option("--field", default="text", show_default=True, help="The field of JSONL, or the column of Parquet.")
@click.option("--seed", default=0, show_default=True, help="The random seed.")
@run_options(formats=False)
def build(
    inputs: Tuple[str, ...],
    output: str,
    corpus: Optional[str],
    assignments: Tuple[str, ...],
    seed: int,
    frame: Dict[str, Any],
    **reading: Any,
) -> None:
    """Build a corpus of adversarial paraphrases from sentences, as AP_T5 was built.

    A model attempts each sentence by the paper's schedule. Every attempt is written with its round, its similarity and
    its MI verdict, which is also its label. A repeated sentence is attempted only once; `--limit` counts the sentences
    that are attempted.

    \b
    paws apt build sentences.txt -o attempts.jsonl --pairs ap_t5.jsonl
    paws apt build msr_paraphrase_train.txt --of-pairs -o attempts.jsonl --set model=t5-apt --set nli.model=my-nli

    `paws plugins apt_t5` lists the settings. After an interruption, run the same command again to
    resume: finished work is kept in OUTPUT.run, so that a finished run costs nothing to repeat. Errors are listed in
    OUTPUT.errors.jsonl.
    """
    from paws_components.plugin import GenerateJob, parse_assignments

    from ..building import build_attempts

    job = GenerateJob("apt_t5", parse_assignments(assignments), seed=seed)
    built = build_attempts(job, inputs, output, corpus=corpus, **reading, **frame)
    if built.begun and built.begun == built.tally.rows:
        click.echo("Nothing was left to do", err=True)
    remarks = [f"{built.pairs:,} pairs in {corpus}", *built.remarks] if corpus else []
    tell(f"{built} in {output}", built.tally, remarks)
