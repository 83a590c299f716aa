"""The tasks of a study, looked up."""

from typing import Any, List

from sqlalchemy import Connection, select

from ..errors import Errors, PawsError
from . import schema


def find_task(connection: Connection, name: str) -> Any:
    """A task by its name."""
    found = connection.execute(select(schema.tasks).where(schema.tasks.c.name == name)).first()
    if found is None:
        known = [row.name for row in connection.execute(select(schema.tasks.c.name).order_by(schema.tasks.c.id))]
        raise PawsError(Errors.P809.format(name=name, known=", ".join(known) or "none"))
    return found


def list_tasks(connection: Connection) -> List[Any]:
    """All tasks, in the order that they were made in."""
    return list(connection.execute(select(schema.tasks).order_by(schema.tasks.c.id)))
