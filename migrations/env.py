"""Migrations run as the role that owns the schema, one transaction for each."""

from alembic import context
from flask import current_app
from sqlalchemy import create_engine, pool

from core.db import Base

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


run()
