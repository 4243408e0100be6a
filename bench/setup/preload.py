"""Data that exists when a benchmark begins: messages of the last weeks, spread over businesses.

Each message has what sending leaves behind: its network id, the end of its timeline, its ledger
entry, and the totals of its day.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import psycopg2.extensions

from core.sql.partitions import TABLES, create_statements, months
from deploy.local.servers.databases import OWNER

DAYS = 60
AT_ONCE = 200_000

# UUIDv7: 48 bits of milliseconds, then random bits. In a table, so that all rows refer to the same
# messages.
MADE = """
CREATE TEMP TABLE made ON COMMIT DROP AS
SELECT owner.tenant_id, owner.line_id, mine.at,
       (lpad(to_hex((extract(epoch FROM mine.at) * 1000)::bigint), 12, '0') || '7'
        || substr(mine.chance, 14, 3) || '8' || substr(mine.chance, 18, 15))::uuid AS id,
       '9053' || lpad((mine.n * 7919 %% 100000000)::text, 8, '0') AS phone
  FROM (SELECT n, %(first)s::timestamptz + %(step)s::interval * n AS at,
               replace(gen_random_uuid()::text, '-', '') AS chance
          FROM generate_series(%(from)s::bigint, %(to)s::bigint) AS n) AS mine
  JOIN unnest(%(tenants)s::bigint[], %(lines)s::integer[]) WITH ORDINALITY
       AS owner (tenant_id, line_id, n) ON owner.n = 1 + mine.n %% cardinality(%(lines)s)
"""
MESSAGES = """
INSERT INTO messages (tenant_id, id, line_id, direction, kind, phone, text, content, state,
    priority, attempt, valid_until, network_id, country, category, quoted_usd, cost_usd, test,
    created_at, changed_at)
SELECT tenant_id, id, line_id, 'out', 'text', phone, 'Masa 4 hazir, afiyet olsun', '{}', 'sent',
    0, 1, at + interval '1 day', 'wamid.' || id, 'TR', 'service', 0, 0, false, at, at FROM made
"""
NETWORK_IDS = "INSERT INTO network_ids SELECT tenant_id, 'wamid.' || id, id FROM made"
CHANGES = """
INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
SELECT tenant_id, id, id, at, 'sent', 'accepted by the network' FROM made
"""
LEDGER = """
INSERT INTO ledger_entries (tenant_id, id, at, message_id, kind, line_id, country, category,
    amount_usd)
SELECT tenant_id, id, at, id, 'quote', line_id, 'TR', 'service', 0 FROM made
"""
DAYS_TOTALS = """
INSERT INTO usage_days (tenant_id, day, line_id, country, category, sent, delivered, read, failed,
    received, cost_usd)
SELECT tenant_id, at::date, line_id, 'TR', 'service', count(*), 0, 0, 0, 0, 0 FROM made
 GROUP BY 1, 2, 3 ON CONFLICT (tenant_id, day, line_id, country, category)
    DO UPDATE SET sent = usage_days.sent + EXCLUDED.sent
"""
# One message in ten has its own conversation.
PEOPLE = (
    """
INSERT INTO contacts (tenant_id, id, name, name_key, named_by, language, tags, first_seen_at,
    last_seen_at)
SELECT tenant_id, id, 'Guest ' || phone, 'guest ' || phone, 'person', 'tr', '{}', at, at
  FROM made WHERE phone LIKE '%0'
""",
    """
INSERT INTO identities (tenant_id, kind, value, contact_id, spelling)
SELECT tenant_id, 'phone', phone, id, phone FROM made WHERE phone LIKE '%0'
""",
    """
INSERT INTO conversations (tenant_id, id, line_id, contact_id, last_message_id, last_at, unread)
SELECT tenant_id, id, line_id, id, id, at, 0 FROM made WHERE phone LIKE '%0'
""",
)
LEAN = (MESSAGES, NETWORK_IDS, DAYS_TOTALS)
WHOLE = (MESSAGES, NETWORK_IDS, CHANGES, LEDGER, DAYS_TOTALS)


@dataclass(frozen=True)
class Line:
    tenant_id: int
    id: int


def fill(
    cursor: "psycopg2.extensions.cursor",
    lines: Sequence[Line],
    messages: int,
    statements: Sequence[str] = WHOLE,
) -> None:
    """Commits after each batch. The newest message is an hour old, so none is due."""
    if not messages:
        return
    newest = datetime.now(UTC) - timedelta(hours=1)
    first = newest - timedelta(days=DAYS)
    cursor.execute("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'")
    _past_months(cursor, first)
    for begin in range(0, messages, AT_ONCE):
        cursor.execute(
            MADE,
            {
                "first": first,
                "step": timedelta(days=DAYS) / messages,
                "from": begin,
                "to": min(begin + AT_ONCE, messages) - 1,
                "tenants": [line.tenant_id for line in lines],
                "lines": [line.id for line in lines],
            },
        )
        for statement in statements:
            cursor.execute(statement)
        cursor.connection.commit()


def settle(cursor: "psycopg2.extensions.cursor") -> None:
    """What autovacuum would have done by then. Call it outside a transaction."""
    cursor.execute("VACUUM (ANALYZE) messages, network_ids, message_changes, ledger_entries")
    cursor.execute("VACUUM (ANALYZE) contacts, identities, conversations")
    cursor.execute("CHECKPOINT")


def _past_months(cursor: "psycopg2.extensions.cursor", first: datetime) -> None:
    cursor.execute(f"SET ROLE {OWNER}")
    for month in months(first, 3):
        for table in TABLES:
            cursor.execute(create_statements(table, month))
    cursor.execute("RESET ROLE")
    cursor.connection.commit()
