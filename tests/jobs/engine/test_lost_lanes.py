"""Work whose lane was lost is found, in one trip however many tenants there are."""

import pytest
from sqlalchemy import event, text
from sqlalchemy.engine import Engine

from core.db import db, global_scope
from core.queue import lanes
from jobs import automations, campaigns
from jobs.inbound import hooks as inbound_hooks
from jobs.restaurant import payments as payment_jobs
from jobs.tenants import account_closure
from tests.sample_tenant import make_sample_tenant

WORK = (
    ("hooks", "received_hooks", "due_at", ""),
    ("automations", "automation_runs", "due_at", ""),
    ("campaigns", "campaigns", "due_at", ""),
    ("payments", "payment_links", "due_at", ""),
    ("payments", "payment_signals", "due_at", ""),
    ("payments", "refunds", "due_at", ""),
    ("payments", "payment_sessions", "close_at", ""),
    ("payments", "payments", "at", ", state = 'parked'"),
    ("plans", "plan_payments", "made_at", ", state = 'open'"),
)
OVER = {"payments": "accepted", "plan_payments": "failed"}


@pytest.fixture(scope="module")
def planted(app):
    with app.app_context():
        return make_sample_tenant("Forgotten").business


@pytest.fixture
def nothing_is_due(planted, superuser_connection):
    with superuser_connection.cursor() as cursor:
        for _, table, column, _ in WORK:
            what = f"state = '{OVER[table]}'" if table in OVER else f"{column} = NULL"
            cursor.execute(f"UPDATE {table} SET {what} WHERE tenant_id = %s", [planted.tenant_id])
        yield cursor


@pytest.mark.parametrize(("kind", "table", "column", "more"), WORK)
def test_a_tenant_with_something_due_is_found(planted, nothing_is_due, kind, table, column, more):
    assert planted.tenant_id not in lanes.tenants_with_due_work(kind)
    soon = f"UPDATE {table} SET {column} = now() + interval '1 hour'{more} WHERE tenant_id = %s"
    nothing_is_due.execute(soon, [planted.tenant_id])
    assert nothing_is_due.rowcount, "there is a row to be found"
    assert planted.tenant_id not in lanes.tenants_with_due_work(kind)
    nothing_is_due.execute(soon.replace("+ interval", "- interval"), [planted.tenant_id])
    assert lanes.tenants_with_due_work(kind).count(planted.tenant_id) == 1


@pytest.mark.parametrize(
    ("sweep", "kind"),
    [
        *(
            (job.find_lost_work, job.LANE)
            for job in (inbound_hooks, automations, campaigns, payment_jobs)
        ),
        (account_closure.check_plan_payments, "plans"),
    ],
)
def test_tenants_with_nothing_to_do_are_not_visited(
    app, sweep, kind, planted, nothing_is_due, restaurant, shop, monkeypatch
):
    monkeypatch.setattr(app.extensions["comanda"], "billing_provider", "simulated")
    asked = []

    def note(_connection, _cursor, sql, *_rest):
        asked.append(sql)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        sweep()
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    visited = [sql for sql in asked if "set_tenant" in sql]
    assert len(visited) <= len(lanes.tenants_with_due_work(kind)), asked


def test_the_look_leaves_no_tenant_behind(planted, restaurant):
    with global_scope():
        db.session.execute(text("SELECT app.due_hooks(now())")).all()
        left = db.session.scalar(text("SELECT current_setting('app.tenant_id', true)"))
        assert not left
        theirs = text("SELECT 1 FROM members WHERE tenant_id = :tenant_id")
        assert not db.session.execute(theirs, {"tenant_id": planted.tenant_id}).all()
