"""Audiences, campaigns and their recipients."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

OWNED = {
    "audiences": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        filters jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id)
    """,
    "campaigns": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        state text NOT NULL CONSTRAINT campaigns_state_check CHECK (state IN
            ('draft', 'scheduled', 'running', 'paused', 'finished', 'stopped')),
        because jsonb NOT NULL,
        audience_id uuid,
        filters jsonb NOT NULL,
        line_id integer,
        text text NOT NULL,
        template jsonb NOT NULL,
        gift text,
        quiet_from smallint,
        quiet_until smallint,
        rest_days smallint NOT NULL,
        follow_days smallint NOT NULL,
        test boolean NOT NULL,
        scheduled_at timestamptz,
        started_at timestamptz,
        finished_at timestamptz,
        gathered_at timestamptz,
        reached uuid,
        due_at timestamptz,
        counts jsonb NOT NULL,
        author text NOT NULL,
        created_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id)
    """,
    "campaign_recipients": """
        tenant_id bigint NOT NULL,
        campaign_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        state text NOT NULL CONSTRAINT campaign_recipients_state_check CHECK (state IN
            ('waiting', 'handed', 'left_out', 'stopped')),
        reason text NOT NULL,
        zone text NOT NULL,
        due_at timestamptz NOT NULL,
        message_id uuid CONSTRAINT campaign_recipients_message_check
            CHECK ((state = 'handed') = (message_id IS NOT NULL)),
        handed_at timestamptz,
        coupon text NOT NULL,
        outcome text NOT NULL,
        cause text NOT NULL,
        cost_usd numeric(14, 6) NOT NULL,
        replied_at timestamptz,
        opted_out_at timestamptz,
        orders integer NOT NULL,
        spent numeric(14, 3) NOT NULL,
        PRIMARY KEY (tenant_id, campaign_id, contact_id),
        FOREIGN KEY (tenant_id, campaign_id) REFERENCES campaigns (tenant_id, id)
            ON DELETE CASCADE
    """,
}
INDEXES = (
    "campaigns_due_idx ON campaigns (tenant_id, due_at) WHERE due_at IS NOT NULL",
    "campaigns_state_idx ON campaigns (tenant_id, state, id)",
    (
        "campaign_recipients_due_idx ON campaign_recipients"
        " (tenant_id, campaign_id, due_at, contact_id) WHERE state = 'waiting'"
    ),
    (
        "campaign_recipients_open_idx ON campaign_recipients (tenant_id, campaign_id, contact_id)"
        " WHERE outcome IN ('queued', 'sending', 'sent', 'unknown')"
    ),
    (
        "campaign_recipients_state_idx ON campaign_recipients"
        " (tenant_id, campaign_id, state, contact_id)"
    ),
    "campaign_recipients_contact_idx ON campaign_recipients (tenant_id, contact_id)",
)


def upgrade() -> None:
    op.execute("ALTER TABLE contacts ADD COLUMN marketed_at timestamptz")
    for table, columns in OWNED.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")


def downgrade() -> None:
    for table in reversed(OWNED):
        op.execute(f"DROP TABLE {table}")
    op.execute("ALTER TABLE contacts DROP COLUMN marketed_at")
