"""Several models by several test sets: one table as text, Markdown or JSON, and whose errors are whose."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import spacy
from tqdm import tqdm

from ..engine.cache import use_cache
from ..errors import Errors, PawsError
from ..records import PairRecord, PathLike
from ..tables import markdown_table, text_table
from .agreement import JOINED, MEASURE, Agreement, agreements, check_join, field_of
from .judging import Answers, TestSet, gold_label, judge
from .measures import Measure, wilson
from .targets import check_target, load_target

COLUMNS = {
    "accuracy": "accuracy",
    "auc_pr": "AUC-PR",
    "f1": "F1",
    "mcc": "MCC",
    "order_consistency": "same in both orders",
}
# The columns that hold names; all others hold numbers.
NAMES = ("model", "test set", "errors of", "right in")
# How many of the pairs that a model has wrong in every test set are shown; JSON has all of them.
SHOWN = 10


class Overlap(NamedTuple):
    """How many of a model's errors another model gets right, on one test set."""

    test_set: str
    model: str
    errors: int
    other: str
    right: int

    @property
    def share(self) -> float:
        return self.right / self.errors if self.errors else 0.0


class Comparison:
    """The answers of several models to several test sets.

    answers (Sequence[Answers]): The answers; those to one test set are to the same pairs.
    samples (int), seed (int): Of the bootstrap.
    join (Optional[str]): A field by which the same pairs are found in several test sets, such as "id".
    """

    def __init__(
        self, answers: Sequence[Answers], *, samples: int = 1000, seed: int = 0, join: Optional[str] = None
    ) -> None:
        self.answers = list(answers)
        self.agreements: List[Agreement] = agreements(self.answers, join) if join else []
        self.measures: List[Dict[str, Measure]] = [each.measures(samples, seed) for each in self.answers]

    def overlaps(self) -> List[Overlap]:
        """For any two models: of the errors of one, how many has the other right (the PAWS paper's *BERT vs DIIN*)."""
        found = []
        for group in self._by_test_set():
            right = {each.model: each.right for each in group}
            for one, other in permutations(right, 2):
                errors = [i for i, good in enumerate(right[one]) if not good]
                found.append(
                    Overlap(group[0].test_set.name, one, len(errors), other, sum(right[other][i] for i in errors))
                )
        return found

    def examples(self) -> Iterator[PairRecord]:
        """Every pair with what each model said of it under `evidence["answers"]`, test set by test set."""
        for group in self._by_test_set():
            said = [(each, each.labels, each.right) for each in group]
            for i, record in enumerate(group[0].test_set.records):
                answers = {each.model: _answer(each, i, labels[i], right[i]) for each, labels, right in said}
                evidence = {**record.evidence, "test_set": group[0].test_set.name, "answers": answers}
                yield PairRecord.from_dict({**record.to_dict(), "evidence": evidence})

    def to_dict(self) -> Dict[str, Any]:
        """Everything as plain data, for JSON."""
        sets = {each.test_set.name: each.test_set for each in self.answers}
        return {
            "test_sets": [
                {"name": one.name, "path": one.path, "pairs": len(one.records), **one.left_out} for one in sets.values()
            ],
            "results": [
                {
                    "model": each.model,
                    "test_set": each.test_set.name,
                    "pairs": len(each.cats),
                    **{name: measure._asdict() for name, measure in measures.items()},
                }
                for each, measures in zip(self.answers, self.measures)
            ],
            "overlaps": [{**one._asdict(), "share": one.share} for one in self.overlaps()],
            **({"agreements": [one.to_dict() for one in self.agreements]} if self.agreements else {}),
        }

    def show(self, shape: str) -> str:
        """The comparison as "text", "markdown", "json" or "tsv"."""
        if shape == "tsv":
            return self.to_tsv()
        if shape == "json":
            return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)
        return self.to_markdown() if shape == "markdown" else self.to_text()

    def to_text(self) -> str:
        """The tables for a terminal."""
        parts = [text_table(self._rows(), NAMES), "In per cent; in brackets the 95 % interval."]
        if self.overlaps():
            parts.append(text_table(self._overlap_rows(), NAMES))
        parts += [text_table(*table) for table in self._agreement_tables()]
        return "\n\n".join(parts)

    def to_markdown(self) -> str:
        """The tables for a Markdown page."""
        parts = [markdown_table(self._rows(), NAMES), "In per cent; in brackets the 95 % interval."]
        if self.overlaps():
            parts.append(markdown_table(self._overlap_rows(), NAMES))
        parts += [markdown_table(*table) for table in self._agreement_tables()]
        return "\n\n".join(parts)

    def to_tsv(self) -> str:
        """A line for each measure of each model on each test set, in shares of 1."""
        lines: List[Tuple[str, ...]] = [("model", "test_set", "pairs", "measure", *Measure._fields)]
        for each, measures in zip(self.answers, self.measures):
            for name, measure in measures.items():
                values = ("" if value is None else str(value) for value in measure)
                lines.append((each.model, each.test_set.name, str(len(each.cats)), name, *values))
        return "\n".join("\t".join(line) for line in lines)

    def _by_test_set(self) -> Iterator[List[Answers]]:
        groups: Dict[str, List[Answers]] = {}
        for each in self.answers:
            groups.setdefault(each.test_set.name, []).append(each)
        yield from groups.values()

    def _rows(self) -> List[List[str]]:
        used = [name for name in COLUMNS if any(name in measures for measures in self.measures)]
        rows = [["model", "test set", "pairs", *(COLUMNS[name] for name in used)]]
        for each, measures in zip(self.answers, self.measures):
            cells = [measure_cell(measures[name]) for name in used]
            rows.append([each.model, each.test_set.name, f"{len(each.cats):,}", *cells])
        return rows

    def _overlap_rows(self) -> List[List[str]]:
        rows = [["test set", "errors of", "number", "right in", "number", "share"]]
        for one in self.overlaps():
            share = f"{100 * one.share:.0f} %" if one.errors else "–"
            rows.append([one.test_set, one.model, f"{one.errors:,}", one.other, f"{one.right:,}", share])
        return rows

    def _agreement_tables(self) -> Iterator[Tuple[List[List[str]], Optional[List[str]]]]:
        """In how many test sets the same pair is right, and some of those that are wrong in all of them; each table
        with its columns to the left."""
        if self.agreements:
            first = self.agreements[0]
            head = [f"right in … of {len(first.sets)} test sets", *first.bins, f"pairs, by {first.field}", "not in all"]
            yield [head, *map(_agreement_row, self.agreements)], None
        for one in self.agreements:
            if one.nowhere:
                rows = [[f"{one.model}: wrong everywhere", "label", f"sentence1 of {one.sets[0]}", "sentence2"]]
                for record, *_ in one.nowhere[:SHOWN]:
                    key = str(field_of(record, one.field))
                    rows.append([key, str(gold_label(record)), record.sentence1, record.sentence2])
                if len(one.nowhere) > SHOWN:
                    rows.append([f"… and {len(one.nowhere) - SHOWN:,} more", "", "", ""])
                yield rows, rows[0]


def compare(
    models: Mapping[str, Any],
    test_sets: Sequence[TestSet],
    *,
    positive_label: Optional[str] = None,
    both_orders: bool = True,
    samples: int = 1000,
    seed: int = 0,
    gpu_id: int = -1,
    cache: Optional[str] = None,
    quiet: bool = False,
    batch_size: Optional[int] = None,
    n_process: int = 1,
    join: Optional[str] = None,
) -> Comparison:
    """Ask every model about every test set. One model is in memory at a time.

    models (Mapping[str, Any]): What `load_target` takes, by name.
    test_sets (Sequence[TestSet]): The test sets.
    positive_label (Optional[str]), batch_size (Optional[int]), n_process (int): See `load_target`.
    both_orders (bool): See `judge`.
    samples (int), seed (int): Of the bootstrap.
    gpu_id (int): The GPU; -1 for none.
    cache (Optional[str]): The folder that keeps what the models answer; None for none.
    quiet (bool): Whether to show no progress.
    join (Optional[str]): A field by which the same pairs are found in several test sets, such as "id".
    RETURNS (Comparison): The comparison, a model after the other.
    """
    for source in models.values():
        # Before the first is asked: a misspelt last one would cost all that came before.
        check_target(source)
    if join:
        check_join(test_sets, join)
    if gpu_id >= 0:
        try:
            spacy.require_gpu(gpu_id)
        except ValueError as error:
            raise PawsError(Errors.P355.format(gpu=gpu_id, reason=str(error).rstrip("."))) from error
    if cache is not None:
        use_cache(cache)
    total = sum(len(one.records) for one in test_sets) * len(models) * (2 if both_orders else 1)
    answers: List[Answers] = []
    with tqdm(total=total, unit=" pairs", disable=quiet, leave=False) as bar:
        for name, source in models.items():
            bar.set_description(name)
            target = load_target(source, positive_label=positive_label, batch_size=batch_size, n_process=n_process)
            for one in test_sets:
                answers.append(judge(target, one, name, both_orders=both_orders, watch=bar.update))
            del target
    return Comparison(answers, samples=samples, seed=seed, join=join)


def _answer(each: Answers, i: int, label: str, right: bool) -> Dict[str, Any]:
    answer: Dict[str, Any] = {"label": label, "right": right, "score": each.cats[i][each.positive_label]}
    if each.swapped is not None:
        answer["swapped_score"] = each.swapped[i][each.positive_label]
    return answer


def read_results(path: PathLike) -> Dict[Tuple[str, str], Dict[str, Measure]]:
    """The measures in a JSON file of `paws evaluate`, by model and test set.

    path (Union[str, Path]): The file.
    RETURNS (Dict[Tuple[str, str], Dict[str, Measure]]): The measures by their names.
    """
    try:
        return results_of(json.loads(Path(path).read_text(encoding="utf8")))
    except OSError as error:
        raise PawsError(Errors.P020.format(path=str(path), reason=error.strerror or error)) from error
    except (ValueError, KeyError, TypeError) as error:
        reason = "it does not hold results as `paws evaluate -o results.json` writes them"
        raise PawsError(Errors.P020.format(path=str(path), reason=reason)) from error


def results_of(found: Mapping[str, Any]) -> Dict[Tuple[str, str], Dict[str, Measure]]:
    """The measures in what `Comparison.to_dict` gives, by model and test set. Pairs that were joined by a field are a
    test set of their own, `join:id`, with the shares of pairs as measures: `right_in_1-2` and so on."""
    joined = {
        (one["model"], JOINED.format(field=one["joined_by"])): {
            MEASURE.format(bin=name): wilson(count, one["pairs"]) for name, count in one["right_in"].items()
        }
        for one in found.get("agreements", [])
    }
    return joined | {
        (one["model"], one["test_set"]): {
            name: Measure(**value) for name, value in one.items() if isinstance(value, dict)
        }
        for one in found["results"]
    }


def _agreement_row(one: Agreement) -> List[str]:
    shares = [f"{count:,} ({100 * count / one.pairs:.1f} %)" for count in one.bins.values()]
    return [one.model, *shares, f"{one.pairs:,}", f"{one.incomplete:,}"]


def measure_cell(measure: Optional[Measure]) -> str:
    """A measure in per cent with its interval, or a dash where there is none."""
    if measure is None or measure.value is None:
        return "–"
    if measure.low is None or measure.high is None:
        return f"{100 * measure.value:.1f}"
    return f"{100 * measure.value:.1f} [{100 * measure.low:.1f}, {100 * measure.high:.1f}]"
