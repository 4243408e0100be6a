"""Lines, messages and their timeline, events, contacts, rates, ledger, received hooks."""

from datetime import UTC, datetime, timedelta

from alembic import op

from core.sql.partitions import MONTHS_AHEAD, create_statements, months
from migrations.tenancy import grant, own_by_tenant

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

OWNED = {
    "lines": """
        tenant_id bigint NOT NULL,
        id integer NOT NULL,
        kind text NOT NULL CONSTRAINT lines_kind_check CHECK (kind IN ('cloud', 'linked')),
        network text NOT NULL CONSTRAINT lines_network_check
            CHECK (network IN ('whatsapp', 'simulator')),
        test boolean NOT NULL,
        name text NOT NULL,
        phone text NOT NULL,
        state text NOT NULL,
        state_because text NOT NULL,
        state_at timestamptz NOT NULL,
        enabled boolean NOT NULL,
        is_default boolean NOT NULL,
        phone_number_id text,
        account_id text,
        token text,
        app_secret text,
        verify_token text,
        hook_token text,
        per_second numeric(8, 3) NOT NULL,
        paused_until timestamptz,
        fallback_line_id integer,
        created_at timestamptz NOT NULL,
        removed_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, fallback_line_id) REFERENCES lines (tenant_id, id)
    """,
    "contacts": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        language text NOT NULL,
        opted_out_at timestamptz,
        blocked_at timestamptz,
        first_seen_at timestamptz NOT NULL,
        last_seen_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id)
    """,
    "identities": """
        tenant_id bigint NOT NULL,
        kind text NOT NULL CONSTRAINT identities_kind_check
            CHECK (kind IN ('phone', 'network_id', 'lid', 'username')),
        value text NOT NULL,
        contact_id uuid NOT NULL,
        spelling text NOT NULL,
        PRIMARY KEY (tenant_id, kind, value),
        FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id) ON DELETE CASCADE
    """,
    "conversations": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        line_id integer NOT NULL,
        contact_id uuid NOT NULL,
        last_message_id uuid NOT NULL,
        last_at timestamptz NOT NULL,
        window_until timestamptz,
        unread integer NOT NULL,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, line_id, contact_id),
        FOREIGN KEY (tenant_id, line_id) REFERENCES lines (tenant_id, id),
        FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id) ON DELETE CASCADE
    """,
    "network_ids": """
        tenant_id bigint NOT NULL,
        network_id text NOT NULL,
        message_id uuid NOT NULL,
        PRIMARY KEY (tenant_id, network_id)
    """,
    "ledger_entries": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        at timestamptz NOT NULL,
        message_id uuid,
        kind text NOT NULL CONSTRAINT ledger_entries_kind_check
            CHECK (kind IN ('quote', 'settle', 'refund')),
        line_id integer NOT NULL,
        country text NOT NULL,
        category text NOT NULL,
        amount_usd numeric(14, 6) NOT NULL,
        PRIMARY KEY (tenant_id, id)
    """,
    "usage_days": """
        tenant_id bigint NOT NULL,
        day date NOT NULL,
        line_id integer NOT NULL,
        country text NOT NULL,
        category text NOT NULL,
        sent integer NOT NULL,
        delivered integer NOT NULL,
        read integer NOT NULL,
        failed integer NOT NULL,
        received integer NOT NULL,
        cost_usd numeric(14, 6) NOT NULL,
        PRIMARY KEY (tenant_id, day, line_id, country, category)
    """,
    "rate_overrides": """
        tenant_id bigint NOT NULL,
        line_kind text NOT NULL,
        country text NOT NULL,
        category text NOT NULL,
        since date NOT NULL,
        usd numeric(14, 6) NOT NULL,
        PRIMARY KEY (tenant_id, line_kind, country, category, since)
    """,
}

PARTITIONED = {
    "messages": (
        "id",
        """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        line_id integer NOT NULL,
        direction text NOT NULL CONSTRAINT messages_direction_check
            CHECK (direction IN ('out', 'in')),
        kind text NOT NULL,
        phone text NOT NULL,
        contact_id uuid,
        text text NOT NULL,
        content jsonb NOT NULL,
        state text NOT NULL,
        priority smallint NOT NULL,
        attempt integer NOT NULL,
        due_at timestamptz,
        valid_until timestamptz,
        reference text,
        network_id text,
        country text NOT NULL,
        category text NOT NULL,
        quoted_usd numeric(14, 6) NOT NULL,
        cost_usd numeric(14, 6) NOT NULL,
        test boolean NOT NULL,
        error_code text,
        error_text text,
        created_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id)
        """,
    ),
    "message_changes": (
        "message_id",
        """
        tenant_id bigint NOT NULL,
        message_id uuid NOT NULL,
        id uuid NOT NULL,
        at timestamptz NOT NULL,
        state text NOT NULL,
        cause text NOT NULL,
        PRIMARY KEY (tenant_id, message_id, id)
        """,
    ),
    "events": (
        "id",
        """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        type text NOT NULL,
        body jsonb NOT NULL,
        occurred_at timestamptz NOT NULL,
        sequence bigint,
        PRIMARY KEY (tenant_id, id)
        """,
    ),
    "received_hooks": (
        "id",
        """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        kind text NOT NULL,
        target text NOT NULL,
        body bytea NOT NULL,
        state text NOT NULL CONSTRAINT received_hooks_state_check
            CHECK (state IN ('waiting', 'done', 'parked')),
        tries integer NOT NULL,
        due_at timestamptz,
        error text,
        received_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id)
        """,
    ),
}

RATES = """
    line_kind text NOT NULL,
    country text NOT NULL,
    category text NOT NULL,
    since date NOT NULL,
    usd numeric(14, 6) NOT NULL,
    PRIMARY KEY (line_kind, country, category, since)
"""

TROUBLE = "state IN ('failed', 'unknown', 'expired')"

INDEXES = (
    "messages_due_idx ON messages (tenant_id, priority, due_at, id) WHERE due_at IS NOT NULL",
    "messages_phone_idx ON messages (tenant_id, phone, id)",
    "messages_line_idx ON messages (tenant_id, line_id, id)",
    "messages_reference_idx ON messages (tenant_id, reference, id) WHERE reference IS NOT NULL",
    "messages_trouble_idx ON messages (tenant_id, state, id) WHERE " + TROUBLE,
    "events_waiting_idx ON events (tenant_id, id) WHERE sequence IS NULL",
    "events_sequence_idx ON events (tenant_id, sequence) WHERE sequence IS NOT NULL",
    "received_hooks_due_idx ON received_hooks (tenant_id, due_at) WHERE due_at IS NOT NULL",
    "identities_contact_idx ON identities (tenant_id, contact_id)",
    "conversations_last_idx ON conversations (tenant_id, last_at, id)",
    "contacts_seen_idx ON contacts (tenant_id, last_seen_at, id)",
    "ledger_entries_message_idx ON ledger_entries (tenant_id, message_id)",
)


def upgrade() -> None:
    op.execute(f"CREATE TABLE rates ({RATES})")
    grant("rates")
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
    for table in (*reversed(PARTITIONED), *reversed(OWNED), "rates"):
        op.execute(f"DROP TABLE {table}")
