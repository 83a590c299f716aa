"""A study: the database that holds its tasks, items, raters and answers. SQLite by its path, PostgreSQL by its URL."""

import sqlite3
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, TypeVar

from ..errors import Errors, PawsError
from .needed import need_packages

need_packages()

from sqlalchemy import Connection, Engine, create_engine, event, inspect  # noqa: E402
from sqlalchemy.engine import URL, make_url  # noqa: E402
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError  # noqa: E402

from .schema import PREFIX, VERSION_TABLE  # noqa: E402

MIGRATIONS = Path(__file__).parent / "migrations"
# What says in the header of an SQLite file that it is a study: "PAWS".
APPLICATION = 0x50415753
# How long one writer waits for another, in seconds.
PATIENCE = 30.0
# How often a transaction that met another one is tried: PostgreSQL ends one of two that wait for each other.
TRIES = 20
Result = TypeVar("Result")


class Study:
    """A study that is open.

    engine (Engine): Its database.
    where (str): What it is called in messages, without a password.
    """

    def __init__(self, engine: Engine, where: str) -> None:
        self.engine = engine
        self.where = where
        self.is_sqlite = engine.dialect.name == "sqlite"
        # SQLite has one writer at a time: those of this process queue up here, in turn, instead of polling the file.
        self._turn = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for queries."""
        with self.engine.connect() as connection:
            yield connection

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """Do some work in one transaction. When this returns, it is on the disk.

        work (Callable): Is called again if another transaction came between.
        RETURNS (Any): What the work returns.
        """
        for attempt in range(TRIES):
            try:
                if not self.is_sqlite:
                    with self.engine.begin() as connection:
                        return work(connection)
                with self._turn, self.engine.connect().execution_options(paws_begin="IMMEDIATE") as connection:
                    with connection.begin():
                        return work(connection)
            except (IntegrityError, OperationalError) as error:
                if attempt == TRIES - 1 or not _came_between(error):
                    raise
                time.sleep(0.005 * (attempt + 1))
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        self.engine.dispose()


def _came_between(error: DBAPIError) -> bool:
    """Whether a transaction failed because of another one: a lock, a deadlock, a slot that was just taken."""
    return isinstance(error, IntegrityError) or getattr(error.orig, "sqlstate", None) in ("40001", "40P01", "55P03")


def open_study(where: str, *, create: bool = False) -> Study:
    """Open a study; its schema is brought up to date.

    where (str): The path of an SQLite file, or the URL of a PostgreSQL database.
    create (bool): Whether to make it where there is none.
    RETURNS (Study): The study.
    """
    url = _url(where)
    told = url.render_as_string(hide_password=True) if "://" in where else where
    if url.get_backend_name() == "sqlite":
        _check_file(Path(url.database or ""), create)
    try:
        engine = create_engine(url, **_options(url))
        if url.get_backend_name() == "sqlite":
            event.listen(engine, "connect", _prepare)
            event.listen(engine, "begin", _begin)
        _bring_up_to_date(engine, told, create)
    except ModuleNotFoundError as error:
        raise PawsError(Errors.P802.format(package=error.name)) from error
    except SQLAlchemyError as error:
        raise PawsError(Errors.P803.format(path=told, reason=_reason(error))) from error
    return Study(engine, told)


def is_study(where: str) -> bool:
    """Whether a name is that of a study, as far as that can be told without opening it."""
    if "://" in where:
        return True
    path = Path(where)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _url(where: str) -> URL:
    if "://" not in where:
        return URL.create("sqlite", database=where)
    try:
        url = make_url(where)
    except SQLAlchemyError:
        # Its text would hold the password.
        raise PawsError(Errors.P801.format(kind="what can't be read as a URL")) from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise PawsError(Errors.P801.format(kind=url.get_backend_name()))
    return url


def _options(url: URL) -> dict:
    if url.get_backend_name() == "sqlite":
        return {"connect_args": {"timeout": PATIENCE, "check_same_thread": False}, "pool_size": 20, "max_overflow": 40}
    return {"pool_size": 20, "max_overflow": 40, "pool_pre_ping": True}


def _check_file(path: Path, create: bool) -> None:
    """A file that is there must be SQLite's; one that is not is made only when that is asked for."""
    if path.is_dir():
        raise PawsError(Errors.P803.format(path=str(path), reason="it is a folder"))
    if path.exists() and path.stat().st_size:
        # The header is read without SQLite, which would leave traces in other people's files.
        with path.open("rb") as file:
            header = file.read(72)
        if not header.startswith(b"SQLite format 3\0"):
            raise PawsError(Errors.P803.format(path=str(path), reason="it is not an SQLite database"))
        if header[68:72] != APPLICATION.to_bytes(4, "big"):
            raise PawsError(Errors.P803.format(path=str(path), reason="it is another program's database"))
        return
    if not create:
        raise PawsError(Errors.P804.format(path=str(path)))
    if not path.resolve().parent.is_dir():
        raise PawsError(Errors.P803.format(path=str(path), reason="there is no such folder"))
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
    except sqlite3.Error as error:
        raise PawsError(Errors.P803.format(path=str(path), reason=error)) from error


def _prepare(connection: sqlite3.Connection, _: Any) -> None:
    # We begin transactions ourselves: Python's own way begins them late, when a reader has become a writer.
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('paws_begin', 'DEFERRED')}")


def _bring_up_to_date(engine: Engine, told: str, create: bool) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    options = {"paws_begin": "IMMEDIATE"} if engine.dialect.name == "sqlite" else {}
    with engine.connect().execution_options(**options) as connection, connection.begin():
        names = inspect(connection).get_table_names()
        there = VERSION_TABLE in names
        if not there and (not create or any(name.startswith(PREFIX) for name in names)):
            raise PawsError(Errors.P804.format(path=told))
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        found = context.get_current_revision()
        if found is not None and found not in {script.revision for script in scripts.walk_revisions()}:
            raise PawsError(Errors.P805.format(path=told, found=found))
        if found != scripts.get_current_head():
            config.attributes.update(connection=connection, version_table=VERSION_TABLE)
            command.upgrade(config, "head")


def _reason(error: SQLAlchemyError) -> str:
    """What the database says, without the statement and its values."""
    return " ".join(str(getattr(error, "orig", None) or error).split())


def now() -> float:
    """The time, in seconds since 1970."""
    return time.time()


def scalar_or(connection: Connection, statement: Any, other: Optional[Any] = None) -> Any:
    """The one value of a query, or something else where there is none."""
    found = connection.execute(statement).scalar()
    return other if found is None else found


def insert_one(connection: Connection, table: Any, values: dict) -> int:
    """Insert a row. RETURNS (int): Its id."""
    key = connection.execute(table.insert().values(**values)).inserted_primary_key
    assert key is not None  # every table of ours has one
    return int(key[0])
