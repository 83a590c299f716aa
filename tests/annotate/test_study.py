"""Studies on disk: made, opened, refused, and the same on PostgreSQL."""

import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from paws_components.annotate.loading import add_task
from paws_components.annotate.schema import VERSION_TABLE, metadata
from paws_components.annotate.study import open_study
from paws_components.errors import PawsError

from .conftest import People
from .test_queue import test_an_item_that_nobody_answers_goes_back_to_the_pool as goes_back
from .test_queue import test_each_item_goes_to_that_many_raters_and_to_nobody_twice as goes_to_that_many
from .test_queue import test_raters_at_once_never_share_a_slot as never_share
from .test_queue import test_undo_brings_the_last_answer_back_once as undone


def test_the_migrations_make_the_tables_that_we_use(study):
    with study.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_an_answer_is_on_the_disk_before_it_is_acknowledged(study):
    with study.reading() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2  # FULL
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1


def test_what_is_no_study_is_left_as_it_is(tmp_path):
    for name, content in (("text.db", b"not a database, and long enough to look at\n" * 9), ("other.db", None)):
        path = tmp_path / name
        if content is None:
            with sqlite3.connect(path) as other:
                other.execute("create table notes (id integer)")
            other.close()
        else:
            path.write_bytes(content)
        before = path.read_bytes()
        for create in (False, True):
            with pytest.raises(PawsError, match="P803|P804"):
                open_study(str(path), create=create)
        assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(PawsError, match="P804"):
        open_study(str(tmp_path / "none.db"))
    assert not (tmp_path / "none.db").exists()
    for where in (str(tmp_path), str(tmp_path / "no" / "folder.db")):
        with pytest.raises(PawsError, match="P803"):
            open_study(where, create=True)


def test_a_study_of_a_newer_version_is_left_as_it_is(study, tmp_path):
    with study.engine.begin() as connection:
        connection.execute(text(f"update {VERSION_TABLE} set version_num = '9999'"))
    study.close()
    with pytest.raises(PawsError, match="P805.*9999"):
        open_study(str(tmp_path / "study.db"))


def test_urls_and_their_passwords(capsys):
    for url in (
        "mysql://u:secret@h/d",
        "postgresql://u:secret@127.0.0.1:1/none?connect_timeout=1",
        "sec ret://x:secret@",
    ):
        with pytest.raises(PawsError) as raised:
            open_study(url, create=True)
        assert "secret" not in str(raised.value)


@pytest.fixture(scope="module")
def postgres():
    """The URL of a PostgreSQL server that is ours alone."""
    pytest.importorskip("psycopg")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        pytest.skip("PostgreSQL is not there: apt-get install postgresql")
    # The server does not run as root, and pytest's own folders are for nobody else.
    folder = Path(tempfile.mkdtemp(prefix="paws-postgres-"))
    data = folder / "data"
    data.mkdir()
    as_user = []
    if os.geteuid() == 0:
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        folder.chmod(0o755)
        shutil.chown(data, "postgres", "postgres")
    make = [*as_user, programs[-1] / "initdb", "-D", data, "-A", "trust", "-U", "paws", "-N"]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["listen_addresses=127.0.0.1", f"port={port}", f"unix_socket_directories={data}"]
    command = [*as_user, programs[-1] / "postgres", "-D", data]
    server = subprocess.Popen([*command, *(part for one in options for part in ("-c", one))], stderr=subprocess.DEVNULL)
    ready = [programs[-1] / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
    while subprocess.run(ready).returncode:
        assert server.poll() is None
        time.sleep(0.05)
    yield f"postgresql://paws@127.0.0.1:{port}/postgres"
    server.terminate()
    server.wait()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("promise", [goes_to_that_many, goes_back, undone, never_share])
def test_postgres_keeps_the_same_promises(postgres, promise, tmp_path):
    study = open_study(postgres, create=True)
    try:
        # A study lives beside other tables.
        with study.engine.begin() as connection:
            connection.execute(text("create table if not exists notes (id integer)"))
        people = People(study, tmp_path)
        promise(people, study, *([6] if promise is never_share else []))
        with study.reading() as connection:
            context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
            assert [one for one in compare_metadata(context, metadata) if one[0] != "remove_table"] == []
    finally:
        with study.engine.begin() as connection:
            metadata.drop_all(connection)
            connection.execute(text(f"drop table {VERSION_TABLE}"))
        study.close()


def test_a_task_that_fails_leaves_nothing_behind(study, tmp_path):
    from sqlalchemy import func, select

    from paws_components.annotate import schema

    people = People(study, tmp_path)
    path = people.pairs(3)
    with pytest.raises(PawsError):
        add_task(study, "grade", [path])
    with study.reading() as connection:
        assert connection.execute(select(func.count()).select_from(schema.tasks)).scalar() == 0
