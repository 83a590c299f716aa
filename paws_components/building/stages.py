"""The stages of a project, as PAWS has them (sections 3 and 4): swaps, corrections, labels, back translations, labels,
balancing, splits. Each reads files, writes files, and counts what it did."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

from ..curation.balancing import Balanced, balance, thin_out
from ..curation.corrections import apply_corrections, read_corrections
from ..curation.kinds import find_kinds, recorded_kinds
from ..curation.sheet import Counts, kind_counts, label_counts, vote_counts
from ..curation.votes import decide, read_votes
from ..errors import Errors, PawsError
from ..evaluation.labelling import LabelJob, label_pairs
from ..generation.job import generate_pairs
from ..models import installed_pipeline, load_pipeline
from ..readers import read_pairs
from ..records import PairRecord
from ..writers import RecordWriter, write_text
from .plan import PEOPLE, SILVER, Generation, Plan, generate_job

SWAPS, BACK = "swaps", "back"
# What swaps and back translations are called by silver labels (section 4, "Unlabeled PAWS-Wiki").
SILVER_LABELS = {SWAPS: 0, BACK: 1}
# Where people's answers are, by what they answer.
ANSWERS = {"corrections": "people/corrections", SWAPS: "people/swap_votes", BACK: "people/back_votes"}
ENDINGS = (".jsonl", ".csv", ".tsv")


class Waiting(PawsError):
    """The next stage needs answers of people that are not there yet."""


@dataclass
class Stage:
    """A step from files to files.

    name (str): What it is called.
    inputs (List[str]): What it reads.
    outputs (List[str]): What it writes.
    settings (Dict[str, Any]): What else its outcome depends on.
    work (Callable): Does it, and gives its counts. Its arguments are options of the engine.
    costly (bool): Whether it takes long: then it is not done again without being told to.
    """

    name: str
    inputs: List[str]
    outputs: List[str]
    settings: Dict[str, Any]
    work: Callable[..., Counts]
    costly: bool = False


class Steps:
    """The stages before the data set is written.

    plan (Plan): The plan.
    root (Path): The folder of the project.
    """

    def __init__(self, plan: Plan, root: Path) -> None:
        self.plan = plan
        self.root = root

    def path(self, name: str) -> str:
        return str(self.root / "steps" / f"{name}.jsonl")

    def stages(self) -> List[Stage]:
        """All of them, in order."""
        plan = self.plan
        found = [self._generate(SWAPS, plan.swaps, [plan.found(text) for text in plan.texts])]
        judged = SWAPS
        if plan.people and plan.labels.correct:
            found.append(self._correct())
            judged = "swaps_corrected"
        found.append(self._label(SWAPS, judged))
        if plan.back is not None:
            found += [self._generate(BACK, plan.back, [self.path("swaps_labelled")]), self._label(BACK, BACK)]
        found.append(self._balance())
        if plan.kinds:
            found.append(self._kinds())
        return found

    def labelled(self) -> List[str]:
        """The files with labelled pairs: of swaps, and of back translations if there are any."""
        return [self.path(f"{what}_labelled") for what in ([SWAPS, BACK] if self.plan.back else [SWAPS])]

    def answers(self, what: str) -> str:
        """The file with people's answers; where there is none, the one they are expected in."""
        places = [str(self.root / (ANSWERS[what] + ending)) for ending in ENDINGS]
        return next((path for path in places if Path(path).is_file()), places[0])

    def _generate(self, what: str, one: Generation, sources: Sequence[str]) -> Stage:
        plan, output = self.plan, self.path(what)
        if one.file:
            file = plan.found(one.file)

            def take(**frame: Any) -> Counts:
                return {"raw": write([output], [list(read_pairs(file))])}

            return Stage(what, [file], [output], {}, take)
        job = generate_job(plan, one)
        first = what == SWAPS
        options: Dict[str, Any] = {"field": plan.field, "limit": plan.limit} if first else {"of_pairs": True}

        def work(**frame: Any) -> Counts:
            done = generate_pairs(job, list(sources), output, n_process=plan.n_process, **options, **frame)
            return {"texts" if first else "pairs_in": done.tally.rows, "errors": done.tally.errors, "raw": done.pairs}

        settings = {**one.model_dump(exclude={"file"}), **options, "lang": plan.lang, "seed": plan.seed}
        if first:
            settings["sentences"] = plan.sentences
        return Stage(what, list(sources), [output], settings, work, costly=True)

    def _correct(self) -> Stage:
        source, answers = self.path(SWAPS), self.answers("corrections")
        outputs = [self.path("swaps_corrected"), self.path("swaps_rejected")]
        wait = self.plan.labels.wait

        def work(**frame: Any) -> Counts:
            records = list(read_pairs(source))
            if not Path(answers).is_file():
                raise Waiting(Errors.P726.format(pairs=_many(len(records)), file=source, answers=answers))
            done = apply_corrections(records, read_corrections(answers))
            if done.waiting and wait:
                raise Waiting(Errors.P727.format(count=_many(len(done.waiting)), file=source, answers=answers))
            write(outputs, [done.kept, done.rejected])
            accepted, fixed, rejected = (done.counts[name] for name in ("accept", "fix", "reject"))
            return {
                "raw": len(records),
                "accepted": accepted,
                "fixed": fixed,
                "rejected": rejected,
                "undecided": len(done.waiting),
                "unknown": done.unknown,
            }

        return Stage("correct", [source, answers], outputs, {"wait": wait}, work)

    def _label(self, what: str, judged: str) -> Stage:
        name, source, labels = f"label_{what}", self.path(judged), self.plan.labels
        kept, rest = self.path(f"{what}_labelled"), self.path(f"{what}_rest")
        if labels.by == PEOPLE:
            return self._votes(name, what, source, [kept, rest])
        if labels.by == SILVER:

            def silver(**frame: Any) -> Counts:
                pairs = [
                    replace(one, label=SILVER_LABELS[what], label_source="silver") if one.label is None else one
                    for one in read_pairs(source)
                ]
                write([kept], [pairs])
                return label_counts(pairs)

            return Stage(name, [source], [kept], {"by": SILVER}, silver)
        job = LabelJob(by=labels.by, settings=labels.settings)
        job.check()

        def work(**frame: Any) -> Counts:
            label_pairs(job, [source], kept, **frame)
            return label_counts(read_pairs(kept))

        return Stage(name, [source], [kept], {"by": labels.by, "settings": labels.settings}, work, costly=True)

    def _votes(self, name: str, what: str, source: str, outputs: List[str]) -> Stage:
        answers, labels = self.answers(what), self.plan.labels

        def work(**frame: Any) -> Counts:
            records = list(read_pairs(source))
            if not Path(answers).is_file():
                message = Errors.P728.format(
                    pairs=_many(len(records)), file=source, raters=labels.raters, answers=answers
                )
                raise Waiting(message)
            done = decide(records, read_votes(answers), labels.raters, labels.agreeing)
            if done.waiting and labels.wait:
                count = _many(len(done.waiting))
                raise Waiting(Errors.P729.format(count=count, file=source, raters=labels.raters, answers=answers))
            write(outputs, [done.kept, done.rest])
            return {**vote_counts(done), "unvoted": len(done.waiting), "unknown": done.unknown}

        settings = {"by": PEOPLE, "raters": labels.raters, "agreeing": labels.agreeing, "wait": labels.wait}
        return Stage(name, [source, answers], outputs, settings, work)

    def _balance(self) -> Stage:
        plan = self.plan
        outputs = [self.path(name) for name in ("balanced", "auxiliary", "dropped")]
        settings = {"paraphrases": plan.paraphrases, "seed": plan.seed, "back": plan.back is not None}

        def work(**frame: Any) -> Counts:
            labelled = [list(read_pairs(path)) for path in self.labelled()]
            swaps, back = labelled[0], labelled[1] if len(labelled) > 1 else []
            done = balance(swaps, back)
            if plan.back is None:
                # There is nothing to be balanced with: as with PAWS-QQP, the swaps are the set.
                done = Balanced(done.auxiliary, [], done.dropped)
            drawn = thin_out(done.pairs, plan.paraphrases, plan.seed)
            dropped = [note(one.record, one.reason) for one in done.dropped]
            left = {pair.id for pair in drawn}
            dropped += [note(pair, "not_drawn") for pair in done.pairs if pair.id not in left]
            write(outputs, [drawn, done.auxiliary, dropped])
            return {**done.counts(), "not_drawn": len(done.pairs) - len(drawn), "drawn": len(drawn)}

        return Stage("balance", self.labelled(), outputs, settings, work)

    def _kinds(self) -> Stage:
        output = str(self.root / "steps" / "kinds.json")
        lang = self.plan.lang

        def work(**frame: Any) -> Counts:
            counts: Dict[str, Any] = {}
            for path, title in zip(self.labelled(), ("swaps", "back translations")):
                records = list(read_pairs(path))
                asked = any(recorded_kinds(record) is None for record in records)
                nlp = load_pipeline(lang=lang, exclude=["parser"]) if asked and installed_pipeline(lang) else None
                counts[title] = kind_counts(find_kinds(records, nlp))
            write_text(output, json.dumps(counts, ensure_ascii=False, indent=1) + "\n")
            return counts

        return Stage("kinds", self.labelled(), [output], {"lang": lang}, work)


def note(record: PairRecord, reason: str) -> PairRecord:
    """A pair that is left out, with the reason."""
    return replace(record, evidence={**record.evidence, "dropped": reason})


def write(paths: Sequence[str], parts: Sequence[List[PairRecord]]) -> int:
    """Write records to files. RETURNS (int): How many there are."""
    for path, records in zip(paths, parts):
        with RecordWriter(path) as writer:
            for record in records:
                writer.write(record)
    return sum(map(len, parts))


def _many(count: int) -> str:
    return f"{count:,} pair{'' if count == 1 else 's'}"


def last(counts: Dict[str, Optional[Counts]], *names: str) -> Counts:
    """The counts of some stages in one."""
    found: Counts = {}
    for name in names:
        found.update(counts.get(name) or {})
    return found
