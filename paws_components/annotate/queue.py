"""Who gets which item: items are lent for a while, answered once, and taken back when nobody answers.

Each function is one transaction's work: it takes a connection, and either all of it happens or nothing.
"""

import secrets
from dataclasses import dataclass
from typing import Any, Dict, Optional, Set, Tuple

from sqlalchemy import Connection, and_, exists, func, insert, select, update

from .schema import assignments, items, raters, undone
from .study import insert_one, now, scalar_or

# BARRED is who may not have an item: a translator does not check what they wrote themselves.
OPEN, DONE, EXPIRED, SKIPPED, BARRED = "open", "done", "expired", "skipped", "barred"


@dataclass(frozen=True)
class Turn:
    """An item before a rater.

    ticket (str): What their form carries to say which item it answers.
    stage (str): The kind of the task, or "check" for a translation that is checked.
    content (Dict[str, Any]): What the item holds.
    flipped (bool): Whether the second sentence is shown first.
    draft (Optional[Dict[str, Any]]): The answer that was taken back, if one was.
    """

    id: int
    ticket: str
    item_id: int
    stage: str
    content: Dict[str, Any]
    flipped: bool
    shown: float
    draft: Optional[Dict[str, Any]] = None


class Lost(Exception):
    """An answer came too late: others have the item's slots."""


def lend(connection: Connection, task: Any, rater: int) -> Optional[Turn]:
    """The item that a rater gets: the one they have, or the next; None if there is none for them.

    connection (Connection): In a transaction that writes.
    task (Row): The task.
    rater (int): The rater's id.
    RETURNS (Optional[Turn]): The item, lent to them from now.
    """
    lock_rater(connection, rater)
    moment = now()
    expires = moment + 60 * task.settings["lease"]
    mine = and_(assignments.c.task_id == task.id, assignments.c.rater_id == rater)
    held = connection.execute(
        select(assignments).where(mine, assignments.c.state == OPEN).order_by(assignments.c.id).limit(1)
    ).first()
    if held is not None:
        change = update(assignments).where(assignments.c.id == held.id, assignments.c.state == OPEN)
        connection.execute(change.values(expires=expires))
        return turn_of(connection, held.ticket)
    take_back(connection, task.id, moment)
    # One's own item that went back to the pool comes again, if a slot is free.
    for left in connection.execute(select(assignments).where(mine, assignments.c.state == EXPIRED)).all():
        if _lend_again(connection, left, moment, expires):
            return turn_of(connection, left.ticket)
    item = _next_item(connection, task, rater)
    if item is None:
        return None
    ticket = secrets.token_urlsafe(18)
    values = {
        "ticket": ticket,
        "task_id": task.id,
        "item_id": item.id,
        "rater_id": rater,
        "slot": _take_slot(connection, item.id, item.needed),
        "state": OPEN,
        "flipped": bool(secrets.randbits(1)) and "pair" in item.content,
        "shown": moment,
        "expires": expires,
    }
    connection.execute(insert(assignments).values(**values))
    return turn_of(connection, ticket)


def take_back(connection: Connection, task: int, moment: float) -> None:
    """Items that nobody answered in time go back to the pool."""
    late = and_(assignments.c.task_id == task, assignments.c.state == OPEN, assignments.c.expires < moment)
    for row in connection.execute(select(assignments.c.id, assignments.c.item_id).where(late)).all():
        _release(connection, row.id, row.item_id, EXPIRED)


def _release(connection: Connection, assignment: int, item: int, state: str) -> None:
    change = update(assignments).where(assignments.c.id == assignment, assignments.c.state == OPEN)
    if connection.execute(change.values(state=state, slot=None)).rowcount:
        connection.execute(update(items).where(items.c.id == item).values(taken=items.c.taken - 1))


def _lend_again(connection: Connection, left: Any, moment: float, expires: float) -> bool:
    item = connection.execute(select(items).where(items.c.id == left.item_id).with_for_update()).one()
    if item.taken >= item.needed:
        return False
    values = {"state": OPEN, "slot": _take_slot(connection, item.id, item.needed), "shown": moment, "expires": expires}
    connection.execute(update(assignments).where(assignments.c.id == left.id).values(**values))
    return True


def _take_slot(connection: Connection, item: int, needed: int) -> int:
    """The first free slot of an item that is locked. Two that take one at once are told apart by the constraint."""
    query = select(assignments.c.slot).where(assignments.c.item_id == item, assignments.c.slot.is_not(None))
    used: Set[int] = set(connection.execute(query).scalars())
    connection.execute(update(items).where(items.c.id == item).values(taken=items.c.taken + 1))
    return next(slot for slot in range(needed) if slot not in used)


def free_for(task: int, rater: int) -> Any:
    """The condition that an item has a slot, and that a rater has not had it."""
    seen = exists().where(assignments.c.item_id == items.c.id, assignments.c.rater_id == rater)
    return and_(items.c.task_id == task, items.c.taken < items.c.needed, ~seen)


def _next_item(connection: Connection, task: Any, rater: int) -> Optional[Any]:
    condition = free_for(task.id, rater)
    if task.kind == "write":
        # The source corpus by coin flip, whatever the corpora's sizes.
        sources = connection.execute(select(items.c.source).where(condition).distinct()).scalars().all()
        if not sources:
            return None
        condition = and_(condition, items.c.source == secrets.choice(sorted(sources)))
    query = select(items).where(condition).order_by(items.c.position, items.c.id).limit(1)
    found = connection.execute(query.with_for_update(of=items, skip_locked=True)).first()
    # All that are free may be locked by others just now: then it is worth waiting for one.
    return found or connection.execute(query.with_for_update(of=items)).first()


def turn_of(connection: Connection, ticket: str) -> Turn:
    """An item as it lies before a rater."""
    query = (
        select(assignments, items.c.stage, items.c.content)
        .join(items, items.c.id == assignments.c.item_id)
        .where(assignments.c.ticket == ticket)
    )
    row = connection.execute(query).one()
    return Turn(row.id, row.ticket, row.item_id, row.stage, row.content, row.flipped, row.shown, row.answer)


def find_turn(connection: Connection, task: int, rater: int, ticket: str) -> Optional[Any]:
    """The assignment that a form speaks of; None unless it is this rater's and this task's."""
    query = select(assignments).where(
        assignments.c.ticket == ticket, assignments.c.rater_id == rater, assignments.c.task_id == task
    )
    return connection.execute(query.with_for_update()).first()


def settle(connection: Connection, found: Any, answer: Dict[str, Any], dollars: Optional[float] = None) -> bool:
    """Write an answer down.

    found (Row): The assignment, from `find_turn`.
    answer (Dict[str, Any]): The answer.
    dollars (Optional[float]): What it earns.
    RETURNS (bool): Whether it is new: a form that is sent twice counts once. Raises `Lost` if it came too late.
    """
    moment = now()
    if found.state == DONE:
        return False
    if found.state in (SKIPPED, BARRED) or (
        found.state == EXPIRED and not _lend_again(connection, found, moment, moment)
    ):
        raise Lost
    values = {
        "state": DONE,
        "answered": moment,
        "seconds": max(0.0, moment - found.shown),
        "answer": answer,
        "dollars": dollars,
    }
    connection.execute(update(assignments).where(assignments.c.id == found.id).values(**values))
    return True


def skip(connection: Connection, found: Any) -> None:
    """Give an item back for good: somebody else gets it, and this rater never again."""
    if found.state == OPEN:
        _release(connection, found.id, found.item_id, SKIPPED)


def last_answer(connection: Connection, task: int, rater: int) -> Optional[Any]:
    """The answer that a rater could take back: their last, once; None if there is none."""
    mine = and_(assignments.c.task_id == task, assignments.c.rater_id == rater)
    again = select(assignments.c.id).where(mine, assignments.c.state == OPEN, assignments.c.answer.is_not(None))
    if connection.execute(again.limit(1)).first() is not None:
        return None
    query = select(assignments).where(mine, assignments.c.state == DONE).order_by(assignments.c.answered.desc())
    found = connection.execute(query.limit(1)).first()
    if found is None or _is_being_checked(connection, found.item_id):
        return None
    return found


def _is_being_checked(connection: Connection, item: int) -> bool:
    query = select(items.c.taken).where(items.c.key == check_key(item), items.c.stage == "check")
    return bool(scalar_or(connection, query, 0))


def check_key(item: int) -> str:
    """The key of the item that checks the translation of another one."""
    return f"check of {item}"


def undo(connection: Connection, task: Any, rater: int) -> bool:
    """Take the last answer back: the item lies before the rater again, with what they had answered."""
    found = last_answer(connection, task.id, rater)
    if found is None:
        return False
    moment = now()
    values = {"assignment_id": found.id, "answered": found.answered, "at": moment}
    connection.execute(insert(undone).values(**values, answer=found.answer, dollars=found.dollars))
    change = update(assignments).where(assignments.c.id == found.id, assignments.c.state == DONE)
    expires = moment + 60 * task.settings["lease"]
    connection.execute(
        change.values(state=OPEN, answered=None, seconds=None, dollars=None, shown=moment, expires=expires)
    )
    drop_check(connection, found.item_id)
    return True


def add_check(connection: Connection, task: Any, found: Any, text: str) -> None:
    """A translation that somebody else checks; the translator has seen it already."""
    content = connection.execute(select(items.c.content).where(items.c.id == found.item_id)).scalar_one()
    last = scalar_or(connection, select(func.max(items.c.position)).where(items.c.task_id == task.id), 0)
    values = {
        "task_id": task.id,
        "key": check_key(found.item_id),
        "position": last + 1,
        "source": "",
        "stage": "check",
        "content": {**content, "translation": text, "of": found.item_id},
        "needed": 1,
        "taken": 0,
    }
    item = insert_one(connection, items, values)
    connection.execute(
        insert(assignments).values(
            ticket=secrets.token_urlsafe(18),
            task_id=task.id,
            item_id=item,
            rater_id=found.rater_id,
            state=BARRED,
            flipped=False,
            shown=now(),
            expires=now(),
        )
    )


def drop_check(connection: Connection, item: int) -> None:
    """The check of a translation that was taken back, which nobody has begun."""
    check = connection.execute(select(items.c.id).where(items.c.key == check_key(item), items.c.taken == 0)).scalar()
    if check is not None:
        before = select(assignments.c.id).where(assignments.c.item_id == check)
        connection.execute(undone.delete().where(undone.c.assignment_id.in_(before)))
        connection.execute(assignments.delete().where(assignments.c.item_id == check))
        connection.execute(items.delete().where(items.c.id == check))


def lock_rater(connection: Connection, rater: int) -> None:
    """One thing at a time for a rater: two windows get the same item, and what is earned is added up before more is."""
    connection.execute(select(raters.c.id).where(raters.c.id == rater).with_for_update(key_share=True))


def totals(connection: Connection, task: int) -> Tuple[int, int]:
    """How many answers of people a task has, and how many it will have."""
    total = scalar_or(connection, select(func.sum(items.c.needed)).where(items.c.task_id == task), 0)
    return scalar_or(connection, _counted(task), 0), total


def own_answers(connection: Connection, task: int, rater: int) -> int:
    """How many answers of a task are a rater's."""
    return int(scalar_or(connection, _counted(task).where(assignments.c.rater_id == rater), 0))


def _counted(task: int) -> Any:
    done = and_(assignments.c.task_id == task, assignments.c.state == DONE, assignments.c.slot.is_not(None))
    return select(func.count()).select_from(assignments).where(done)
