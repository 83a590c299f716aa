from typing import Any, Dict, List, Optional, Sequence, Tuple

import click

from .options import run_options, split_names, tell

UNIT_HELP = (
    "A unit and its spellings, before or after the value.  [default: dollar=$US,US$,$ and percent=per cent,percent,%]"
)


@click.command()
@click.argument("input_path", metavar="INPUT")
@click.option(
    "-o", "--output", required=True, help="Where the pairs go: .jsonl, .tsv, .csv (also .gz, .xz), .parquet, -."
)
@click.option("--model", help="The spaCy pipeline: a package or a path.  [default: the English one installed]")
@click.option(
    "--types",
    default="quantities",
    show_default=True,
    help='Entity types whose values may be replaced: "quantities" (CARDINAL, DATE, MONEY, ORDINAL, PERCENT, QUANTITY, '
    'TIME) as the paper says, "all" as the released corpus was made, or labels separated by commas.',
)
@click.option("--compare", default="all", show_default=True, help="Entity types that must agree, in the same form.")
@click.option(
    "--ways",
    type=click.Choice(["both", "first", "second"]),
    default="both",
    show_default=True,
    help="The sentence whose values replace those of the other; both make two rows.",
)
@click.option(
    "--ld-guard",
    default=0.1,
    show_default=True,
    help="Relabel a pair that cannot be corrected only if its lexical deviation is above this; 0 for no guard. The "
    "guard is in the authors' code, not in their paper.",
)
@click.option(
    "--ld-variant",
    type=click.Choice(["paper", "released"]),
    default="paper",
    show_default=True,
    help="Lexical deviation by the paper's equation 4, or as in the authors' code.",
)
@click.option(
    "--equivalents",
    multiple=True,
    metavar="FILE",
    help='More forms that mean the same, a group per line: "New York = N.Y. = NY"; repeatable.',
)
@click.option(
    "--builtin-equivalents/--no-builtin-equivalents",
    default=True,
    show_default=True,
    help="Take U.S. for United States, Nov. for November, two for 2, and so on.",
)
@click.option(
    "--article",
    multiple=True,
    default=("the",),
    show_default=True,
    help='A word before a value that is not a part of it; "" for none.',
)
@click.option("--unit", multiple=True, metavar="NAME=FORM,FORM", help=UNIT_HELP)
@click.option("--top", default=10, show_default=True, help="How many of the most frequent replacements are shown.")
@click.option(
    "--batch-size",
    type=click.IntRange(1),
    default=128,
    show_default=True,
    help="How many sentences go through the pipeline at once.",
)
@click.option("--layout", help="How the pairs are laid out, as in `paws audit`.  [default: guessed]")
@run_options(cache=False)
def correct(
    input_path: str,
    output: str,
    model: Optional[str],
    types: str,
    compare: str,
    ways: str,
    ld_guard: float,
    ld_variant: str,
    equivalents: Tuple[str, ...],
    builtin_equivalents: bool,
    article: Tuple[str, ...],
    unit: Tuple[str, ...],
    top: int,
    batch_size: int,
    layout: Optional[str],
    format: Optional[str],
    limit: Optional[int],
    frame: Dict[str, Any],
) -> None:
    """Correct or relabel the paraphrases in INPUT whose entities disagree.

    INPUT is a corpus as published, such as MRPC, or anything else that `paws audit` reads; - is standard input. In a
    pair with label 1 the entities of both sentences are compared by type. If one value in each sentence differs, it
    is replaced, with a row for each way; if that is not possible, the pair gets label 0. This is how MRPC-R1 was made
    from MRPC.

    \b
    paws correct msr_paraphrase_train.txt -o mrpc_r1.jsonl
    paws correct msr_paraphrase_train.txt -o mrpc_r1.jsonl --types all
    paws correct pairs.tsv -o corrected.tsv --types MONEY,PERCENT --ld-guard 0

    Every pair is accounted for: the closing table counts those that were corrected, relabelled, found consistent, and
    passed through because their label is not 1. The evidence of each record says what was done and why.
    """
    from ..curation.correct import CorrectJob, CorrectSettings, correct_pairs
    from ..curation.equivalents import read_equivalents
    from ..lang.en import EQUIVALENTS

    groups: List[Sequence[str]] = list(EQUIVALENTS) if builtin_equivalents else []
    for path in equivalents:
        groups += read_equivalents(path)
    settings = CorrectSettings(
        types=split_names(types),
        compare=split_names(compare),
        ways=ways,
        ld_guard=ld_guard,
        ld_variant=ld_variant,
        equivalents=groups,
        articles=[word for word in article if word.strip()],
        units=read_units(unit),
    )
    job = CorrectJob(settings, model, batch_size)
    summary, tally, remarks = correct_pairs(input_path, output, job, layout=layout, format=format, limit=limit, **frame)
    click.echo(summary_text(summary, top), err=output == "-")
    counts = f"{tally.found:,} accounted for above + {tally.nothing:,} left out + {tally.errors:,} errors"
    tell(f"{tally.rows:,} pairs in = {counts} in {output}", tally, remarks)


def summary_text(summary: Any, top: int) -> str:
    """The summary as tables: what became of the pairs, and the most frequent replacements."""
    from ..tables import text_table

    kinds = [(kind, f"{pairs:,}", f"{records:,}") for kind, pairs, records in summary.rows()]
    parts = [text_table([("outcome", "pairs in", "records out"), *kinds])]
    labels = ", ".join(f"{count:,} with label {label}" for label, count in sorted(summary.labels.items(), key=str))
    parts.append(f"Records out: {labels or 'none'}.")
    if summary.called:
        parts.append(
            f"Inconsistent: {summary.inconsistent:,} of {summary.called:,} pairs called paraphrases "
            f"({summary.inconsistent / summary.called:.1%}); the LD guard keeps the label of {summary.guarded:,}."
        )
    replaced = summary.replacements(top)
    if replaced:
        rows = [(*texts, f"{times:,}") for *texts, times in replaced]
        parts.append(text_table([("type", "from", "to", "times"), *rows], ("type", "from", "to")))
    if summary.types:
        differing = ", ".join(f"{label} {count:,}" for label, count in summary.types.most_common())
        parts.append(f"Types that differ in the relabelled pairs: {differing}.")
    return "\n\n".join(parts)


def read_units(texts: Sequence[str]) -> Dict[str, Sequence[str]]:
    """Units as the command takes them, `NAME=FORM,FORM`, on top of those that are known."""
    from ..errors import Errors, PawsError
    from ..lang.en import RULES

    units: Dict[str, Sequence[str]] = dict(RULES.units)
    for text in texts:
        name, sign, forms = text.partition("=")
        spellings = [form.strip() for form in forms.split(",") if form.strip()]
        if not name.strip() or not sign or not spellings:
            raise PawsError(Errors.P126.format(text=text))
        units[name.strip()] = tuple(spellings)
    return units
