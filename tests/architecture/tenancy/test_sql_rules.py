"""The SQL allows distributing the schema over several machines by tenant."""

from pathlib import Path

import pytest
from sqlalchemy import select, text

from core.db import db
from tenants.models import AuditEntry, Member
from tests.architecture.layers import ROOT, modules
from tests.architecture.tenancy.sql_rules import source_faults, statement_faults
from tests.architecture.tenancy.sql_watch import tenant_faults, tenant_tables, watch_sql

SOMEWHERE = Path("messaging/messages/accept.py")


def test_no_text_or_code_of_ours_breaks_the_rules():
    found = [f for path in modules() for f in source_faults(path, (ROOT / path).read_text())]
    assert not found


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (id bigserial PRIMARY KEY)",
        "CREATE TABLE t (id SERIAL)",
        "CREATE TRIGGER t BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()",
        "ALTER TABLE t ADD FOREIGN KEY (tenant_id, x) REFERENCES u ON DELETE SET NULL",
        "MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE",
        "SELECT set_config('app.tenant_id', '7', true)",
        "LISTEN orders",
        "NOTIFY orders",
        "SELECT pg_notify('orders', '7')",
        "SELECT pg_advisory_xact_lock(7)",
        "SELECT pg_try_advisory_lock(7)",
        "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET at = now()",
        "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 1, at = CURRENT_TIMESTAMP",
        "UPDATE t SET a = 1 RETURNING id, now()",
        "INSERT INTO t (a) SELECT a FROM u",
        "SELECT id FROM messages WHERE due FOR UPDATE SKIP LOCKED",
        "SELECT id FROM messages JOIN lanes ON true FOR UPDATE SKIP LOCKED",
        "DELETE FROM t WHERE (a, t.b) IN (SELECT x, y FROM unnest(:x, :y) AS u (x, y))",
        "UPDATE t SET a = CASE WHEN b < sent_at + :days THEN 1 END",
        "UPDATE t SET due_at = r.due_at + interval '1 day' FROM r",
        "UPDATE t SET a = coalesce(a, now())",
    ],
)
def test_a_statement_that_does_not_distribute_is_seen(sql):
    assert statement_faults(sql)
    assert source_faults(SOMEWHERE, f"text({sql!r})")


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (tenant_id bigint, id uuid, PRIMARY KEY (tenant_id, id))",
        "INSERT INTO t (a) VALUES (now())",
        "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET at = EXCLUDED.at RETURNING a",
        "INSERT INTO t (a) SELECT a FROM u RETURNING a",
        "SELECT tenant_id FROM lanes WHERE due_at < now() FOR UPDATE SKIP LOCKED",
        "SET LOCAL app.tenant_id = 7",
        "DELETE FROM t USING unnest(:x, :y) AS u (x, y) WHERE t.a = u.x AND t.b = u.y",
        "UPDATE t SET a = (sent_at AT TIME ZONE 'UTC' + :days) AT TIME ZONE 'UTC'",
        "UPDATE t SET a = now()",
    ],
)
def test_a_statement_that_distributes_is_left_alone(sql):
    assert not statement_faults(sql)


@pytest.mark.parametrize(
    "code",
    [
        "select(M).with_for_update(skip_locked=True)",
        "mapped_column(ForeignKey('a.id', ondelete='SET NULL'))",
        "insert(M).on_conflict_do_update(index_elements=[M.id], set_={'at': func.now()})",
        "update(M).returning(M.id, func.now())",
        "session.execute(insert(M).from_select(['a'], select(N.a)))",
        "func.pg_advisory_xact_lock(7)",
        "func.set_config('app.tenant_id', '7', True)",
        "Sequence('numbers')",
    ],
)
def test_code_that_builds_such_a_statement_is_seen(code):
    assert source_faults(SOMEWHERE, code)


def test_skip_locked_is_for_the_global_tables():
    code = "select(Lane).with_for_update(skip_locked=True)"
    assert not source_faults(Path("core/queue/lanes.py"), code)
    assert not source_faults(SOMEWHERE, "insert(M).from_select(['a'], q).returning(M.a)")


MINE = {"t": 7}


@pytest.mark.parametrize(
    ("sql", "parameters"),
    [
        ("SELECT members.id FROM members WHERE members.role = %(r)s", {"r": "owner"}),
        ("SELECT members.id FROM members WHERE members.tenant_id = %(t)s", {"t": 8}),
        ("SELECT m.id FROM members AS m WHERE members.tenant_id = %(t)s", MINE),
        (
            "SELECT 1 FROM members m JOIN invitations ON invitations.tenant_id = m.tenant_id",
            MINE,
        ),
        (
            "SELECT 1 FROM members AS m JOIN api_keys AS k ON true WHERE m.tenant_id = %(t)s",
            MINE,
        ),
        ("SELECT 1 FROM tenants, members WHERE tenants.id = %(t)s", MINE),
        ("UPDATE members SET role=%(r)s WHERE members.id = %(i)s", {"r": "owner", "i": 1}),
        ("DELETE FROM members", {}),
        ("INSERT INTO members (id, role) VALUES (%(i)s, %(r)s)", {"i": 1, "r": "owner"}),
    ],
)
def test_a_statement_that_leaves_the_tenant_out_is_seen(sql, parameters):
    assert tenant_faults(sql, parameters, 7, tenant_tables())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT members.id FROM members WHERE members.tenant_id = %(t)s AND members.id = 1",
        "SELECT m.id FROM members AS m WHERE m.tenant_id = %(t)s",
        "INSERT INTO members (tenant_id, id) VALUES (%(t)s, 1)",
        "SELECT tenants.id FROM tenants",
    ],
)
def test_a_statement_that_names_the_tenant_is_left_alone(sql):
    assert not tenant_faults(sql, MINE, 7, tenant_tables())


@pytest.mark.allows_any_sql
def test_the_watch_sees_what_the_session_sends(restaurant):
    with watch_sql() as found, restaurant.scope():
        db.session.scalars(select(Member).where(Member.tenant_id == restaurant.tenant_id)).all()
        assert not found
        db.session.execute(select(AuditEntry.act)).all()
        assert "audit_entries is touched without naming the tenant" in found.pop()
        db.session.execute(text("SELECT 1 FROM members"))
        assert len(found) == 1


@pytest.mark.allows_any_sql
def test_the_watch_is_on_in_every_test(restaurant, sql_watch):
    with restaurant.scope():
        db.session.execute(select(Member.id)).all()
    assert sql_watch.pop()
