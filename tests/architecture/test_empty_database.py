"""Every test module starts with an empty database: only the rows that migrations insert."""

from contextlib import closing

from tests.databases import (
    FEW_TENANTS,
    TABLES_NOT_EMPTIED,
    TABLES_TO_EMPTY,
    admin_connection,
    empty_tables,
)
from tests.factories import make_business
from tests.restaurant.bistro import open_bistro


def rows(cursor, table):
    cursor.execute(f"SELECT count(*) FROM {table}")
    return cursor.fetchone()[0]


def test_nothing_of_earlier_businesses_is_left_and_what_was_planted_is(app, database):
    for _ in range(FEW_TENANTS):
        make_business("Lokanta Mavi")
    open_bistro(make_business("Kumru Atölye")).order()
    with closing(admin_connection(database)) as connection, connection.cursor() as cursor:
        planted = {table: rows(cursor, table) for table in TABLES_NOT_EMPTIED}
        cursor.execute(TABLES_TO_EMPTY, [list(TABLES_NOT_EMPTIED)])
        tables = [table for (table,) in cursor]
        assert sum(rows(cursor, table) > 0 for table in tables) > 20
        empty_tables()
        assert {table for table in tables if rows(cursor, table)} == set()
        assert {table: rows(cursor, table) for table in TABLES_NOT_EMPTIED} == planted
        assert planted["plans"]
        assert planted["rates"]
