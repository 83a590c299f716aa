"""Test sets told apart by a field of their pairs, and the same pairs in several of them joined by a field: in how many
languages is a pair judged right? (Table 6 of PAWS-X, Yang et al. 2019.)"""

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..errors import Errors, PawsError
from ..records import PairRecord
from .judging import Answers, TestSet

# What the pairs that are joined by a field are called where a table asks for a test set, and its measures.
JOINED = "join:{field}"
MEASURE = "right_in_{bin}"


def field_of(record: PairRecord, field: str) -> Optional[str]:
    """The value of a record's field, or of its evidence, as text; None if there is none."""
    value: Any = getattr(record, field, None) if field != "evidence" else None
    value = record.evidence.get(field) if value in (None, "") else value
    return None if value is None or value == "" else str(value)


def split_by(test_set: TestSet, field: str) -> List[TestSet]:
    """A test set for each value of a field, called NAME:VALUE, in the order in which the values come.

    test_set (TestSet): The test set.
    field (str): A field of the records or of their evidence, such as "lang".
    RETURNS (List[TestSet]): The test sets. What could not be read counts with the first.
    """
    found: Dict[str, List[PairRecord]] = {}
    for record in test_set.records:
        value = field_of(record, field)
        if value is None:
            raise PawsError(Errors.P362.format(path=test_set.path, field=field, id=record.id))
        found.setdefault(value, []).append(record)
    parts = [TestSet(f"{test_set.name}:{value}", test_set.path, records) for value, records in found.items()]
    for name, count in test_set.left_out.items():
        setattr(parts[0], name, count)
    return parts


class Agreement(NamedTuple):
    """In how many test sets a model is right about the same pair.

    model (str): The model.
    field (str): What the pairs are joined by.
    sets (List[str]): The test sets.
    counts (List[int]): How many pairs are right in 0, 1, … of them; of those that are in all of them.
    incomplete (int): How many pairs are in some of the sets alone. They are not among the others.
    nowhere (List[List[PairRecord]]): The pairs that are wrong everywhere, each as the sets have it.
    """

    model: str
    field: str
    sets: List[str]
    counts: List[int]
    incomplete: int
    nowhere: List[List[PairRecord]]

    @property
    def pairs(self) -> int:
        return sum(self.counts)

    @property
    def bins(self) -> Dict[str, int]:
        """The counts as the paper has them: of seven sets 0, 1-2, 3-4, 5-6 and 7."""
        return {name: sum(self.counts[first : last + 1]) for name, first, last in make_bins(len(self.sets))}

    def to_dict(self) -> Dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {
            "model": self.model,
            "joined_by": self.field,
            "test_sets": self.sets,
            "pairs": self.pairs,
            "not_in_all": self.incomplete,
            "right_in": self.bins,
            "wrong_everywhere": [
                {"key": field_of(group[0], self.field), "label": group[0].label}
                | {name: [one.sentence1, one.sentence2] for name, one in zip(self.sets, group)}
                for group in self.nowhere
            ],
        }


def make_bins(count: int) -> List[Tuple[str, int, int]]:
    """None, all, and what lies between by twos: each bin's name with its first and last number."""
    bins = [("0", 0, 0)]
    for first in range(1, count, 2):
        last = min(first + 1, count - 1)
        bins.append((str(first) if first == last else f"{first}-{last}", first, last))
    return [*bins, (str(count), count, count)]


def agreements(answers: Iterable[Answers], field: str) -> List[Agreement]:
    """Join each model's answers to several test sets.

    answers (Iterable[Answers]): The answers.
    field (str): A field of the records or of their evidence that the same pair has in every set, such as "id".
    RETURNS (List[Agreement]): One for each model.
    """
    by_model: Dict[str, List[Answers]] = {}
    for each in answers:
        by_model.setdefault(each.model, []).append(each)
    return [_join(model, group, field) for model, group in by_model.items()]


def check_join(test_sets: Sequence[TestSet], field: str) -> None:
    """Our error, before a model is asked, for test sets that can't be joined by a field."""
    if len(test_sets) < 2:
        raise PawsError(Errors.P363.format(field=field))
    keyed = [_by_key(one, field) for one in test_sets]
    if not set(keyed[0]).intersection(*keyed[1:]):
        names = ", ".join(one.name for one in test_sets)
        raise PawsError(Errors.P364.format(field=field, names=names))


def _by_key(test_set: TestSet, field: str) -> Dict[str, int]:
    """The place of each pair in its test set by what it is joined by."""
    places: Dict[str, int] = {}
    for i, record in enumerate(test_set.records):
        key = field_of(record, field)
        if key is None:
            raise PawsError(Errors.P362.format(path=test_set.path, field=field, id=record.id))
        if key in places:
            raise PawsError(Errors.P365.format(name=test_set.name, field=field, key=key))
        places[key] = i
    return places


def _join(model: str, group: Sequence[Answers], field: str) -> Agreement:
    keyed = [_by_key(each.test_set, field) for each in group]
    right = [each.right for each in group]
    in_all = [key for key in keyed[0] if all(key in places for places in keyed)]
    counts, nowhere = [0] * (len(group) + 1), []
    for key in in_all:
        places = [places[key] for places in keyed]
        good = sum(one[i] for one, i in zip(right, places))
        counts[good] += 1
        if not good:
            nowhere.append([each.test_set.records[i] for each, i in zip(group, places)])
    incomplete = len(set().union(*keyed)) - len(in_all)
    return Agreement(model, field, [each.test_set.name for each in group], counts, incomplete, nowhere)
