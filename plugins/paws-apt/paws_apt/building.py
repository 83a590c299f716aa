"""Corpora in the manner of AP_T5: every attempt at source sentences, and the pairs among them."""

from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set

from paws_components.plugin import (
    GenerateJob,
    PairRecord,
    RecordWriter,
    Row,
    Run,
    Tally,
    Text,
    check_outputs,
    file_format,
    open_pairs,
    open_texts,
    plain,
)


@dataclass
class Built:
    """What came of a run.

    tally (Tally): Of the sentences, each counted once.
    begun (int): How many of them were done before.
    again (int): How many rows were empty or repeat a sentence.
    attempts (int), passed (int), pairs (int): How many there are.
    remarks (List[str]): What there is to tell of the output.
    """

    tally: Tally = field(default_factory=Tally)
    begun: int = 0
    again: int = 0
    attempts: int = 0
    passed: int = 0
    pairs: int = 0
    remarks: List[str] = field(default_factory=list)

    def __str__(self) -> str:
        tally = self.tally
        return (
            f"{tally.rows + self.again:,} rows in = {tally.found:,} with attempts + {tally.nothing:,} without + "
            f"{self.again:,} empty or repeated + {tally.errors:,} errors; {self.attempts:,} attempts, "
            f"{self.passed:,} passed"
        )


def build_attempts(
    job: GenerateJob,
    inputs: Sequence[str],
    output: str,
    *,
    corpus: Optional[str] = None,
    of_pairs: bool = False,
    layout: Optional[str] = None,
    field: str = "text",
    limit: Optional[int] = None,
    fresh: bool = False,
    **frame: Any,
) -> Built:
    """Have a generator attempt sentences, and write every attempt as a record whose label is its MI verdict.

    job (GenerateJob): The generator, such as `apt_t5`.
    inputs (Sequence[str]): The sources: see `open_texts` and `open_pairs`.
    output (str): The JSONL file of attempts, or "-".
    corpus (Optional[str]): The file of the pairs among them; None for none.
    of_pairs (bool): Whether the sources hold pairs, and `layout` says how; else `field` holds the sentence.
    limit (Optional[int]): How many different sentences are attempted.
    fresh (bool): Whether to start over.
    **frame: How the run works: see `RunOptions`.
    RETURNS (Built): What came of it.
    """
    job.check()
    others = [corpus] if corpus else []
    file_format(output, None, (".jsonl",))
    for path in others:
        file_format(path)
    check_outputs(inputs, [output, *others])
    built = Built()

    def skipped() -> None:
        built.again += 1

    def finish(values: Iterable[Any], place: str) -> int:
        found, keep = 0, once()
        with ExitStack() as stack:
            writer, *more = [stack.enter_context(RecordWriter(path)) for path in (place, *others)]
            for value in values:
                found += bool(value)
                for record in (PairRecord(**data) for data in value or ()):
                    writer.write(record)
                    built.passed += bool(record.evidence["passed"])
                    for pairs in more:
                        if keep(record):
                            pairs.write(record)
        built.attempts = writer.count
        for pairs in more:
            built.pairs, built.remarks = pairs.count, pairs.remarks
        return found

    run = Run(
        "apt build",
        job,
        inputs,
        output,
        {**asdict(job), "of_pairs": of_pairs, "layout": layout, "field": field, "limit": limit},
        value=_labelled,
        finish=finish,
        unit="sentences",
        # The attempts of hours: the same command again only writes the files anew.
        keeps=True,
        others=others,
    )
    opened: List[Any] = [open_pairs(path, layout) for path in inputs] if of_pairs else [open_texts(inputs, field)]
    rows = chain.from_iterable(opened)
    texts = islice(distinct(first_sentences(rows) if of_pairs else rows, skipped), limit)
    built.begun = 0 if run.pipe else run.open(fresh).rows
    meter = opened[0].meter if len(opened) == 1 and limit is None else None
    built.tally = run(texts, fresh=fresh, meter=meter, total=limit, **frame)
    return built


def distinct(texts: Iterable[Text], skipped: Callable[[], None]) -> Iterator[Text]:
    """The texts that were not there before, and those that can't be read.

    texts (Iterable[Text]): The texts.
    skipped (Callable): Told of each that is empty or repeated.
    YIELDS (Text): The others.
    """
    seen: Set[str] = set()
    for text in texts:
        if text.reason is None and (not text.text or text.text in seen):
            skipped()
            continue
        seen.add(text.text)
        yield text


def first_sentences(rows: Iterable[Row]) -> Iterator[Text]:
    """Of pairs the first sentences: the paper has its sources from there (section 3.2)."""
    for row in rows:
        sentence = plain(row.sentence1) if row.readable and not row.missing else ""
        yield Text(row.path, row.number, sentence, row.reason, row.raw, "white_space" in row.notes, row.broke_off)


def once() -> Callable[[PairRecord], bool]:
    """Whether an attempt belongs to a corpus: it is not empty, does not repeat its source, and was not there before."""
    seen: Set[str] = set()

    def keep(record: PairRecord) -> bool:
        copied = record.sentence2.casefold() == record.sentence1.casefold()
        if not record.sentence2 or copied or record.id in seen:
            return False
        seen.add(record.id)
        return True

    return keep


def _labelled(_: Text, attempts: Sequence[PairRecord]) -> List[Dict[str, Any]]:
    """The attempts at a sentence as plain data; the label of each is its MI verdict."""
    for record in attempts:
        record.label, record.label_source = int(record.evidence["mi"]), "silver"
    return [record.to_dict() for record in attempts]
