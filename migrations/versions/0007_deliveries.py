"""Outgoing events: endpoints, deliveries, attempts, and the last number of a tenant's events."""

from datetime import UTC, datetime, timedelta

from alembic import op

from core.sql.partitions import MONTHS_AHEAD, create_statements, months
from migrations.tenancy import own_by_tenant

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

OWNED = {
    "event_feeds": """
        tenant_id bigint NOT NULL,
        last_sequence bigint NOT NULL,
        PRIMARY KEY (tenant_id)
    """,
    "endpoints": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        url text NOT NULL,
        description text NOT NULL,
        events text[] NOT NULL,
        secret text NOT NULL,
        old_secret text,
        old_secret_until timestamptz,
        enabled boolean NOT NULL,
        disabled_because text NOT NULL CONSTRAINT endpoints_disabled_because_check
            CHECK (disabled_because IN ('', 'person', 'gone', 'failing')),
        disabled_at timestamptz,
        failures integer NOT NULL,
        failing_since timestamptz,
        letters smallint NOT NULL,
        rests_until timestamptz,
        busy_until timestamptz,
        last_success_at timestamptz,
        listens_since timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        removed_at timestamptz,
        PRIMARY KEY (tenant_id, id)
    """,
    "endpoint_days": """
        tenant_id bigint NOT NULL,
        endpoint_id uuid NOT NULL,
        day date NOT NULL,
        delivered integer NOT NULL,
        failed integer NOT NULL,
        millis bigint NOT NULL,
        PRIMARY KEY (tenant_id, endpoint_id, day)
    """,
}

PARTITIONED = {
    "deliveries": (
        "id",
        """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        endpoint_id uuid NOT NULL,
        event_id uuid NOT NULL,
        type text NOT NULL,
        sequence bigint NOT NULL,
        cause text NOT NULL CONSTRAINT deliveries_cause_check
            CHECK (cause IN ('event', 'replay', 'test')),
        state text NOT NULL CONSTRAINT deliveries_state_check
            CHECK (state IN ('waiting', 'sending', 'delivered', 'failed', 'cancelled')),
        attempt integer NOT NULL,
        step smallint NOT NULL,
        due_at timestamptz,
        status integer,
        error text,
        created_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id)
        """,
    ),
    "delivery_attempts": (
        "delivery_id",
        """
        tenant_id bigint NOT NULL,
        delivery_id uuid NOT NULL,
        number integer NOT NULL,
        at timestamptz NOT NULL,
        millis integer NOT NULL,
        status integer,
        error text,
        signature text NOT NULL,
        headers jsonb NOT NULL,
        answer text NOT NULL,
        PRIMARY KEY (tenant_id, delivery_id, number)
        """,
    ),
}

INDEXES = (
    (
        "deliveries_due_idx ON deliveries (tenant_id, endpoint_id, due_at, sequence)"
        " WHERE due_at IS NOT NULL"
    ),
    "deliveries_endpoint_idx ON deliveries (tenant_id, endpoint_id, id)",
    "deliveries_event_idx ON deliveries (tenant_id, event_id)",
    (
        "deliveries_late_idx ON deliveries (tenant_id, id)"
        " WHERE state = 'failed' OR (state = 'waiting' AND attempt > 0)"
    ),
)


def upgrade() -> None:
    for table, columns in OWNED.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    for table, (key, columns) in PARTITIONED.items():
        op.execute(f"CREATE TABLE {table} ({columns}) PARTITION BY RANGE ({key})")
        own_by_tenant(table)
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")
    # One month back, for clocks that are slow.
    last_month = datetime.now(UTC).replace(day=1) - timedelta(days=1)
    for month in months(last_month, MONTHS_AHEAD + 2):
        for table in PARTITIONED:
            op.execute(create_statements(table, month))


def downgrade() -> None:
    for table in (*reversed(PARTITIONED), *reversed(OWNED)):
        op.execute(f"DROP TABLE {table}")
