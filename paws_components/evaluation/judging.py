"""Ask a classifier about pairs, in both orders, and hold its answers against the labels."""

from dataclasses import dataclass
from itertools import islice
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple, Union

from ..errors import Errors, PawsError
from ..readers import Source, open_pairs
from ..records import PairRecord
from .measures import Measure, measure_answers, wilson
from .targets.protocol import Cats, Target

# 1 or 0 for a paraphrase or not, or a judgement of natural language inference.
Gold = Union[int, str]
Watch = Callable[[], Any]


@dataclass
class TestSet:
    """Pairs with a label, under a name.

    unlabelled (int): How many pairs of the file had no label that says yes or no, and were left out.
    unreadable (int): How many rows could not be read.
    no_sentence (int): How many lack a sentence: it is empty, or NS, which stands for one that nobody translated.
    """

    # pytest takes every class of this kind of name for a test.
    __test__ = False

    name: str
    path: str
    records: List[PairRecord]
    unlabelled: int = 0
    unreadable: int = 0
    no_sentence: int = 0

    @property
    def left_out(self) -> Dict[str, int]:
        """What of the file is not among the pairs."""
        return {"unlabelled": self.unlabelled, "unreadable": self.unreadable, "no_sentence": self.no_sentence}


@dataclass
class Answers:
    """What a model said about the pairs of a test set.

    cats (List[Cats]): The scores of each pair's labels.
    swapped (Optional[List[Cats]]): The same with the second sentence first; None if that was not asked.
    positive_label (str): The label that means "paraphrase".
    """

    model: str
    test_set: TestSet
    cats: List[Cats]
    swapped: Optional[List[Cats]]
    positive_label: str

    @property
    def labels(self) -> List[str]:
        """The label the model gives to each pair."""
        return [best_label(cats, self.positive_label) for cats in self.cats]

    @property
    def right(self) -> List[bool]:
        """Which of them are right."""
        pairs = zip(self.test_set.records, self.labels)
        return [is_right(gold_label(record), label, self.positive_label) for record, label in pairs]

    def measures(self, samples: int = 1000, seed: int = 0) -> Dict[str, Measure]:
        """Accuracy, AUC-PR, F1 and MCC, and the share of pairs that get the same answer in both orders."""
        positive = self.positive_label
        gold = [gold_label(record) for record in self.test_set.records]
        labels = self.labels
        found = measure_answers(
            [label in (1, positive) for label in gold],
            [cats[positive] for cats in self.cats],
            [label == positive for label in labels],
            self.right,
            samples=samples,
            seed=seed,
        )
        if self.swapped is not None:
            same = [one == best_label(cats, positive) for one, cats in zip(labels, self.swapped)]
            found["order_consistency"] = wilson(sum(same), len(same))
        return found


def read_test_set(name: str, path: Source, layout: Optional[str] = None, limit: Optional[int] = None) -> TestSet:
    """Read the pairs of a file that have a label, and count the others.

    name (str): What the test set is called.
    path (Source): The source: see `open_pairs`.
    layout (Optional[str]): The name of its layout; None to guess it.
    limit (Optional[int]): How many rows to read; None for all.
    RETURNS (TestSet): The pairs.
    """
    opened = open_pairs(path, layout)
    found = TestSet(name, opened.source, [])
    for row in islice(opened, limit):
        if not row.readable:
            found.unreadable += 1
        elif row.missing is not None:
            found.no_sentence += 1
        elif row.label is None:
            found.unlabelled += 1
        else:
            found.records.append(row.to_record())
    if not found.records:
        raise PawsError(Errors.P353.format(path=found.path, **found.left_out))
    return found


def gold_label(record: PairRecord) -> Optional[Gold]:
    """The label of a record: 1, 0, a judgement of natural language inference, or None."""
    return record.label if record.label is not None else record.nli


def is_right(gold: Optional[Gold], label: str, positive_label: str) -> bool:
    """Whether a label is the right one. A corpus that has 0 and 1 does not say what else the label could be."""
    return (label == positive_label) == bool(gold) if isinstance(gold, int) else label == gold


def best_label(cats: Cats, positive_label: str) -> str:
    """The label with the highest score. In a tie it is another than the positive one: above 0.5 is a paraphrase."""
    return max(cats, key=lambda label: (cats[label], label != positive_label), default="")


def judge(
    target: Target, test_set: TestSet, name: str, *, both_orders: bool = True, watch: Optional[Watch] = None
) -> Answers:
    """Ask a target about every pair of a test set.

    target (Target): See `load_target`; `PipelineTarget(nlp)` for a pipeline that is there already.
    test_set (TestSet): The pairs.
    name (str): What the model is called.
    both_orders (bool): Whether to ask about (b, a) too.
    watch (Optional[Callable[[], Any]]): Called after each pair, in each order.
    RETURNS (Answers): The answers.
    """
    pairs = [(record.sentence1, record.sentence2) for record in test_set.records]
    golds = {gold for gold in map(gold_label, test_set.records) if isinstance(gold, str)}
    cats = list(_ask(target, pairs, name, golds, watch))
    swapped = list(_ask(target, [(b, a) for a, b in pairs], name, golds, watch)) if both_orders else None
    return Answers(name, test_set, cats, swapped, target.positive_label)


def _ask(
    target: Target, pairs: List[Tuple[str, str]], name: str, golds: Set[str], watch: Optional[Watch]
) -> Iterator[Cats]:
    for cats in target.cats(pairs):
        # The first answer tells already.
        if not golds <= set(cats):
            missing = ", ".join(sorted(golds - set(cats)))
            raise PawsError(Errors.P352.format(name=name, known=", ".join(sorted(cats)), missing=missing))
        if watch is not None:
            watch()
        yield cats
