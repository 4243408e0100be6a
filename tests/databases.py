"""The databases of a run: a template, its clones, and empty tables for every module."""

import os
from contextlib import closing, suppress

import psycopg2
from psycopg2 import sql
from psycopg2.errors import LockNotAvailable

from tests.citus.suite import make_distributed_database, make_roles_on_nodes, on_citus

TEMPLATE = "comanda_template"
APP_ROLE, OWNER_ROLE, HOST_ROLE = "comanda_app", "comanda_owner", "comanda_hosts"
# Rows that migrations insert, and Alembic's version.
TABLES_NOT_EMPTIED = (
    "alembic_version",
    "plans",
    "plan_prices",
    "rates",
    "rate_tiers",
    "rate_allowances",
)
FEW_TENANTS = 20
TABLES_TO_EMPTY = """
SELECT quote_ident(relname) FROM pg_class
 WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> ALL (%s)
"""

_emptied: set[str] = set()


def admin_connection(database: str = "postgres") -> "psycopg2.extensions.connection":
    base = os.environ["TEST_ADMIN_URL"].rpartition("/")[0]
    connection = psycopg2.connect(f"{base}/{database}")
    connection.autocommit = True
    return connection


def database_url(role: str, database: str) -> str:
    server = os.environ["TEST_ADMIN_URL"].rpartition("@")[2].partition("/")[0]
    return f"postgresql://{role}:{os.environ['TEST_ROLE_PASSWORD']}@{server}/{database}"


def make_roles() -> None:
    if on_citus():
        make_roles_on_nodes((OWNER_ROLE, APP_ROLE, HOST_ROLE))
        return
    password = sql.Literal(os.environ["TEST_ROLE_PASSWORD"])
    with closing(admin_connection()) as connection, connection.cursor() as cursor:
        for role in (OWNER_ROLE, APP_ROLE, HOST_ROLE):
            cursor.execute(
                sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD {}").format(
                    sql.Identifier(role), password
                )
            )
        cursor.execute(f"CREATE DATABASE {TEMPLATE} OWNER {OWNER_ROLE}")


def clone(name: str, *, emptied: bool = True) -> str:
    """Create this database and the one for its hosts of linked lines."""
    with closing(admin_connection()) as connection, connection.cursor() as cursor:
        for one in (name, f"{name}_linked"):
            cursor.execute(f"DROP DATABASE IF EXISTS {one} WITH (FORCE)")
        if on_citus():
            make_distributed_database(name)
        else:
            cursor.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE} OWNER {OWNER_ROLE}")
        cursor.execute(f"CREATE DATABASE {name}_linked OWNER {HOST_ROLE}")
    if emptied:
        _emptied.add(name)
    return name


def empty_tables() -> None:
    """Delete the businesses of earlier modules: jobs over all of them would take minutes."""
    for name in _emptied:
        with closing(admin_connection(name)) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM tenants")
            if cursor.fetchone()[0] <= FEW_TENANTS:
                continue
            cursor.execute(TABLES_TO_EMPTY, [list(TABLES_NOT_EMPTIED)])
            tables = [table for (table,) in cursor]
            cursor.execute("SET lock_timeout = '5s'")
            # Another connection uses one of them: try again next time.
            with suppress(LockNotAvailable):
                _truncate(cursor, tables)


def _truncate(cursor: "psycopg2.extensions.cursor", tables: list[str]) -> None:
    """Only tables with rows: truncating all 150 takes as long as several tests."""
    filled = "SELECT '{0}' WHERE EXISTS (SELECT FROM {0})"
    cursor.execute(" UNION ALL ".join(filled.format(table) for table in tables))
    # Tables that reference these have no rows, or are among them.
    cursor.execute(f"TRUNCATE {', '.join(table for (table,) in cursor)} CASCADE")
