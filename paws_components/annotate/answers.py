"""The answers of a study as they stand now, for figures and for files."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Optional

from sqlalchemy import Connection, select

from ..curation.votes import Vote, majority
from .queue import DONE
from .raters import MODEL
from .schema import assignments, items, raters


@dataclass(frozen=True)
class Given:
    """An answer, with its item and whoever gave it.

    item (int), key (str): The item; the key has the id of the record.
    stage (str): The kind of the task, or "check".
    rater (str), is_model (bool): Who answered.
    answer (Dict[str, Any]): What.
    """

    item: int
    key: str
    stage: str
    content: Dict[str, Any]
    rater: str
    is_model: bool
    answer: Dict[str, Any]
    answered: float
    seconds: Optional[float]
    flipped: bool

    @property
    def record_id(self) -> str:
        return str(self.content["record"]["id"])


def list_answers(connection: Connection, task: int) -> List[Given]:
    """All answers of a task, item by item in their order, each item's in the order that they came in."""
    query = (
        select(assignments, items.c.key, items.c.stage, items.c.content, raters.c.name, raters.c.kind)
        .join(items, items.c.id == assignments.c.item_id)
        .join(raters, raters.c.id == assignments.c.rater_id)
        .where(assignments.c.task_id == task, assignments.c.state == DONE)
        .order_by(items.c.position, items.c.id, assignments.c.answered, assignments.c.id)
    )
    return [
        Given(
            row.item_id,
            row.key,
            row.stage,
            row.content,
            row.name,
            row.kind == MODEL,
            row.answer,
            row.answered,
            row.seconds,
            row.flipped,
        )
        for row in connection.execute(query)
    ]


def label_votes(answers: Iterable[Given]) -> List[Vote]:
    """The answers to "do the two mean the same?" as votes."""
    return [Vote(one.key, one.rater, one.answer["label"], one.is_model) for one in answers if "label" in one.answer]


def grammar_votes(answers: Iterable[Given]) -> List[Vote]:
    """The grades as votes, one for each sentence: the item is the pair's key and the number of the sentence."""
    return [
        Vote(f"{one.key}#{side}", one.rater, grade, one.is_model)
        for one in answers
        for side, grade in enumerate(one.answer.get("grammar", ()), 1)
    ]


def action_votes(answers: Iterable[Given]) -> List[Vote]:
    """Accept, fix and reject as votes: 0, 1 and 2."""
    actions = ("accept", "fix", "reject")
    return [
        Vote(one.key, one.rater, actions.index(one.answer["action"]), one.is_model)
        for one in answers
        if one.answer.get("action") in actions and one.stage != "check"
    ]


@dataclass
class Row:
    """A row of the paper's Table 2: the original examples, or the modified ones.

    right (Counter), judged (Counter): By label: pairs whose majority is the label, and pairs with a majority.
    """

    right: Counter
    judged: Counter
    grades: List[int]

    def accuracy(self, labels: Iterable[int] = (0, 1)) -> Optional[float]:
        labels = list(labels)
        count = sum(self.judged[label] for label in labels)
        return sum(self.right[label] for label in labels) / count if count else None

    @property
    def grammar(self) -> Optional[float]:
        return sum(self.grades) / len(self.grades) if self.grades else None


def table_two(answers: Iterable[Given]) -> Dict[str, Row]:
    """Accuracy by majority and mean grammaticality of original and modified examples (the paper on shared words).

    answers (Iterable[Given]): Those of a task of the kind "grade"; what models say is left out.
    RETURNS (Dict[str, Row]): "original" and "modified".
    """
    rows = {name: Row(Counter(), Counter(), []) for name in ("original", "modified")}
    by_item: Dict[int, List[Given]] = defaultdict(list)
    for one in answers:
        if not one.is_model and one.content.get("version") in rows:
            by_item[one.item].append(one)
    for given in by_item.values():
        row = rows[given[0].content["version"]]
        label, verdict = given[0].content["record"]["label"], majority(one.answer["label"] for one in given)
        row.grades.extend(grade for one in given for grade in one.answer["grammar"])
        if verdict is not None:
            row.judged[label] += 1
            row.right[label] += verdict == label
    return rows
