"""Every SQL function of the schema `app` has one file with its live text, and the other way round.

The file is `<package>/**/sql/<function>.sql` in the domain that owns the function, or
`core/sql/functions/<function>.sql`. A migration installs a frozen copy of it.

How they are compared: each file is run on the migrated database, in a transaction that is rolled
back, and `pg_get_functiondef` must return the same text before and after. So PostgreSQL itself
brings the header (arguments, result, language, options) into one form; the body is compared byte
for byte. White space around the statement and the comments before it do not count.
"""

from contextlib import closing
from pathlib import Path

import psycopg2
import pytest

from tests.architecture.layers import LAYERS
from tests.conftest import ROOT
from tests.databases import admin_connection

DEFINITIONS = """
SELECT p.oid::regprocedure::text, p.proname, pg_get_functiondef(p.oid)
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
 WHERE n.nspname = 'app'
"""
FILES = sorted(
    path.relative_to(ROOT)
    for layer in LAYERS
    for package in layer
    for path in (ROOT / package).rglob("*.sql")
)


@pytest.fixture
def cursor(database):
    """As the superuser, who may replace the owner's functions; nothing is kept."""
    with closing(admin_connection(database)) as connection:
        connection.autocommit = False
        yield connection.cursor()
        connection.rollback()


def definitions(cursor) -> dict[str, str]:
    cursor.execute(DEFINITIONS)
    return {signature: text for signature, _, text in cursor.fetchall()}


def function_names(cursor) -> list[str]:
    cursor.execute(DEFINITIONS)
    return sorted(name for _, name, _ in cursor.fetchall())


def changed_functions(cursor, statement: str) -> list[str]:
    """The functions that a file adds or changes."""
    before = definitions(cursor)
    try:
        cursor.execute(statement)
    except psycopg2.Error as error:
        return [str(error)]
    after = definitions(cursor)
    return sorted(name for name in before | after if before.get(name) != after.get(name))


def test_every_function_has_a_file_and_every_file_a_function(cursor):
    assert function_names(cursor) == sorted(path.stem for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_live_function_is_the_one_in_its_file(cursor, path: Path):
    statement = (ROOT / path).read_text()
    assert statement.count(f"CREATE OR REPLACE FUNCTION app.{path.stem}(") == 1
    assert statement.count("CREATE OR REPLACE") == 1
    assert changed_functions(cursor, statement) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_file_is_in_a_folder_for_functions(path: Path):
    assert path.parent.name == "sql" or path.parent == Path("core/sql/functions")


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("EXIT WHEN FOUND;", "EXIT  WHEN FOUND;"),
        ("p_due timestamptz)", "p_due timestamptz, p_more text)"),
        ("p_due timestamptz)", "p_later timestamptz)"),
        ("LANGUAGE plpgsql", "LANGUAGE plpgsql SECURITY DEFINER"),
    ],
    ids=["body", "another argument", "renamed argument", "option"],
)
def test_a_difference_is_found(cursor, was, becomes):
    statement = (ROOT / "core/queue/sql/mark_lane.sql").read_text()
    assert was in statement
    assert changed_functions(cursor, statement.replace(was, becomes))
