"""Taking a few of many costs what a few cost, also before anybody has counted the tables."""

from datetime import timedelta

import pytest
from psycopg2.extras import execute_values

from core.clock import now
from core.ids import new_uuid
from core.sql.pool import connect
from messaging.messages import claim as message_claim
from tests.line_factory import make_line

WAITING, TAKEN = 2000, 16
QUEUED = """
INSERT INTO messages (tenant_id, id, line_id, direction, kind, phone, text, content, state,
    priority, attempt, due_at, valid_until, country, category, quoted_usd, cost_usd, test,
    created_at, changed_at) VALUES %s
"""
EXPLAINED = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {message_claim.CLAIM_MESSAGES}"


@pytest.fixture
def waiting(app, restaurant, superuser_connection):
    """A burst in a table without statistics."""
    line = make_line(restaurant)
    moment = now() - timedelta(seconds=1)
    rows = [
        (
            *(restaurant.tenant_id, str(new_uuid()), line.id, "out", "text", f"9053{n:08}"),
            *("Masa 4", "{}", "queued", n % 2, 0, moment, moment + timedelta(days=1), "TR"),
            *("service", 0, 0, False, moment, moment),
        )
        for n in range(WAITING)
    ]
    with superuser_connection.cursor() as cursor:
        execute_values(cursor, QUEUED, rows, page_size=1000)
    superuser_connection.commit()
    return line


def test_a_few_of_many_are_taken_along_the_index(settings, restaurant, waiting):
    connection = connect(settings.database_url)
    params = message_claim.claim_params(TAKEN, 60.0, {waiting.id: 10_000})
    with connection, connection.cursor() as cursor:
        cursor.execute(EXPLAINED, {**params, "tenant_id": restaurant.tenant_id})
        plan = cursor.fetchone()[0][0]["Plan"]
    connection.close()
    assert plan["Actual Rows"] == TAKEN
    # Each message has a dozen places to be read and written; going through all of them takes
    # hundreds of thousands.
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 250 * TAKEN
