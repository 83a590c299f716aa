from typing import Any, Dict, Optional, Tuple

import click

from ..errors import Errors, PawsError
from .options import PRESETS, run_options, swap_settings, tell


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("-o", "--output", required=True, help="The output file, folder or pipe: see below.")
@click.option("-g", "--generator", default="word_swap", show_default=True, help="The generator; see `paws plugins`.")
@click.option(
    "--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of the generator; repeatable."
)
@click.option("--pairs", is_flag=True, help="INPUT holds pairs: both sentences of each are used.")
@click.option("--layout", help="How the pairs are laid out, as in `paws audit`.  [default: guessed]")
@click.option("--model", help="The spaCy pipeline: a package or a path.  [default: what the generator needs]")
@click.option("--lang", default="en", show_default=True, help="The language of the text, if no --model is given.")
@click.option("--sentences", is_flag=True, help="Lines are paragraphs: cut them into sentences first.")
@click.option("--field", default="text", show_default=True, help="The field of JSONL, or the column of Parquet.")
@click.option(
    "--batch-size",
    type=click.IntRange(1),
    default=128,
    show_default=True,
    help="How many texts go through the pipeline at once.",
)
@click.option("--skip", type=click.IntRange(0), default=0, help="Leave out this many lines of the input first.")
@click.option("--seed", default=0, show_default=True, help="The random seed; stored in the evidence.")
@run_options()
@click.option(
    "--precise/--all",
    default=True,
    show_default=True,
    help="Word swapping: only what no rule stops and a judge finds natural, or all that the n-gram model lets pass.",
)
@click.option("--judge", help="Word swapping: the judge: embedded, neural, or a plugin's.  [default: embedded]")
@click.option(
    "--judges",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="With --engine ray and --judge neural: the number of workers that only hold the judge's model (with --gpu-id "
    "on a GPU each). They serve the --n-process others, which tag and search on CPUs. 0: each worker has its own.",
)
@click.option("--naturalness", type=float, help="Word swapping: how natural a swap must be, from 0 to 1.")
@click.option(
    "--yield", "wanted_yield", type=float, help="Word swapping: the share of sentences that should get a swap."
)
@click.option(
    "--preset", type=click.Choice(sorted(PRESETS)), help="Word swapping: `paper` is section 3.1 of the paper."
)
@click.option(
    "--lm", help="Word swapping: an n-gram model (ARPA or KenLM binary).  [default: the embedded one, for English only]"
)
@click.option("--rescorer", help="Word swapping: a causal transformer that reranks the n-gram model's proposals.")
@click.option("--beam", type=int, help="Word swapping: how many hypotheses the search keeps.  [default: 100]")
@click.option("--threshold", type=float, help="Word swapping: nats a swap may score below its source.  [default: 3.0]")
@click.option("--n-best", type=int, help="Word swapping: the most swaps per sentence.  [default: 1]")
@click.option("--templates", help="Word swapping: how sentences are cut up.  [default: entities,phrases,names]")
@click.option("--keep-list-permutations", is_flag=True, help='Word swapping: keep "B and A" for "A and B".')
@click.option("--fix-articles", is_flag=True, help="Word swapping: make a/an agree after a swap.")
def generate(
    inputs: Tuple[str, ...],
    output: str,
    generator: str,
    assignments: Tuple[str, ...],
    pairs: bool,
    layout: Optional[str],
    model: Optional[str],
    lang: str,
    sentences: bool,
    field: str,
    batch_size: int,
    skip: int,
    seed: int,
    format: Optional[str],
    limit: Optional[int],
    frame: Dict[str, Any],
    **swapping: Any,
) -> None:
    """Make adversarial pairs from the sentences in INPUT.

    INPUT is one or more files, - for standard input, or data sets by name: a sentence per line, or a field of JSONL,
    Parquet or a table; .gz, .xz and .bz2 are unpacked. By default two spans of each sentence trade places
    if no rule forbids it and a judge finds the result natural: see docs/judging.md. Plugins add other generators:
    `paws plugins` lists them, and `paws plugins NAME` their settings.

    \b
    paws generate sentences.txt -o pairs.jsonl
    zcat wiki.gz | paws generate - -o pairs.tsv --sentences --n-process 0
    paws generate questions.jsonl --field question -o pairs.parquet --n-best 3
    paws generate sentences.txt -o pairs.jsonl --generator back_translation --set k=5
    paws generate sentences.txt -o - --format csv | head
    paws generate wiki.txt -o pairs.jsonl --judge neural        # the best judge; run `paws download judge` first
    paws generate wiki.txt -o pairs.jsonl --yield 0.03          # the best 3 % of the sentences, as the paper kept
    paws generate wiki.txt -o pairs.jsonl --all --threshold 3   # all that the n-gram model lets pass
    paws generate wiki.fr.txt -o pairs.jsonl --lang fr --lm fr.klm   # docs/languages.md

    OUTPUT is a file (.jsonl, .tsv, .csv, also .gz, .xz, .bz2; .parquet), a folder (its name ends in /), or - for
    standard output. It appears when everything is done; until then an existing one is not changed. After an
    interruption, run the same command again to resume: finished work is kept in OUTPUT.run.

    Every line is accounted for: the closing line counts those with pairs, without, and with an error. Errors are listed
    in OUTPUT.errors.jsonl. The same input and settings give the same bytes, however many processes work.
    """
    from ..generation.job import GenerateJob, generate_pairs
    from ..generation.word_swap import who_decides
    from ..settings import parse_assignments

    if pairs and sentences:
        raise PawsError(Errors.P211.format(one="--pairs", other="--sentences"))
    wanted = swapping.pop("wanted_yield")
    settings = {**swap_settings(generator, swapping), **parse_assignments(assignments)}
    if frame["judges"] and frame["engine"] == "ray" and settings.get("judge") in (None, "embedded"):
        raise PawsError(Errors.P057.format(count=frame["judges"]))
    job = GenerateJob(generator, settings, model, lang, sentences, batch_size, seed)
    if wanted is not None:
        from ..generation.calibrate import calibrate

        few = {name: frame[name] for name in ("n_process", "gpu_id", "cache", "quiet")}
        found = calibrate(job, inputs, wanted, field=field, **few)
        settings[found.setting] = found.value
        share = f"{found.kept / found.rows:.3f} of the first {found.rows:,} rows have a swap with it"
        click.echo(f"--yield {wanted}: {found.setting} {found.value:g}; {share}", err=True)
    told = who_decides(job.language, settings) if generator == "word_swap" else None
    if told:
        click.echo(told, err=True)
    done = generate_pairs(
        job,
        inputs,
        output,
        of_pairs=pairs,
        layout=layout,
        field=field,
        skip=skip,
        limit=limit,
        format=format,
        **frame,
    )
    tally = done.tally
    if done.chosen and done.candidates:
        click.echo(f"{done.pairs:,} of {done.candidates:,} candidates were chosen", err=True)
    closing = (
        f"{tally.rows:,} lines in = {tally.found:,} with pairs + {tally.nothing:,} without + {tally.errors:,} errors; "
        f"{done.pairs:,} pairs in {output}"
    )
    tell(closing, tally, done.remarks)
