"""Lists of messages use an index for every filter, and no read takes long."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event, text

from api import v1 as v1_package
from api.v1.messaging.messages import LIST_LIMITS
from core.clock import now, rfc3339
from core.db import db, tenant_scope
from messaging.lines import repository as line_repository
from messaging.messages import queries as message_queries
from tests.line_factory import make_line
from tests.messaging.message_factory import sent_message

MANY = 20_000
PLENTY = text("""
INSERT INTO messages (tenant_id, id, line_id, direction, kind, phone, text, content, state,
                      priority, attempt, country, category, quoted_usd, cost_usd, test,
                      created_at, changed_at)
SELECT :tenant_id,
       CAST(lpad(to_hex(CAST(extract(epoch FROM moment) * 1000 AS bigint)), 12, '0')
            || '70008' || lpad(to_hex(number), 15, '0') AS uuid),
       :line_id, 'out', 'text', '905321110000', 'One of many', '{}', 'read', 0, 1, 'TR',
       'service', 0, 0, false, moment, moment
  FROM (SELECT number, CAST(:begin AS timestamptz) + number * interval '1 second' AS moment
          FROM generate_series(1, :many) AS number) AS made
""")


@pytest.fixture
def fill(restaurant, superuser_connection):
    """One message of each rare kind, and twenty thousand others from a given time on."""

    def fills(begin):
        _fill(restaurant, begin)
        superuser_connection.autocommit = True
        with superuser_connection.cursor() as cursor:
            cursor.execute("ANALYZE messages")
        return restaurant

    return fills


def _fill(restaurant, begin):
    line = make_line(restaurant)
    with restaurant.scope():
        known = line_repository.get(line.id)
        for state in ("cancelled", "failed", "scheduled"):
            due = now() if state == "scheduled" else None
            sent_message(known, state=state, due_at=due)
        sent_message(known, state="received", direction="in")
        db.session.execute(
            PLENTY,
            {
                "tenant_id": restaurant.tenant_id,
                "line_id": line.id,
                "begin": begin,
                "many": MANY,
            },
        )


def rows_read(business, filters):
    """The number of rows that the list's statement reads."""
    statements = []

    def keep(_connection, _cursor, statement, parameters, context, _many):
        if context.compiled and context.compiled.string.startswith("SELECT messages."):
            statements.append((statement, parameters))

    with tenant_scope(business.tenant_id):
        event.listen(db.engine, "before_cursor_execute", keep)
        try:
            found = message_queries.list_messages(filters, None, 50)
        finally:
            event.remove(db.engine, "before_cursor_execute", keep)
        ((statement, parameters),) = statements
        explain = f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}"
        plan = db.session.connection().exec_driver_sql(explain, parameters).scalar_one()
    return found, _touched(plan[0]["Plan"])


def _touched(plan):
    own = 0
    if "Scan" in plan["Node Type"]:
        own = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
    return own + sum(_touched(one) for one in plan.get("Plans", []))


@pytest.mark.allows_any_sql
@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (message_queries.MessageFilters(state="cancelled"), 1),
        (message_queries.MessageFilters(state="failed"), 1),
        (message_queries.MessageFilters(state="scheduled"), 1),
        (message_queries.MessageFilters(state="received"), 1),
        (message_queries.MessageFilters(direction="in"), 1),
        (message_queries.MessageFilters(until=datetime.now(UTC) - timedelta(days=40)), 0),
        (message_queries.MessageFilters(state="read"), 50),
    ],
)
def test_a_filter_that_matches_few_messages_reads_few(fill, filters, found):
    business = fill(datetime.now(UTC) + timedelta(seconds=1))
    rows, touched = rows_read(business, filters)
    assert len(rows) == found
    assert touched < 500, f"{touched} rows were read for {found}"


@pytest.mark.allows_any_sql
def test_since_leaves_older_messages_unread(fill):
    business = fill(datetime.now(UTC) - timedelta(days=10))
    since = datetime.now(UTC) - timedelta(days=1)
    rows, touched = rows_read(business, message_queries.MessageFilters(since=since))
    assert (len(rows), touched < 500) == (4, True), touched


def test_since_and_until_hold_to_the_second(client, restaurant):
    line = make_line(restaurant)
    moment = now().replace(microsecond=0) - timedelta(hours=1)
    with restaurant.scope():
        known = line_repository.get(line.id)
        ids = [
            sent_message(known, created_at=moment + timedelta(minutes=minute))[0]
            for minute in range(3)
        ]

    def listed(query):
        answer = client.get(f"/api/v1/messages?{query}", headers=restaurant.bearer)
        return {one["id"] for one in answer.json["data"]}

    middle = rfc3339(moment + timedelta(minutes=1))
    assert listed(f"since={middle}") == set(ids[1:])
    assert listed(f"until={middle}") == set(ids[:1])


def test_a_read_that_takes_too_long_is_ended_and_shows_what_to_do(client, restaurant, monkeypatch):
    monkeypatch.setattr(v1_package, "READ_LIMIT_MS", 100)

    def slow(*_):
        db.session.execute(text("SELECT pg_sleep(5)"))

    monkeypatch.setattr(message_queries, "list_messages", slow)
    answer = client.get("/api/v1/messages", headers=restaurant.bearer)
    assert (answer.status_code, answer.json["code"]) == (503, "query_too_slow")
    with restaurant.scope():
        limit = db.session.execute(text("SHOW statement_timeout")).scalar_one()
    assert limit == "30s", "other work keeps its own limit"


def test_one_tenant_cannot_hold_all_connections_with_lists(client, restaurant, shop):
    """Requests beyond a tenant's share get 429, and other tenants are served."""
    held = [LIST_LIMITS.place(restaurant.tenant_id) for _ in range(LIST_LIMITS.most_per_tenant)]
    for one in held:
        assert one.__enter__()
    try:
        answer = client.get("/api/v1/messages", headers=restaurant.bearer)
        assert (answer.status_code, answer.json["code"]) == (429, "rate_limited")
        assert answer.headers["Retry-After"] == "1"
        assert client.get("/api/v1/messages", headers=shop.bearer).status_code == 200
    finally:
        for one in held:
            one.__exit__(None, None, None)
    assert client.get("/api/v1/messages", headers=restaurant.bearer).status_code == 200
