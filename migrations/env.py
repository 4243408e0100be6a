"""Migrations run as the role that owns the schema, in one transaction each."""

from alembic import context
from flask import current_app
from sqlalchemy import Connection, create_engine, pool, text

from core.clock import now
from core.db import Base
from core.sql import partitions

settings = current_app.extensions["comanda"]


def run() -> None:
    url = settings.migration_database_url or settings.database_url
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.connect() as connection:
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            transaction_per_migration=True,
            compare_type=True,
        )
        with context.begin_transaction():
            context.run_migrations()
    with engine.begin() as connection:
        make_partitions(connection)


def make_partitions(connection: Connection) -> None:
    """Create the partitions ahead, so that an upgrade does not depend on the nightly job."""
    known = "SELECT to_regprocedure('app.make_partitions(text, timestamptz, integer)')"
    if connection.scalar(text(known)) is None:
        return
    for table in (*partitions.TABLES, *partitions.DAILY_TABLES):
        partitions.make(connection, table, now())


run()
