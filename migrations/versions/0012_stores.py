"""Connections to stores and forms, their events, and the automations that answer."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

OWNED = {
    "connections": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        kind text NOT NULL CONSTRAINT connections_kind_check
            CHECK (kind IN ('shopify', 'woocommerce', 'store', 'form')),
        name text NOT NULL,
        token text NOT NULL,
        secret text,
        country text NOT NULL,
        mapping jsonb NOT NULL,
        enabled boolean NOT NULL,
        refused integer NOT NULL,
        refused_at timestamptz,
        first_event_at timestamptz,
        last_event_at timestamptz,
        created_at timestamptz NOT NULL,
        removed_at timestamptz,
        PRIMARY KEY (tenant_id, id)
    """,
    "hook_keys": """
        tenant_id bigint NOT NULL,
        connection_id uuid NOT NULL,
        key text NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, connection_id, key)
    """,
    "store_events": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        connection_id uuid NOT NULL,
        hook_id uuid,
        kind text NOT NULL,
        subject text NOT NULL,
        cause text NOT NULL,
        phone text NOT NULL,
        no_phone text NOT NULL,
        data jsonb NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, connection_id) REFERENCES connections (tenant_id, id)
    """,
    "store_links": """
        tenant_id bigint NOT NULL,
        connection_id uuid NOT NULL,
        link text NOT NULL,
        side text NOT NULL CONSTRAINT store_links_side_check
            CHECK (side IN ('order', 'checkout')),
        subject text NOT NULL,
        event_id uuid NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, connection_id, link, side, subject)
    """,
    "automations": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        recipe text NOT NULL,
        name text NOT NULL,
        enabled boolean NOT NULL,
        connection_id uuid,
        line_id integer,
        conditions jsonb NOT NULL,
        delay_minutes integer NOT NULL CONSTRAINT automations_delay_check
            CHECK (delay_minutes BETWEEN 0 AND 43200),
        to_phone text NOT NULL,
        text text NOT NULL,
        template jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        removed_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, connection_id) REFERENCES connections (tenant_id, id),
        FOREIGN KEY (tenant_id, line_id) REFERENCES lines (tenant_id, id)
    """,
    "automation_runs": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        automation_id uuid NOT NULL,
        connection_id uuid NOT NULL,
        event_id uuid NOT NULL,
        subject text NOT NULL,
        cause text NOT NULL,
        state text NOT NULL CONSTRAINT automation_runs_state_check
            CHECK (state IN ('waiting', 'sent', 'skipped', 'cancelled', 'failed')),
        because text NOT NULL,
        phone text NOT NULL,
        message_id uuid,
        tries integer NOT NULL,
        due_at timestamptz,
        created_at timestamptz NOT NULL,
        ended_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, automation_id, connection_id, cause),
        FOREIGN KEY (tenant_id, automation_id) REFERENCES automations (tenant_id, id)
    """,
}

INDEXES = (
    "hook_keys_at_idx ON hook_keys (tenant_id, at)",
    "store_events_kind_idx ON store_events (tenant_id, connection_id, kind, id)",
    "store_events_subject_idx ON store_events (tenant_id, connection_id, subject, id)",
    "store_events_hook_idx ON store_events (tenant_id, hook_id)",
    "store_links_at_idx ON store_links (tenant_id, at)",
    "automation_runs_listed_idx ON automation_runs (tenant_id, automation_id, id)",
    "automation_runs_subject_idx ON automation_runs (tenant_id, connection_id, subject)",
    "automation_runs_event_idx ON automation_runs (tenant_id, event_id)",
    "automation_runs_due_idx ON automation_runs (tenant_id, due_at) WHERE due_at IS NOT NULL",
    # For the log of one connection; the cloud's hooks are many and have no such page.
    "received_hooks_connection_idx ON received_hooks (tenant_id, target, id) WHERE kind <> 'cloud'",
)


def upgrade() -> None:
    op.execute("ALTER TABLE received_hooks ADD COLUMN facts jsonb")
    for table, columns in OWNED.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")


def downgrade() -> None:
    op.execute("DROP INDEX received_hooks_connection_idx")
    for table in reversed(OWNED):
        op.execute(f"DROP TABLE {table}")
    op.execute("ALTER TABLE received_hooks DROP COLUMN facts")
