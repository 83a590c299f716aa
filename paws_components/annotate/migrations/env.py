"""What Alembic runs: the connection is given by `open_study`."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, version_table=context.config.attributes["version_table"])
with context.begin_transaction():
    context.run_migrations()
