"""Labels for pairs that have none: one for all of them, what a model says of each, or what people's votes come to."""

from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence

from ..curation.votes import AGREEING, RATERS, Decided, check_bar, decide, read_votes
from ..engine.frame import Run, Tally
from ..errors import Errors, PawsError
from ..metrics.mi import MIMetric
from ..nli.mutual import MutualJudge
from ..readers import Row, open_pairs, read_pairs
from ..records import PairRecord, PathLike
from ..settings import validate
from ..writers import RecordWriter, check_outputs, file_format
from .judging import best_label
from .targets import check_target, load_target

MI = "mi"
LABEL_SOURCES = ("human", "silver", "rule")


@dataclass
class LabelJob:
    """Label pairs, each by itself.

    label (Optional[int]): One label for all pairs: 1 or 0.
    by (Optional[str]): Or who says it: "mi" for mutual implication, else a classifier as `paws evaluate` takes it.
    settings (Dict[str, Any]): Of the model: of `mi` those of the metric `mi_verdict`, of a classifier `positive_label`
        and `batch_size`.
    source (str): What `label_source` is: "human", "silver" or "rule".
    relabel (bool): Whether pairs that have a label get a new one.
    """

    label: Optional[int] = None
    by: Optional[str] = None
    settings: Dict[str, Any] = field(default_factory=dict)
    source: str = "silver"
    relabel: bool = False

    def check(self) -> None:
        """Our error for settings that do not go together, and for a model that there is not, before any work begins."""
        if (self.label is None) == (self.by is None):
            raise PawsError(Errors.P707)
        if self.label not in (None, 0, 1):
            raise PawsError(Errors.P015.format(name="label", what="0 or 1", value=self.label))
        if self.source not in LABEL_SOURCES:
            what = "one of " + ", ".join(LABEL_SOURCES)
            raise PawsError(Errors.P015.format(name="label_source", what=what, value=self.source))
        if self.by == MI:
            validate("model 'mi'", MIMetric, {"field": "verdict", **self.settings})
        elif self.by is not None:
            validate(f"model {self.by!r}", load_target, self.settings, 1)
            check_target(self.by)

    def start(self) -> "LabelWorker":
        return LabelWorker(self)


class LabelWorker:
    def __init__(self, job: LabelJob) -> None:
        self.job = job
        self.mutual: Optional[MutualJudge] = None
        self.target: Any = None
        if job.by == MI:
            self.mutual = MutualJudge(**job.settings)
            self.mutual.entailment  # noqa: B018  # a model that can't be loaded ends the run at once
        elif job.by is not None:
            self.target = load_target(job.by, **job.settings)

    def __call__(self, records: Sequence[PairRecord]) -> List[PairRecord]:
        """The pairs with their labels. Those that have one come as they are."""
        asked = [record for record in records if self.job.relabel or record.label is None]
        found = iter(self._label(asked))
        return [next(found) if self.job.relabel or record.label is None else record for record in records]

    def _label(self, records: List[PairRecord]) -> List[PairRecord]:
        pairs = [(record.sentence1, record.sentence2) for record in records]
        if self.mutual is not None:
            told = [(one.verdict, {"forward": one.forward, "backward": one.backward}) for one in self.mutual(pairs)]
        elif self.target is not None:
            positive = self.target.positive_label
            told = [
                (best_label(cats, positive) == positive, {"score": float(cats[positive])})
                for cats in self.target.cats(pairs)
            ]
        else:
            told = [(bool(self.job.label), {})] * len(records)
        return [self._labelled(record, verdict, said) for record, (verdict, said) in zip(records, told)]

    def _labelled(self, record: PairRecord, verdict: bool, said: Dict[str, float]) -> PairRecord:
        evidence = dict(record.evidence)
        if self.job.by is not None:
            evidence["labelled_by"] = {"model": self.job.settings.get("model", self.job.by), **said}
            if self.job.by == MI:
                evidence["labelled_by"]["by"] = MI
        return replace(record, label=int(verdict), label_source=self.job.source, evidence=evidence)


class Labelled(NamedTuple):
    """What came of a run of `paws label`: of the rows, the pairs that had a label, and remarks on the output."""

    tally: Tally
    before: int
    remarks: List[str]


def label_pairs(
    job: LabelJob,
    inputs: Sequence[str],
    output: str,
    *,
    layout: Optional[str] = None,
    limit: Optional[int] = None,
    format: Optional[str] = None,
    **frame: Any,
) -> Labelled:
    """Label the pairs of some sources and write them.

    job (LabelJob): Who labels them, and how.
    inputs (Sequence[str]): The sources: see `open_pairs`.
    output (str): A file, or "-".
    layout (Optional[str]): The layout of the sources; None to guess it.
    limit (Optional[int]): How many rows are read.
    format (Optional[str]): What a pipe gets: "jsonl", "tsv", "csv" or "parquet".
    **frame: How the run works: see `RunOptions`.
    RETURNS (Labelled): What came of it.
    """
    job.check()
    check_outputs(inputs, [output])
    file_format(output, format)
    opened = [open_pairs(path, layout) for path in inputs]
    before = 0
    remarks: List[str] = []

    def finish(values: Iterable[Any], place: str) -> int:
        nonlocal before
        before = 0
        with RecordWriter(place, format) as writer:
            for value in values:
                if value is not None:
                    before += value["before"]
                    writer.write(PairRecord(**value["record"]))
        remarks.extend(writer.remarks)
        return writer.count

    def value(row: Row, record: PairRecord) -> Dict[str, Any]:
        kept = not job.relabel and row.to_record().label is not None
        return {"record": record.to_dict(), "before": kept}

    run = Run(
        "label",
        job,
        inputs,
        output,
        {**asdict(job), "layout": layout, "limit": limit},
        value=value,
        finish=finish,
        unit="pairs",
        outcome="with a label",
    )
    meter = opened[0].meter if len(opened) == 1 else None
    tally = run(islice(chain.from_iterable(opened), limit), meter=meter, total=limit, **frame)
    return Labelled(tally, before, remarks)


def label_by_votes(
    inputs: Sequence[str],
    votes: PathLike,
    output: str,
    rest: str,
    *,
    raters: int = RATERS,
    agreeing: int = AGREEING,
    layout: Optional[str] = None,
) -> Decided:
    """Label pairs with the majority of people's votes, and write those on which too few agree apart.

    inputs (Sequence[str]): The sources of the pairs: see `open_pairs`.
    votes (Union[str, Path]): Their votes: see `read_votes`.
    output (str), rest (str): The files for the pairs that are kept, and for the others.
    raters (int), agreeing (int): How many people judge a pair, and how many of them must agree.
    layout (Optional[str]): The layout of the sources; None to guess it.
    RETURNS (Decided): The pairs, and how far people agreed.
    """
    check_bar(raters, agreeing)
    check_outputs([*inputs, str(votes)], [output, rest])
    for path in (output, rest):
        file_format(path)
    told = read_votes(votes)
    records = [record for path in inputs for record in read_pairs(path, layout)]
    done = decide(records, told, raters, agreeing)
    if told and not done.judged and done.unknown == len(told):
        raise PawsError(Errors.P708.format(votes=str(votes), pairs=", ".join(inputs)))
    # Both are written before either has its name.
    with RecordWriter(output) as kept, RecordWriter(rest) as others:
        for record in done.kept:
            kept.write(record)
        for record in done.rest:
            others.write(record)
    return done
