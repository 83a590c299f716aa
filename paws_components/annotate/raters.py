"""Who comes in: personal links, sessions, and taking them back. No secret is kept, only its SHA-256."""

import hashlib
import hmac
import secrets
from typing import Any, List, NamedTuple, Optional, Tuple

from sqlalchemy import Connection, and_, delete, insert, select, update

from ..errors import Errors, PawsError
from ..records import normalise
from .kinds import Refused, clean_text
from .schema import raters, sessions
from .study import Study, insert_one, now

PERSON, MODEL = "person", "model"
# 32 random bytes: nobody guesses them.
SECRET_BYTES = 32
# How long somebody stays logged in, in seconds.
SESSION = 30 * 24 * 3600.0


class Rater(NamedTuple):
    """Somebody who is logged in."""

    id: int
    name: str
    admin: bool


def digest(secret: str) -> str:
    """What is kept of a secret. It is random and long, so that a plain hash can't be turned back."""
    return hashlib.sha256(secret.encode("utf8", "surrogatepass")).hexdigest()


def add_rater(study: Study, name: str, *, admin: bool = False) -> str:
    """Add a person.

    study (Study): The study.
    name (str): The name that they are known by in exports.
    admin (bool): Whether they see the admin pages.
    RETURNS (str): The secret of their personal link. It can't be had again, only renewed.
    """
    try:
        name = clean_text(name)
    except Refused:
        name = ""
    if not name or len(name) > 200:
        raise PawsError(Errors.P015.format(name="name", what="a text of up to 200 characters", value=name))
    secret = secrets.token_urlsafe(SECRET_BYTES)

    def work(connection: Connection) -> None:
        if connection.execute(select(raters.c.id).where(raters.c.name == name)).first():
            raise PawsError(Errors.P811.format(name=name))
        values = {"name": name, "kind": PERSON, "admin": admin, "secret": digest(secret), "created": now()}
        connection.execute(insert(raters).values(**values))

    study.write(work)
    return secret


def renew_rater(study: Study, name: str) -> str:
    """Give a person a new link. The old one is void, and so is every session that began with it."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    _change(study, name, secret=digest(secret), revoked=None)
    return secret


def revoke_rater(study: Study, name: str) -> None:
    """Take a person's link back: they are out at once. Their answers stay."""
    _change(study, name, secret=None, revoked=now())


def _change(study: Study, name: str, **values: Any) -> None:
    name = normalise(name)

    def work(connection: Connection) -> None:
        condition = and_(raters.c.name == name, raters.c.kind == PERSON)
        found = connection.execute(select(raters.c.id).where(condition)).scalar()
        if found is None:
            query = select(raters.c.name).where(raters.c.kind == PERSON).order_by(raters.c.id)
            known = ", ".join(connection.execute(query).scalars()) or "none"
            raise PawsError(Errors.P812.format(name=name, known=known))
        connection.execute(delete(sessions).where(sessions.c.rater_id == found))
        connection.execute(update(raters).where(raters.c.id == found).values(**values))

    study.write(work)


def list_raters(connection: Connection) -> List[Any]:
    """All raters, models too, in the order that they came in."""
    return list(connection.execute(select(raters).order_by(raters.c.id)))


def open_session(study: Study, secret: str) -> Optional[str]:
    """Exchange the secret of a personal link for that of a session; None if nobody has it."""
    found = digest(secret)
    with study.reading() as connection:
        query = select(raters.c.id).where(raters.c.secret == found, raters.c.revoked.is_(None))
        if connection.execute(query).first() is None:
            return None
    session = secrets.token_urlsafe(SECRET_BYTES)

    def work(connection: Connection) -> Optional[str]:
        # Asked again: it may have been revoked meanwhile.
        query = select(raters.c.id).where(raters.c.secret == found, raters.c.revoked.is_(None))
        rater = connection.execute(query).scalar()
        if rater is None:
            return None
        connection.execute(delete(sessions).where(sessions.c.expires < now()))
        values = {"secret": digest(session), "rater_id": rater, "expires": now() + SESSION}
        connection.execute(insert(sessions).values(**values))
        connection.execute(update(raters).where(raters.c.id == rater).values(seen=now()))
        return session

    return study.write(work)


def close_session(study: Study, session: str) -> None:
    """End a session: its cookie is worth nothing from now on."""

    def work(connection: Connection) -> None:
        connection.execute(delete(sessions).where(sessions.c.secret == digest(session)))

    study.write(work)


def find_rater(connection: Connection, session: str) -> Optional[Rater]:
    """Who a session belongs to; None if it has ended or its rater was revoked."""
    query = (
        select(raters.c.id, raters.c.name, raters.c.admin)
        .join(sessions, sessions.c.rater_id == raters.c.id)
        .where(sessions.c.secret == digest(session), sessions.c.expires > now(), raters.c.revoked.is_(None))
    )
    row = connection.execute(query).first()
    return None if row is None else Rater(row.id, row.name, row.admin)


def model_rater(connection: Connection, name: str) -> Tuple[int, bool]:
    """The rater that stands for a model, made where there is none; and whether it was made."""
    row = connection.execute(select(raters.c.id, raters.c.kind).where(raters.c.name == name)).first()
    if row is not None and row.kind != MODEL:
        raise PawsError(Errors.P811.format(name=name))
    if row is not None:
        return row.id, False
    values = {"name": name, "kind": MODEL, "admin": False, "created": now()}
    return insert_one(connection, raters, values), True


def form_key(session: str) -> str:
    """What a form carries to show that it came from a page of this session. Another site can't know it."""
    return hmac.new(session.encode("utf8"), b"form", "sha256").hexdigest()


def is_form_key(session: str, given: str) -> bool:
    return hmac.compare_digest(form_key(session).encode("utf8"), given.encode("utf8", "surrogatepass"))
