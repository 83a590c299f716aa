"""A run of `paws attack`: a target and a corpus in, outcomes and a report out."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Collection, Dict, List, Optional, Tuple

import click
import spacy
from tqdm import tqdm

from paws_components.cli.evaluating import write
from paws_components.errors import Errors as PawsErrors
from paws_components.errors import PawsError
from paws_components.models import load_with
from paws_components.records import PairRecord, read_records
from paws_components.training.judging import read_test_set

from ..checkpoint import Checkpointed, Progress
from ..errors import Errors
from ..examples import sample_examples
from ..job import Attacker, digest, judge_all, run_attack
from ..positions import DEFAULT_STOP_WORDS
from ..rendering import to_html, to_markdown, to_text
from ..report import summarise
from ..search import FAILED, PRESETS, SKIPPED, SUCCEEDED, Settings
from ..substitutes import MaskedSubstitutes, one_token
from ..targets import load_target

SHAPES = {".md": to_markdown, ".html": to_html, ".json": lambda report, target: report.to_json()}


@dataclass
class Options:
    """The options of the command, as it has them."""

    mlm: str
    positives: int
    negatives: int
    preset: str
    steps: Optional[int]
    top_k: Optional[int]
    beam: Optional[int]
    max_queries: int
    again: bool
    context: Any
    stop_words: Optional[str]
    positive_label: Optional[str]
    blank: Optional[str]
    model: Optional[str]
    layout: Optional[str]
    limit: Optional[int]
    no_full: bool
    seed: int
    chunk: int
    batch_size: Optional[int]
    examples: int
    overwrite: bool
    gpu_id: int
    quiet: bool

    @property
    def search(self) -> Settings:
        given = {name: getattr(self, name) for name in ("steps", "top_k", "beam")}
        changed: Dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        return replace(PRESETS[self.preset], max_queries=self.max_queries, again=self.again, **changed)

    def check(self) -> None:
        """Our error for a number that makes no sense, before anything is loaded."""
        least = {"positives": 0, "negatives": 0, "chunk": 1, "limit": 1, "batch_size": 1, "examples": 0}
        for name, smallest in least.items():
            value = getattr(self, name)
            if value is not None and value < smallest:
                option = "--" + name.replace("_", "-")
                raise PawsError(Errors.S003.format(name=option, what=f"at least {smallest}", value=value))
        if not self.positives and not self.negatives:
            raise PawsError(Errors.S004)


def run(target: str, corpus: str, output: str, reports: Tuple[str, ...], options: Options) -> int:
    """Attack, and report.

    target (str), corpus (str), output (str), reports (Tuple[str, ...]), options (Options): As the command has them.
    RETURNS (int): The exit code: 130 if the run was broken off.
    """
    options.check()
    settings = options.search
    check_outputs(output, reports, corpus)
    stop_words = read_stop_words(options.stop_words)
    test_set = read_test_set("corpus", corpus, options.layout, options.limit)
    pairs = [record for record in test_set.records if record.label in (0, 1)]
    examples = sample_examples(pairs, options.positives, options.negatives, options.seed)
    plan = {
        "target": target,
        "corpus": digest(pairs),
        "examples": digest(examples),
        "mlm": options.mlm,
        "context": options.context,
        "model": options.model,
        "stop_words": options.stop_words,
        "positive_label": options.positive_label,
        "blank": options.blank,
        "positives": options.positives,
        "negatives": options.negatives,
        "seed": options.seed,
        "chunk": options.chunk,
        "batch_size": options.batch_size,
        **settings.to_dict(),
    }
    with Checkpointed(output, plan, options.overwrite) as file:
        begun = file.progress.done
        if begun and not options.quiet:
            click.echo(f"Going on after {begun:,} examples", err=True)
        wanted = not options.no_full and "full" not in file.progress.notes
        if begun < len(examples) or wanted:
            use_gpu(options.gpu_id)
            nlp = load_with(["tagger", "attribute_ruler"], options.model)
            attacked = load_target(
                target,
                positive_label=options.positive_label,
                blank=options.blank,
                batch_size=options.batch_size,
            )
            substitutes = MaskedSubstitutes(
                options.mlm, context=options.context, stop_words=stop_words, keep=one_token(nlp)
            )
            attacker = Attacker(attacked, substitutes, nlp, stop_words, settings)
            if wanted:
                if not options.quiet:
                    click.echo(f"Asking about all {len(pairs):,} pairs of {corpus}", err=True)
                file.note(full=judge_all(attacked, nlp, pairs).to_dict())
            try:
                follow(attacker, examples, file, options)
            except KeyboardInterrupt:
                click.echo(f"Stopped after {file.progress.done:,} examples; the same command goes on", err=True)
                return 130
    full = {} if options.no_full else file.progress.notes.get("full", {})
    report = summarise(read_records(output), plan, full, options.examples)
    click.echo(to_text(report, target))
    for path in reports:
        write(path, SHAPES[Path(path).suffix.lower()](report, target))
    click.echo(f"{file.progress.done:,} outcomes in {output}", err=True)
    return 0


def follow(attacker: Attacker, examples: List[PairRecord], file: Checkpointed, options: Options) -> None:
    """Run with a live line."""
    bar = tqdm(total=len(examples), initial=file.progress.done, unit=" examples", disable=options.quiet, leave=False)

    def watch(still_open: int) -> None:
        bar.set_description(f"{still_open} open")

    with bar:
        bar.set_postfix_str(live_line(file.progress))
        for progress in run_attack(attacker, examples, file, options.chunk, watch):
            bar.set_postfix_str(live_line(progress), refresh=False)
            bar.update(progress.done - bar.n)


def live_line(progress: Progress) -> str:
    """How many came to what."""
    counts = progress.counts
    parts = [f"{counts.get(status, 0):,} {status}" for status in (SUCCEEDED, FAILED, SKIPPED)]
    return " / ".join(parts) + f", {counts.get('queries', 0):,} queries"


def check_outputs(output: str, reports: Tuple[str, ...], corpus: str) -> None:
    """What can be known to go wrong with the outputs, before an hour's work."""
    for path, endings in ((output, (".jsonl",)), *((path, tuple(SHAPES)) for path in reports)):
        if not path.lower().endswith(endings):
            raise PawsError(PawsErrors.P011.format(path=path, known=", ".join(endings), hint=""))
        if Path(path).resolve() == Path(corpus).resolve():
            raise PawsError(PawsErrors.P150.format(path=path))
        if not Path(path).resolve().parent.is_dir():
            raise PawsError(PawsErrors.P021.format(path=path, reason="there is no such folder"))


def read_stop_words(path: Optional[str]) -> Collection[str]:
    """The words of a file, or spaCy's."""
    if path is None:
        return DEFAULT_STOP_WORDS
    try:
        return frozenset(Path(path).read_text(encoding="utf8").lower().split())
    except (OSError, UnicodeDecodeError) as error:
        raise PawsError(PawsErrors.P020.format(path=path, reason=error)) from error


def use_gpu(number: int) -> None:
    """Have everything work on a GPU, if one is asked for."""
    if number >= 0:
        try:
            spacy.require_gpu(number)
        except ValueError as error:
            raise PawsError(PawsErrors.P355.format(gpu=number, reason=str(error).rstrip("."))) from error
