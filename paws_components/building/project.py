"""A project: its plan, its stages one after the other, and the data set at the end."""

import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from .. import __version__
from ..curation.balancing import REASONS, RECOMBINED
from ..curation.card import DEFAULT, write_data_set
from ..curation.sheet import Counts, part_counts
from ..curation.splitting import TRAIN, flip_sides, sentence_keys, split_by_source, without_shared
from ..errors import Errors, PawsError
from ..readers import read_pairs
from ..records import PairRecord, PathLike
from ..writers import move_into_place
from .ledger import Ledger
from .plan import PEOPLE, PLAN, SILVER, Generation, Plan, read_plan
from .stages import BACK, SWAPS, Stage, Steps, last, note, write

DATA_SET = "dataset"
Tell = Callable[[str], None]
# What of the plan the splits or the card depend on.
TOLD = set("name lang source license seed splits formats texts swaps back labels apart_from".split())
# Why pairs are dropped after balancing.
LATER = {
    "rejected": "swaps that were rejected in correction",
    "undecided": "swaps that nobody decided about in correction",
    "low_agreement": "pairs on which too few agree, or that have too few votes (written apart)",
    "not_drawn": "non-paraphrases that were not drawn, for the share of paraphrases that is wanted",
    "apart_from": "share a sentence with a corpus that `apart_from` names",
    "identical_outside_train": "pairs of identical sentences in dev or test",
    "auxiliary_leak": "swaps without a back translation that share a sentence or a source with dev or test",
}


class Project:
    """A folder with a `build.yml` that becomes a data set.

    folder (Union[str, Path]): The folder.
    """

    def __init__(self, folder: PathLike) -> None:
        self.root = Path(folder)
        self.plan: Plan = read_plan(folder)
        self.ledger = Ledger(self.root)
        self.steps = Steps(self.plan, self.root)

    @property
    def data_set(self) -> Path:
        """The folder of the data set."""
        return self.root / DATA_SET

    def build(self, tell: Tell = print, *, fresh: bool = False, **frame: Any) -> Counts:
        """Do what is not done yet.

        tell (Callable[[str], None]): Told of each stage.
        fresh (bool): Whether what takes long is done again where its settings or inputs changed.
        **frame: For the engine: `quiet`, `gpu_id`, `max_errors`, `cache`.
        RETURNS (Counts): The counts of the data set.
        """
        for stage in self.stages():
            self._do(stage, tell, fresh, frame)
        counts: Counts = self.ledger.stages["write"]["counts"]
        return counts

    def stages(self) -> List[Stage]:
        """All stages, in order."""
        plan = self.plan
        steps = self.steps.stages()
        inputs = [self.steps.path(name) for name in ("balanced", "auxiliary")]
        rests = [path for stage in steps for path in stage.outputs if path.endswith("_rest.jsonl")]
        settings = plan.model_dump(include=TOLD)
        apart = [plan.found(name) for name in plan.apart_from]
        # The sheet tells what all stages came to.
        told = [path for stage in steps for path in stage.outputs if path not in (*inputs, *rests)]
        outputs = [str(self.data_set), self.steps.path("left_out")]
        end = Stage("write", [*inputs, *rests, *apart, *told], outputs, settings, self._write)
        return [*steps, end]

    def _do(self, stage: Stage, tell: Tell, fresh: bool, frame: Dict[str, Any]) -> None:
        ledger, name = self.ledger, stage.name
        inputs = ledger.describe(stage.inputs)
        self._check_outputs(stage, fresh)
        if ledger.is_done(name):
            other = ledger.differences(name, stage.settings, inputs)
            if not other and not ledger.lost_outputs(name) and not ledger.changed_outputs(name):
                tell(f"{name}: done before ({_told(ledger.stages[name]['counts'])})")
                return
            if other and stage.costly and not fresh:
                folder = str(self.root)
                raise PawsError(Errors.P730.format(stage=name, differences="\n".join(other), folder=folder))
            tell(f"{name}: again, since" + ("\n" + "\n".join(other) if other else " its files are gone or changed"))
        for path in stage.outputs:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        # Rows of another run would be gone on from; the engine asks for `fresh` where that is so.
        ledger.begin(name)
        counts = stage.work(fresh=fresh, **frame)
        ledger.end(name, stage.settings, inputs, stage.outputs, counts)
        tell(f"{name}: {_told(counts)}")

    def _check_outputs(self, stage: Stage, fresh: bool) -> None:
        """Nothing that somebody else wrote, or changed, is replaced."""
        ledger = self.ledger
        if stage.name not in ledger.stages:
            there = [path for path in stage.outputs if os.path.exists(path)]
            if there:
                raise PawsError(Errors.P725.format(path=there[0]))
        elif ledger.is_done(stage.name) and not fresh:
            changed = ledger.changed_outputs(stage.name)
            if changed:
                raise PawsError(Errors.P731.format(path=changed[0], folder=str(self.root)))

    def _write(self, **frame: Any) -> Counts:
        """The splits, the card and the counts, as a folder that appears whole."""
        plan, steps = self.plan, self.steps
        pairs, aside = (list(read_pairs(steps.path(name))) for name in ("balanced", "auxiliary"))
        left: List[PairRecord] = []

        def without(found: List[PairRecord], kept: List[PairRecord], why: str) -> List[PairRecord]:
            ids = {id(pair) for pair in kept}
            left.extend(note(pair, why) for pair in found if id(pair) not in ids)
            return kept

        if plan.apart_from:
            taken = [pair for name in plan.apart_from for pair in read_pairs(plan.found(name))]
            pairs = without(pairs, without_shared(pairs, taken), "apart_from")
            aside = without(aside, without_shared(aside, taken), "apart_from")
        if not pairs:
            raise PawsError(Errors.P732.format(counts=_told(self._counts("balance"))))
        cut = split_by_source(pairs, plan.splits, plan.seed)
        for name, part in cut.parts.items():
            if not part:
                raise PawsError(Errors.P152.format(name=name))
        left += [note(pair, "identical_outside_train") for pair in cut.identical]
        held = [pair for name, part in cut.parts.items() if name != TRAIN for pair in part]
        aside = without(aside, _apart(aside, [*held, *cut.identical]), "auxiliary_leak")
        rest = [pair for what in (SWAPS, BACK) for pair in self._rest(what)]
        low = [pair for pair in rest if pair.label is not None]
        left += [note(pair, "low_agreement") for pair in rest if pair.label is None]
        parts: Dict[str, Dict[str, List[PairRecord]]] = {
            DEFAULT: {name: flip_sides(part, plan.seed) for name, part in cut.parts.items()}
        }
        for name, found in (("auxiliary", aside), ("low_agreement", low)):
            if found:
                parts[name] = {TRAIN: flip_sides(found, plan.seed)}
        lost = Counter(str(pair.evidence["dropped"]) for pair in left)
        lost["low_agreement"] = len(rest)
        counts = self._sheet(parts, lost)
        counts["account"] = self._account(parts, left, low)
        write([steps.path("left_out")], [left])
        self._place(parts, counts)
        return counts

    def _account(
        self, parts: Dict[str, Dict[str, List[PairRecord]]], left: List[PairRecord], low: List[PairRecord]
    ) -> Counts:
        """Of the pairs that somebody or a rule labelled: how many there were, came out and were dropped."""
        given = [pair for path in self.steps.labelled() for pair in read_pairs(path)]
        out = [pair for splits in parts.values() for found in splits.values() for pair in found]
        dropped = [*read_pairs(self.steps.path("dropped")), *left]
        return {
            "labels_in": _direct([*given, *low]),
            "labels_out": _direct(out),
            "labels_dropped": _direct(dropped),
        }

    def _place(self, parts: Dict[str, Dict[str, List[PairRecord]]], counts: Counts) -> None:
        beside = self.root / ".build" / "output" / DATA_SET
        shutil.rmtree(beside.parent, ignore_errors=True)
        try:
            beside.mkdir(parents=True)
            write_data_set(parts, beside, self._about(), counts, self.plan.formats)
            move_into_place(beside, self.data_set)
        except OSError as error:
            raise PawsError(Errors.P021.format(path=str(self.data_set), reason=error)) from error
        finally:
            shutil.rmtree(beside.parent, ignore_errors=True)

    def _rest(self, what: str) -> List[PairRecord]:
        path = Path(self.steps.path(f"{what}_rest"))
        is_asked = what == SWAPS or self.plan.back is not None
        return list(read_pairs(path)) if self.plan.people and is_asked and path.is_file() else []

    def _counts(self, *stages: str) -> Counts:
        return last({name: entry.get("counts") for name, entry in self.ledger.stages.items()}, *stages)

    def _sheet(self, parts: Dict[str, Dict[str, List[PairRecord]]], lost: Counter) -> Counts:
        """The counts of all stages together."""
        plan = self.plan
        balanced = self._counts("balance")
        if plan.people and plan.labels.correct:
            lost["rejected"], lost["undecided"] = (self._counts("correct")[name] for name in ("rejected", "undecided"))
        lost["not_drawn"] = balanced["not_drawn"]
        dropped = {why: balanced.get(f"dropped_{why}", 0) for why in REASONS}
        titles = {**REASONS, **LATER}
        empty: Counts = {"pairs": 0, "paraphrases": 0, "tokens": 0, "identical": 0}
        sizes = {
            name: {split: part_counts(found, plan.lang) for split, found in splits.items()}
            for name, splits in parts.items()
        }
        back = self._counts("back", "label_back") if plan.back is not None else None
        return {
            "name": plan.name,
            "swaps": self._counts(
                "swaps", *(["correct"] if plan.people and plan.labels.correct else []), "label_swaps"
            ),
            "back": back,
            "balance": balanced,
            "splits": sizes[DEFAULT],
            "auxiliary": sizes.get("auxiliary", {}).get("train", empty),
            "low_agreement": sizes.get("low_agreement", {}).get("train", empty),
            "dropped": {titles[why]: count for why, count in {**dropped, **lost}.items() if count},
            "reasons": {why: count for why, count in {**dropped, **lost}.items() if count},
            "kinds": self._counts("kinds") if plan.kinds else {},
        }

    def _about(self) -> Dict[str, Any]:
        plan = self.plan
        generators = {"Word swapping": _describe(plan.swaps)}
        if plan.back is not None:
            generators["Back translation"] = _describe(plan.back)
        return {
            "name": plan.name,
            "lang": plan.lang,
            "license": plan.license,
            "source": plan.source or ", ".join(Path(text).name for text in plan.texts),
            "seed": plan.seed,
            "version": __version__,
            "labels": _labels_told(plan),
            "generators": generators,
        }


def _apart(aside: List[PairRecord], held: List[PairRecord]) -> List[PairRecord]:
    """The pairs that share neither a sentence nor a source with what is held out."""
    keys, sources = sentence_keys(held), {pair.source_id for pair in held}
    return [pair for pair in aside if pair.source_id not in sources and not sentence_keys([pair]) & keys]


def _direct(pairs: List[PairRecord]) -> int:
    """How many pairs have a label of their own, rather than one that follows from others'."""
    return sum(pair.label is not None and pair.generator != RECOMBINED for pair in pairs)


def _describe(one: Generation) -> str:
    if one.file:
        return f"pairs of {Path(one.file).name}"
    settings = ", ".join(f"{key}={value}" for key, value in one.settings.items())
    return f"`{one.generator}`" + (f" ({settings})" if settings else "")


def _labels_told(plan: Plan) -> str:
    by = plan.labels.by
    if by == SILVER:
        return (
            "silver: word swaps are taken for no paraphrases, back translations for paraphrases; nobody looked at them"
        )
    if by == PEOPLE:
        return (
            f"{plan.labels.raters} people judged each pair, and at least {plan.labels.agreeing} of them agree; the "
            "labels of recombined pairs follow from theirs"
        )
    return f"silver: by the model `{Path(by).name}`"


def _told(counts: Counts) -> str:
    """The counts of a stage in a line."""
    flat = {name: value for name, value in counts.items() if isinstance(value, int) and not isinstance(value, bool)}
    told = [f"{name.replace('_', ' ')} {value:,}" for name, value in flat.items() if value]
    if "splits" in counts:
        told = [f"{name} {part['pairs']:,}" for name, part in counts["splits"].items()]
        told += [f"auxiliary {counts['auxiliary']['pairs']:,}"] if counts["auxiliary"]["pairs"] else []
    return ", ".join(told) or "nothing to count"


def build(folder: PathLike, tell: Optional[Tell] = None, **options: Any) -> Counts:
    """Build the data set of a project: see `Project.build`."""
    return Project(folder).build(tell or print, **options)


__all__ = ["PLAN", "Project", "build"]
