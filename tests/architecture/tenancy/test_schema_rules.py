"""The migrated schema separates tenants, and the check detects violations."""

import pytest

from migrations.tenancy import MINE
from tests.architecture.tenancy.schema_rules import (
    GLOBAL_TABLES,
    owned_tables,
    role_faults,
    table_faults,
)

OWNED = """CREATE TABLE scratch (tenant_id bigint NOT NULL, id uuid NOT NULL,
           PRIMARY KEY (tenant_id, id)); """
SECURED = """ALTER TABLE scratch ENABLE ROW LEVEL SECURITY;
             ALTER TABLE scratch FORCE ROW LEVEL SECURITY; """
POLICY = f"CREATE POLICY tenant ON scratch USING ({MINE}) WITH CHECK ({MINE}); "
GOOD = OWNED + SECURED + POLICY


@pytest.fixture
def scratch(superuser_connection):
    """A transaction in which tables may be created; it is rolled back."""
    superuser_connection.autocommit = False
    with superuser_connection.cursor() as cursor:
        yield cursor
    superuser_connection.rollback()


def test_every_table_is_global_by_name_or_owned_by_a_tenant(scratch):
    assert not table_faults(scratch)


def test_the_app_owns_nothing_and_cannot_pass_the_policies(scratch):
    assert not role_faults(scratch)


def test_no_global_table_is_named_that_is_not_there(scratch):
    scratch.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    assert set(GLOBAL_TABLES) <= {name for (name,) in scratch.fetchall()}
    assert len(owned_tables(scratch)) >= 7


def test_a_table_made_as_migrations_make_it_is_accepted(scratch):
    scratch.execute(GOOD)
    assert not table_faults(scratch)


@pytest.mark.parametrize(
    ("statements", "fault"),
    [
        (OWNED, "row-level security is not enabled and forced"),
        (OWNED + "ALTER TABLE scratch ENABLE ROW LEVEL SECURITY; " + POLICY, "forced"),
        (OWNED + SECURED, "the one policy"),
        (GOOD + "CREATE POLICY b ON scratch FOR SELECT USING (true)", "the one policy"),
        (OWNED + SECURED + f"CREATE POLICY t ON scratch FOR SELECT USING ({MINE})", "one policy"),
        (
            OWNED + SECURED + f"CREATE POLICY t ON scratch USING ({MINE}) WITH CHECK (true)",
            "the one policy",
        ),
        (
            OWNED
            + SECURED
            + "CREATE POLICY t ON scratch USING (tenant_id IN (SELECT id FROM tenants))",
            "the one policy",
        ),
        ("CREATE TABLE scratch (id uuid PRIMARY KEY)", "does not lead the primary key"),
        ("CREATE TABLE scratch (tenant_id bigint)", "has no primary key"),
        (
            "CREATE TABLE scratch (tenant_id integer, id uuid, PRIMARY KEY (tenant_id, id))",
            "not bigint",
        ),
        (
            "CREATE TABLE scratch (tenant_id bigint, id uuid, PRIMARY KEY (id, tenant_id))",
            "does not lead the primary key",
        ),
        (GOOD + "CREATE UNIQUE INDEX scratch_id ON scratch (id)", "leaves out the tenant"),
        (
            GOOD + "CREATE UNIQUE INDEX scratch_id ON scratch (id) INCLUDE (tenant_id)",
            "leaves out the tenant",
        ),
        (
            GOOD + "ALTER TABLE scratch ADD FOREIGN KEY (tenant_id) REFERENCES tenants",
            "without the tenant on both sides",
        ),
        (
            GOOD
            + "ALTER TABLE scratch ADD FOREIGN KEY (tenant_id, id) REFERENCES members"
            + " ON DELETE SET NULL",
            "on delete",
        ),
        (GOOD + "ALTER TABLE scratch ADD n serial", "a sequence"),
        (GOOD + "GRANT TRUNCATE ON scratch TO comanda_app", "may TRUNCATE"),
        ("CREATE VIEW scratch AS SELECT * FROM members", "not a plain table"),
    ],
)
def test_a_table_that_breaks_the_rules_is_reported(scratch, statements, fault):
    scratch.execute(statements)
    assert any("scratch" in found and fault in found for found in table_faults(scratch))


def test_a_trigger_is_reported(scratch):
    scratch.execute(
        GOOD + "CREATE TRIGGER t BEFORE UPDATE ON scratch FOR EACH ROW"
        " EXECUTE FUNCTION suppress_redundant_updates_trigger()"
    )
    assert any("has a trigger" in fault for fault in table_faults(scratch))


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER ROLE comanda_app BYPASSRLS",
        "ALTER ROLE comanda_app SUPERUSER",
        "GRANT comanda_owner TO comanda_app",
        "GRANT CREATE ON SCHEMA app TO comanda_app",
        "ALTER TABLE lanes OWNER TO comanda_app",
        "ALTER FUNCTION app.set_tenant SECURITY DEFINER",
    ],
)
def test_a_power_given_to_the_app_is_reported(scratch, statement):
    scratch.execute(statement)
    assert role_faults(scratch)


def test_no_function_of_ours_is_open_to_everybody(superuser_connection):
    """A new function may be run by PUBLIC until a migration revokes it."""
    with superuser_connection.cursor() as cursor:
        cursor.execute(
            "SELECT oid::regprocedure::text, proacl IS NULL OR EXISTS ("
            "  SELECT 1 FROM aclexplode(proacl) AS given WHERE given.grantee = 0)"
            " FROM pg_proc WHERE pronamespace = 'app'::regnamespace"
        )
        found = cursor.fetchall()
    assert len(found) > 10
    assert [name for name, everybody in found if everybody] == []
