"""Printers, the agents that reach them, and print jobs; bills printed when a guest asks."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

OF_SITE = "FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id)"

TABLES = {
    "print_agents": f"""
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        name text NOT NULL,
        version text NOT NULL,
        token_hash text NOT NULL,
        turn integer NOT NULL,
        found jsonb NOT NULL,
        paired_at timestamptz NOT NULL,
        seen_at timestamptz,
        revoked_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        {OF_SITE}
    """,
    "pairing_codes": f"""
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        code_hash text NOT NULL,
        code text,
        made_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        agent_id uuid,
        PRIMARY KEY (tenant_id, id),
        {OF_SITE}
    """,
    "printers": f"""
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        name text NOT NULL,
        way text NOT NULL
            CONSTRAINT printers_way_check CHECK (way IN ('agent', 'cloudprnt', 'server_direct')),
        agent_id uuid,
        output jsonb NOT NULL,
        language text NOT NULL,
        profile text NOT NULL,
        width_mm integer NOT NULL,
        code_page text,
        checks boolean NOT NULL,
        stations text[] NOT NULL,
        bills boolean NOT NULL,
        copies integer NOT NULL,
        fallback_id uuid,
        fallback_seconds integer NOT NULL,
        secret text,
        mac text NOT NULL,
        state text NOT NULL,
        detail text NOT NULL,
        state_since timestamptz NOT NULL,
        seen_at timestamptz,
        told_state text NOT NULL,
        enabled boolean NOT NULL,
        created_at timestamptz NOT NULL,
        removed_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        {OF_SITE},
        FOREIGN KEY (tenant_id, agent_id) REFERENCES print_agents (tenant_id, id),
        FOREIGN KEY (tenant_id, fallback_id) REFERENCES printers (tenant_id, id)
    """,
    "print_jobs": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        printer_id uuid NOT NULL,
        dedupe text NOT NULL,
        kind text NOT NULL,
        title text NOT NULL,
        order_id uuid,
        order_number text NOT NULL,
        station text NOT NULL,
        copy integer NOT NULL,
        document jsonb NOT NULL,
        time_zone text NOT NULL,
        media_type text NOT NULL,
        data bytea,
        again bytea,
        state text NOT NULL CONSTRAINT print_jobs_state_check
            CHECK (state IN ('queued', 'claimed', 'printed', 'failed', 'unconfirmed')),
        detail text NOT NULL,
        fence integer NOT NULL,
        tries integer NOT NULL,
        due_at timestamptz NOT NULL,
        claimed_by text NOT NULL,
        claimed_at timestamptz,
        fetched_at timestamptz,
        leased_until timestamptz,
        fallback_due_at timestamptz,
        fallback_of uuid,
        reprint_of uuid,
        evidence jsonb NOT NULL,
        told boolean NOT NULL,
        queued_at timestamptz NOT NULL,
        settled_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, dedupe),
        FOREIGN KEY (tenant_id, printer_id) REFERENCES printers (tenant_id, id)
    """,
}
INDEXES = (
    "print_agents_site_idx ON print_agents (tenant_id, site_id)",
    "printers_site_idx ON printers (tenant_id, site_id)",
    "printers_agent_idx ON printers (tenant_id, agent_id)",
    "print_jobs_queue_idx ON print_jobs (tenant_id, printer_id, id) WHERE state = 'queued'",
    ("print_jobs_bare_idx ON print_jobs (tenant_id, id) WHERE state = 'queued' AND data IS NULL"),
    (
        "print_jobs_fallback_idx ON print_jobs (tenant_id, fallback_due_at)"
        " WHERE fallback_due_at IS NOT NULL"
    ),
    "print_jobs_state_idx ON print_jobs (tenant_id, state, id)",
    "print_jobs_printer_idx ON print_jobs (tenant_id, printer_id, id)",
    "print_jobs_order_idx ON print_jobs (tenant_id, order_id, id)",
)


def upgrade() -> None:
    for table, columns in TABLES.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")
    # One ticket at a printer at a time.
    op.execute(
        "CREATE UNIQUE INDEX print_jobs_in_hand_idx ON print_jobs (tenant_id, printer_id)"
        " WHERE state = 'claimed'"
    )
    op.execute("ALTER TABLE sites ADD COLUMN prints_bills boolean NOT NULL DEFAULT false")


def downgrade() -> None:
    op.execute("ALTER TABLE sites DROP COLUMN prints_bills")
    for table in reversed(TABLES):
        op.execute(f"DROP TABLE {table}")
