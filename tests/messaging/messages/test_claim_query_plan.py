"""Claiming a few of many messages costs what a few cost, with and without table statistics."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from psycopg2.extras import execute_values

from core.clock import now
from core.ids import new_uuid
from core.sql.pool import connect
from messaging.messages import claim as message_claim
from tests.line_factory import make_line

WAITING, CLAIMED = 2000, 16
MOST_BLOCKS = 60 * CLAIMED  # a claim that reads all waiting messages needs thousands
INSERT = """
INSERT INTO messages (tenant_id, id, line_id, direction, kind, phone, text, content, state,
    priority, attempt, due_at, valid_until, country, category, quoted_usd, cost_usd, test,
    created_at, changed_at) VALUES %s
"""
EXPLAINED = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {message_claim.CLAIM_MESSAGES}"


@pytest.fixture
def line(app, restaurant):
    return make_line(restaurant)


@pytest.fixture
def insert_messages(restaurant, line, superuser_connection):
    def insert(state: str, due: bool, tenants: int = 1) -> None:
        moment = now() - timedelta(seconds=1)
        rows = [
            (
                *(restaurant.tenant_id + n % tenants, str(new_uuid()), line.id, "out", "text"),
                f"9053{n:08}",
                *("Masa 4", "{}", state, n % 2, 0, moment if due else None),
                *(moment + timedelta(days=1), "TR", "service", 0, 0, False, moment, moment),
            )
            for n in range(WAITING)
        ]
        with superuser_connection.cursor() as cursor:
            execute_values(cursor, INSERT, rows, page_size=1000)
        superuser_connection.commit()

    return insert


@pytest.fixture
def blocks_of_a_claim(settings, restaurant, line):
    """How many blocks a claim reads and writes once its connection has its plans."""

    def claim() -> int:
        connection = connect(settings.database_url)
        params = message_claim.claim_params(CLAIMED, 60.0, {line.id: 10_000})
        plans: Sequence[dict] = []
        for _ in range(2):
            with connection.cursor() as cursor:
                cursor.execute(EXPLAINED, {**params, "tenant_id": restaurant.tenant_id})
                plans = cursor.fetchone()[0]
            connection.rollback()
        connection.close()
        plan = plans[0]["Plan"]
        assert plan["Actual Rows"] == CLAIMED
        return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]

    return claim


def test_a_claim_reads_few_messages_of_a_table_without_statistics(
    insert_messages, blocks_of_a_claim
):
    insert_messages("queued", due=True)
    assert blocks_of_a_claim() < MOST_BLOCKS


def test_a_claim_reads_few_messages_if_the_queue_was_empty_when_they_were_counted(
    insert_messages, blocks_of_a_claim, superuser_connection
):
    for _ in range(5):
        insert_messages("queued", due=True, tenants=500)
    with superuser_connection.cursor() as cursor:
        cursor.execute("UPDATE messages SET state = 'sent', due_at = NULL")
        superuser_connection.commit()
        superuser_connection.autocommit = True
        cursor.execute("VACUUM (ANALYZE) messages")
        superuser_connection.autocommit = False
    insert_messages("queued", due=True)
    assert blocks_of_a_claim() < MOST_BLOCKS
