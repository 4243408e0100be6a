"""One head, every migration is reversible, and the models match the migrated schema."""

import re
from contextlib import closing

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import Flask
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from core.db import Base
from tests.conftest import ROOT
from tests.databases import APP_ROLE, OWNER_ROLE, admin_connection, database_url

SCHEMA = """
SELECT 'table', c.relname, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
       || ' ' || a.attnotnull FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL SELECT 'policy', tablename, policyname || qual FROM pg_policies
UNION ALL SELECT 'grant', table_name, grantee || privilege_type
  FROM information_schema.table_privileges WHERE table_schema = 'public'
UNION ALL SELECT 'constraint', conrelid::regclass::text, pg_get_constraintdef(oid)
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT 'function', proname, prosrc FROM pg_proc
  WHERE pronamespace::regnamespace::text IN ('public', 'app')
"""


@pytest.fixture
def alembic_config():
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    return config


@pytest.fixture
def scratch(settings, worker_number):
    """An empty database, and an app that migrates it."""
    name = f"comanda_scratch_{worker_number}"
    with closing(admin_connection()) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        cursor.execute(f"CREATE DATABASE {name} OWNER {OWNER_ROLE}")
    app = Flask("scratch")
    app.extensions["comanda"] = settings.model_copy(
        update={
            "database_url": database_url(APP_ROLE, name),
            "migration_database_url": engine_of(name).url.render_as_string(hide_password=False),
        }
    )
    with app.app_context():
        yield engine_of(name)
    with closing(admin_connection()) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def engine_of(database):
    url = database_url(OWNER_ROLE, database).replace("postgresql:", "postgresql+psycopg2:")
    return create_engine(url, poolclass=NullPool)


def schema(engine):
    with engine.connect() as connection:
        return {tuple(row) for row in connection.execute(text(SCHEMA))}


def test_there_is_one_head(alembic_config):
    assert len(ScriptDirectory.from_config(alembic_config).get_heads()) == 1


def test_migrations_are_numbered_without_a_gap(alembic_config):
    steps = [s.revision for s in ScriptDirectory.from_config(alembic_config).walk_revisions()]
    assert sorted(steps) == [f"{number:04}" for number in range(1, len(steps) + 1)]


def test_every_migration_can_be_taken_back_and_made_again(alembic_config, scratch):
    steps = list(ScriptDirectory.from_config(alembic_config).walk_revisions())
    seen = {}
    for step in reversed(steps):
        command.upgrade(alembic_config, step.revision)
        seen[step.revision] = schema(scratch)
    for step in steps:
        assert schema(scratch) == seen[step.revision], step.revision
        command.downgrade(alembic_config, step.down_revision or "base")
    left = {row for row in schema(scratch) if not row[1].startswith("alembic_version")}
    assert not left
    command.upgrade(alembic_config, "head")
    assert schema(scratch) == seen[steps[0].revision]


def ours(thing, name, kind, _reflected, _compared):
    """Ignore what the models do not contain: Alembic's table, partitions, foreign keys."""
    table = name if kind == "table" else getattr(getattr(thing, "table", None), "name", "")
    partition = re.search(r"_\d{4}_\d{2}(_\d{2})?$", table or "")
    if partition or (kind == "table" and name == "alembic_version"):
        return False
    return kind != "foreign_key_constraint"


def test_the_models_are_the_schema(database):
    with engine_of(database).connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "include_object": ours}
        )
        assert compare_metadata(context, Base.metadata) == []


def test_the_models_know_which_columns_may_be_empty(database):
    with engine_of(database).connect() as connection:
        rows = connection.execute(
            text(
                "SELECT table_name, column_name, is_nullable = 'YES' FROM"
                " information_schema.columns WHERE table_schema = 'public'"
            )
        )
        stored = {(table, column): nullable for table, column, nullable in rows}
    for table in Base.metadata.tables.values():
        for column in table.columns:
            assert stored[table.name, column.name] == column.nullable, column
