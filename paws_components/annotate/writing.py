"""The writing task: checks are kept, submissions are paid, and a writer's account has a limit."""

from typing import Any, Dict, List, NamedTuple, Optional

from sqlalchemy import Connection, func, insert, select

from .checking import Check
from .queue import DONE, OPEN, Lost, find_turn, lock_rater, settle
from .schema import assignments, checks, raters, tasks
from .study import now, scalar_or


class TooMany(Exception):
    """A sentence was checked as often as the task allows."""


def earned(connection: Connection, task: int, rater: int) -> float:
    """What a writer has earned in a task, in dollars."""
    mine = (assignments.c.task_id == task) & (assignments.c.rater_id == rater) & (assignments.c.state == DONE)
    return round(scalar_or(connection, select(func.sum(assignments.c.dollars)).where(mine), 0.0), 2)


def is_over(connection: Connection, task: Any, rater: int) -> bool:
    """Whether a writer has earned all that one may: then the task ends for them (Figure 1)."""
    return task.kind == "write" and earned(connection, task.id, rater) >= task.settings["cap"]


def worth(settings: Dict[str, Any], check: Check) -> float:
    """What a check promises, in dollars rounded to cents."""
    return float(round(check.reward * settings["dollars"], 2))


def list_checks(connection: Connection, assignment: int) -> List[Any]:
    """What a writer had checked of one sentence, the last first."""
    query = select(checks).where(checks.c.assignment_id == assignment).order_by(checks.c.id.desc())
    return list(connection.execute(query))


def known_check(connection: Connection, assignment: int, text: str) -> Optional[Any]:
    """The check of a text, if this very text was checked."""
    query = select(checks).where(checks.c.assignment_id == assignment, checks.c.text == text)
    return connection.execute(query.order_by(checks.c.id.desc()).limit(1)).first()


def may_check(connection: Connection, task: Any, assignment: int) -> None:
    """Raise `TooMany` where a sentence was checked often enough."""
    count = select(func.count()).select_from(checks).where(checks.c.assignment_id == assignment)
    if scalar_or(connection, count, 0) >= task.settings["checks"]:
        raise TooMany


def keep_check(connection: Connection, task: Any, rater: int, ticket: str, text: str, check: Check) -> None:
    """Write a check down, whatever it says: it is an attempt at the task."""
    found = find_turn(connection, task.id, rater, ticket)
    if found is None or found.state != OPEN:
        raise Lost
    may_check(connection, task, found.id)
    names = ("similarity", "similarity_settings", "threshold", "nli")
    moment = now()
    values = {
        "assignment_id": found.id,
        "at": moment,
        "seconds": max(0.0, moment - found.shown),
        "text": text,
        **check._asdict(),
        "dollars": worth(task.settings, check),
        "judge": {name: task.settings[name] for name in names},
    }
    connection.execute(insert(checks).values(**values))


def submit(connection: Connection, task: Any, rater: int, ticket: str, text: str) -> Optional[float]:
    """Take a paraphrase that was checked, and pay for it: no more than the writer's limit leaves.

    RETURNS (Optional[float]): What it earned; None if it was submitted before.
    """
    lock_rater(connection, rater)
    found = find_turn(connection, task.id, rater, ticket)
    if found is None:
        raise Lost
    check = known_check(connection, found.id, text)
    if check is None:
        raise Lost
    left = max(0.0, task.settings["cap"] - earned(connection, task.id, rater))
    dollars = round(min(check.dollars, left), 2)
    new = settle(connection, found, {"text": text, "check": check.id}, dollars)
    return dollars if new else None


class Account(NamedTuple):
    """A writer's account in a task."""

    writer: str
    task: str
    submissions: int
    checks: int
    dollars: float
    cap: float


def accounts(connection: Connection) -> List[Account]:
    """What every writer has earned, by task and name."""
    paid = (
        select(
            assignments.c.task_id,
            assignments.c.rater_id,
            func.count().label("submissions"),
            func.sum(assignments.c.dollars).label("dollars"),
        )
        .where(assignments.c.state == DONE, assignments.c.slot.is_not(None))
        .group_by(assignments.c.task_id, assignments.c.rater_id)
        .subquery()
    )
    tried = (
        select(assignments.c.task_id, assignments.c.rater_id, func.count().label("checks"))
        .join(checks, checks.c.assignment_id == assignments.c.id)
        .group_by(assignments.c.task_id, assignments.c.rater_id)
        .subquery()
    )
    query = (
        select(raters.c.name.label("writer"), tasks, tried.c.checks, paid.c.submissions, paid.c.dollars)
        .select_from(tried)
        .join(raters, raters.c.id == tried.c.rater_id)
        .join(tasks, tasks.c.id == tried.c.task_id)
        .outerjoin(paid, (paid.c.task_id == tried.c.task_id) & (paid.c.rater_id == tried.c.rater_id))
        .where(tasks.c.kind == "write")
        .order_by(tasks.c.id, raters.c.name)
    )
    return [
        Account(
            row.writer, row.name, row.submissions or 0, row.checks, round(row.dollars or 0.0, 2), row.settings["cap"]
        )
        for row in connection.execute(query)
    ]
