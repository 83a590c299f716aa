from pathlib import Path
from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

import click

from .options import cache_option

if TYPE_CHECKING:
    from ..evaluation.beside import Beside
    from ..evaluation.comparison import Comparison

FORMATS = {".txt": "text", ".md": "markdown", ".json": "json", ".tsv": "tsv"}


@click.command()
@click.argument("models", metavar="MODEL...", nargs=-1)
@click.option("--on", "test_sets", metavar="NAME=FILE", multiple=True, help="A test set; repeatable.")
@click.option(
    "-o", "--output", "outputs", multiple=True, help="Where the table goes: .txt, .md, .json or .tsv; repeatable."
)
@click.option(
    "--format",
    "shape",
    type=click.Choice(list(FORMATS.values())),
    default="text",
    show_default=True,
    help="The format on screen.",
)
@click.option("--beside", "papers", multiple=True, help="A paper's table: ours is shown beside it; repeatable.")
@click.option(
    "--results",
    "earlier",
    multiple=True,
    help="Earlier results (.json, or a pattern), for --beside; repeatable.",
)
@click.option("--examples", help="Write every pair with each model's answer to this file: .jsonl.")
@click.option("--by", help="Split each test set by a field of its pairs, such as lang.")
@click.option("--join", help="Join test sets by a field, such as id: in how many is the same pair judged right?")
@click.option("--one-order", is_flag=True, help="Don't ask about (b, a) too: half the time, no order consistency.")
@click.option("--positive-label", help="The models' label for a paraphrase.  [default: paraphrase]")
@click.option("--layout", help="The layout of the files.  [default: guessed]")
@click.option("--limit", type=click.IntRange(1), help="Read only this many rows of each file.")
@click.option("--samples", default=1000, show_default=True, help="Resamples of the bootstrap, for the intervals.")
@click.option("--seed", default=0, show_default=True, help="The seed of the bootstrap.")
@click.option(
    "--batch-size", type=click.IntRange(1), help="How many pairs a model takes at once.  [default: what suits it]"
)
@click.option("--n-process", default=1, show_default=True, help="How many processes a pipeline works in.")
@click.option("--gpu-id", default=-1, show_default=True, help="The GPU to use; -1 for none.")
@cache_option
@click.option("--quiet", is_flag=True, help="No progress bar.")
def evaluate(
    models: Tuple[str, ...],
    test_sets: Tuple[str, ...],
    outputs: Tuple[str, ...],
    shape: str,
    papers: Tuple[str, ...],
    earlier: Tuple[str, ...],
    examples: Optional[str],
    by: Optional[str],
    join: Optional[str],
    one_order: bool,
    positive_label: Optional[str],
    layout: Optional[str],
    limit: Optional[int],
    samples: int,
    seed: int,
    batch_size: Optional[int],
    n_process: int,
    gpu_id: int,
    cache: Optional[str],
    quiet: bool,
) -> None:
    """Compare paraphrase classifiers: several models by several test sets, in one table.

    MODEL is what `paws attack` takes too: a trained spaCy pipeline (a path or a package), a sequence classifier of
    transformers or a CrossEncoder of sentence-transformers (a folder or a name on the hub), or a Python callable as
    module:function that takes pairs of texts and returns probabilities. NAME=MODEL gives it a name. A `*` stands for
    all matching folders: 'models/*/model-best'. A test set is a file of pairs in any layout that `paws audit` knows,
    with a name.

    \b
    paws evaluate training/model-best --on paws=dev_and_test.tsv
    paws evaluate cross-encoder/quora-roberta-base my_model:probabilities --on paws=dev_and_test.tsv
    paws evaluate BERT=bert/model-best DIIN=diin/model-best --on qqp=qqp.tsv --on paws=paws.tsv \\
        -o table.md -o results.json --examples answers.jsonl
    paws evaluate 'models/*/model-best' --on paws=paws.tsv --beside table7.json -o table.md
    paws evaluate --results results.json --beside table7.json          # nothing is asked again
    paws evaluate merged/model-best --on test=all_languages.jsonl --by lang --join id

    Accuracy, area under the precision-recall curve, F1 and MCC come with 95 % intervals; so does the share of pairs
    that get the same answer in both orders. With two models or more, a second table says how many errors of each the
    others get right. `--beside` shows a paper's figures below ours: docs/evaluate.md has the format of its file.
    `--by lang` makes a test set of each language, NAME:VALUE; `--join id` counts in how many of them each pair is
    judged right, and lists the pairs that are wrong everywhere.
    """
    from ..errors import Errors, PawsError
    from ..evaluation.agreement import split_by
    from ..evaluation.beside import PaperTable, merge_results
    from ..evaluation.comparison import compare, read_results, results_of
    from ..evaluation.judging import read_test_set
    from ..readers.names import name_sources, unique_names
    from ..writers import RecordWriter, write_text

    for name, value, least in (("--samples", samples, 0), ("--seed", seed, 0)):
        if value is not None and value < least:
            raise PawsError(Errors.P015.format(name=name, what=f"at least {least}", value=value))
    if not models and not (earlier and papers):
        raise PawsError(Errors.P360)
    if bool(models) != bool(test_sets):
        raise PawsError(Errors.P361)
    tables = [PaperTable.from_disk(path) for path in papers]
    measured = [read_results(path) for path in _expand_files(earlier)]
    named_models = name_sources(_expand(models), "models")
    named_sets = name_sources(test_sets, "test sets")
    _check_outputs(outputs, examples, named_sets)
    sets = [read_test_set(name, path, layout, limit) for name, path in named_sets.items()]
    for one in sets:
        if any(one.left_out.values()):
            click.echo(
                f"{one.name}: {len(one.records):,} pairs; left out {one.unlabelled:,} without a label, "
                f"{one.no_sentence:,} without a sentence (empty, or NS) and {one.unreadable:,} rows that can't be read",
                err=True,
            )
    if by:
        sets = [part for one in sets for part in split_by(one, by)]
        unique_names([(one.name, one.path) for one in sets], "test sets")
    comparison = None
    if named_models:
        comparison = compare(
            named_models,
            sets,
            positive_label=positive_label,
            both_orders=not one_order,
            samples=samples,
            seed=seed,
            gpu_id=gpu_id,
            cache=cache,
            quiet=quiet,
            batch_size=batch_size,
            n_process=n_process,
            join=join,
        )
        measured.append(results_of(comparison.to_dict()))
    beside = [table.beside(merge_results(measured)) for table in tables]
    click.echo(_show(comparison, beside, shape))
    for path in outputs:
        write_text(path, _show(comparison, beside, FORMATS[Path(path).suffix.lower()]) + "\n")
    if examples and comparison is not None:
        with RecordWriter(examples) as writer:
            for record in comparison.examples():
                writer.write(record)
        click.echo(f"{writer.count:,} pairs with their answers are in {examples}", err=True)


def _expand(models: Tuple[str, ...]) -> List[str]:
    """The models, with the folders that match in place of a pattern. One whose training did not end is an error."""
    from glob import glob

    from ..errors import Errors, PawsError
    from ..readers.names import split_name
    from ..training.runs import is_unfinished

    found: List[str] = []
    for model in models:
        if "*" not in model or Path(model).exists():
            found.append(model)
        else:
            # What another pattern has found already is not asked twice.
            matches = sorted(glob(model), key=lambda one: Path(one).parts)
            found.extend(one for one in matches if one not in found)
            if not matches:
                click.echo(f"Nothing matches {model}", err=True)
    if models and not found:
        raise PawsError(Errors.P356.format(name=" ".join(models), reason="nothing matches it"))
    folders = [Path(split_name(one)[1]).parent for one in found]
    unfinished = [str(folder) for folder in folders if is_unfinished(folder)]
    if unfinished:
        raise PawsError(Errors.P314.format(names=", ".join(unfinished)))
    return found


def _expand_files(paths: Tuple[str, ...]) -> List[str]:
    """The files, with those that match in place of a pattern. Our error where none does."""
    from glob import glob

    from ..errors import Errors, PawsError

    found: List[str] = []
    for path in paths:
        matches = [path] if "*" not in path else sorted(glob(path))
        if not matches:
            raise PawsError(Errors.P020.format(path=path, reason="nothing matches it"))
        found.extend(one for one in matches if one not in found)
    return found


def _show(comparison: Optional["Comparison"], beside: "List[Beside]", shape: str) -> str:
    """The paper's tables with our figures first, then what was measured."""
    import json

    if shape == "json":
        found = comparison.to_dict() if comparison is not None else {}
        if beside:
            found["beside"] = [table.to_dict() for table in beside]
        return json.dumps(found, ensure_ascii=False, indent=2)
    if shape == "tsv" and beside:
        return "\n\n".join(table.show(shape) for table in beside)
    parts = [table.show(shape) for table in beside]
    return "\n\n".join([*parts, *([comparison.show(shape)] if comparison is not None else [])])


def _check_outputs(outputs: Tuple[str, ...], examples: Optional[str], sets: Dict[str, str]) -> None:
    """What can be known to go wrong with the outputs, before an hour's work."""
    from ..errors import Errors, PawsError
    from ..writers import check_outputs

    written = [*outputs, *([examples] if examples else [])]
    for path in written:
        endings = tuple(FORMATS) if path != examples else (".jsonl", ".jsonl.gz", ".jsonl.xz")
        if not path.lower().endswith(endings):
            raise PawsError(Errors.P011.format(path=path, known=", ".join(endings), hint=""))
    check_outputs(sets.values(), written)
