"""The effect of the policies on every table, with the roles that the service uses."""

from contextlib import closing

import psycopg2
import pytest
from psycopg2.errors import InsufficientPrivilege

from tests.databases import APP_ROLE, admin_connection, database_url
from tests.sample_tenant import insert_row, make_sample_tenant, rows_of


@pytest.fixture(params=[APP_ROLE, "comanda_owner"])
def bound(request, database):
    """A transaction of a role that the policies apply to, which includes the owner."""
    connection = psycopg2.connect(database_url(request.param, database))
    with connection.cursor() as cursor:
        yield cursor
    connection.close()


@pytest.fixture(scope="module")
def theirs(app, database):
    """Another tenant's rows: at least one in every tenant-owned table. No test changes them."""
    with app.app_context():
        tenant_id = make_sample_tenant("Other").tenant_id
    with closing(admin_connection(database)) as connection, connection.cursor() as cursor:
        rows = rows_of(cursor, tenant_id)
    assert all(rows.values()), [table for table, found in rows.items() if not found]
    return tenant_id, rows


def become(cursor, tenant_id):
    cursor.execute("SELECT app.set_tenant(%s)", (tenant_id,))


def test_another_tenants_rows_cannot_be_seen_changed_or_deleted(bound, restaurant, theirs):
    tenant_id, rows = theirs
    become(bound, restaurant.tenant_id)
    for table in rows:
        bound.execute(f"SELECT count(*) FROM {table} WHERE tenant_id = %s", (tenant_id,))
        assert bound.fetchone() == (0,), table
        bound.execute(
            f"SELECT count(*) FROM {table} WHERE tenant_id <> %s", (restaurant.tenant_id,)
        )
        assert bound.fetchone() == (0,), table
        bound.execute(
            f"UPDATE {table} SET tenant_id = tenant_id WHERE tenant_id = %s", (tenant_id,)
        )
        assert bound.rowcount == 0, table
        bound.execute(f"DELETE FROM {table} WHERE tenant_id = %s", (tenant_id,))
        assert bound.rowcount == 0, table


def test_a_row_cannot_be_written_for_another_tenant(bound, restaurant, theirs):
    for table, rows in theirs[1].items():
        become(bound, restaurant.tenant_id)
        with pytest.raises(InsufficientPrivilege):
            insert_row(bound, table, rows[0])
        bound.connection.rollback()


def test_a_row_of_ones_own_cannot_be_handed_to_another_tenant(bound, theirs):
    tenant_id, rows = theirs
    for table in rows:
        become(bound, tenant_id)
        with pytest.raises(InsufficientPrivilege):
            bound.execute(f"UPDATE {table} SET tenant_id = tenant_id + 1")
        bound.connection.rollback()


def test_without_a_tenant_there_is_nothing(bound, theirs):
    for table, rows in theirs[1].items():
        bound.execute(f"SELECT count(*) FROM {table}")
        assert bound.fetchone() == (0,), table
        with pytest.raises(InsufficientPrivilege):
            insert_row(bound, table, rows[0])
        bound.connection.rollback()


def test_ones_own_rows_are_there(bound, theirs):
    tenant_id, rows = theirs
    become(bound, tenant_id)
    for table, found in rows.items():
        bound.execute(f"SELECT count(*) FROM {table}")
        assert bound.fetchone() == (len(found),), table


def test_the_tenant_ends_with_its_transaction(bound, restaurant):
    for end in (bound.connection.commit, bound.connection.rollback):
        become(bound, restaurant.tenant_id)
        bound.execute("SELECT count(*) FROM members")
        assert bound.fetchone() == (1,)
        end()
        bound.execute("SELECT count(*) FROM members")
        assert bound.fetchone() == (0,)
        bound.connection.rollback()


@pytest.mark.parametrize("trick", ["ROW SECURITY", "ROLE", "POLICY", "TABLE"])
def test_the_app_cannot_lift_the_policies(database, restaurant, trick):
    statements = {
        "ROW SECURITY": "SET row_security = off; SELECT * FROM members",
        "ROLE": "SET ROLE comanda_owner",
        "POLICY": "DROP POLICY tenant ON members",
        "TABLE": "ALTER TABLE members DISABLE ROW LEVEL SECURITY",
    }
    connection = psycopg2.connect(database_url(APP_ROLE, database))
    with connection.cursor() as cursor, pytest.raises(InsufficientPrivilege):
        cursor.execute(statements[trick])
    connection.close()
