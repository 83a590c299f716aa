"""Models beside the people: they answer every item of a task, take nobody's place, and are never counted as human."""

import secrets
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from sqlalchemy import Connection, and_, exists, insert, select

from ..errors import Errors, PawsError
from ..evaluation.targets import load_target, says_paraphrase
from ..nli.mutual import MutualJudge
from ..settings import validate
from .kinds import KINDS
from .queue import DONE
from .raters import model_rater
from .schema import assignments, items, raters
from .study import Study, now

# The model that is asked whether each sentence entails the other.
MI = "mi"
# How many pairs go through a model at once.
BATCH = 256
Pairs = Sequence[Tuple[str, str]]


def make_model(name: str, settings: Optional[Dict[str, Any]] = None) -> Callable[[Pairs], List[int]]:
    """What labels pairs: 1 for a paraphrase, 0 for none.

    name (str): "mi", or a target as `paws evaluate` takes it.
    settings (Optional[Dict[str, Any]]): Of mutual implication `model` and others; of a target `positive_label`, ….
    RETURNS (Callable): From pairs to labels.
    """
    given = dict(settings or {})
    if name == MI:
        judge = MutualJudge(**validate("model of mutual implication", MutualJudge, given))
        return lambda pairs: [int(found.verdict) for found in judge(pairs)]
    target = load_target(name, **validate(f"model {name!r}", load_target, given, 1))
    return lambda pairs: [int(says_paraphrase(cats[target.positive_label])) for cats in target.cats(pairs)]


def rate_with_model(
    study: Study, task: Any, name: str, *, rater: Optional[str] = None, settings: Optional[Dict[str, Any]] = None
) -> int:
    """Have a model answer all items of a task that it has not answered yet.

    study (Study): The study.
    task (Row): A task of the kind "judge" or "grade".
    name (str), settings (Optional[Dict[str, Any]]): The model: see `make_model`.
    rater (Optional[str]): What it is called among the raters; None for its name.
    RETURNS (int): How many it answered. What is done is kept when it stops.
    """
    if not KINDS[task.kind].sides:
        raise PawsError(Errors.P819.format(name=task.name, kind=task.kind))
    model = make_model(name, settings)
    done = 0
    while True:
        with study.reading() as connection:
            found = _unanswered(connection, task.id, rater or name)
        if not found:
            return done
        labels = model([tuple(row.content["pair"]) for row in found])
        done += study.write(partial(_keep, task=task.id, name=rater or name, found=found, labels=labels))


def _unanswered(connection: Connection, task: int, name: str) -> List[Any]:
    by_model = exists().where(
        and_(assignments.c.item_id == items.c.id, assignments.c.rater_id == raters.c.id, raters.c.name == name)
    )
    query = select(items.c.id, items.c.content).where(items.c.task_id == task, ~by_model)
    return list(connection.execute(query.order_by(items.c.position).limit(BATCH)))


def _keep(connection: Connection, task: int, name: str, found: List[Any], labels: List[int]) -> int:
    rater, _ = model_rater(connection, name)
    moment = now()
    rows = [
        {
            "ticket": secrets.token_urlsafe(18),
            "task_id": task,
            "item_id": row.id,
            "rater_id": rater,
            "slot": None,
            "state": DONE,
            "flipped": False,
            "shown": moment,
            "expires": moment,
            "answered": moment,
            "seconds": None,
            "answer": {"label": label},
        }
        for row, label in zip(found, labels)
    ]
    connection.execute(insert(assignments), rows)
    return len(rows)
