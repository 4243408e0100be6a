"""The basics: the tenant of a transaction, lookups, lanes, mail, plans."""

from alembic import op

from migrations.tenancy import APP_ROLE, grant

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# SET LOCAL reaches the shards of a distributed database; set_config does not.
SET_TENANT = """
CREATE FUNCTION app.set_tenant(tenant bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL app.tenant_id = %L', tenant);
END
$$
"""

TABLES = {
    "lookups": """
        kind text NOT NULL,
        key text NOT NULL,
        tenant_id bigint NOT NULL,
        target text NOT NULL,
        PRIMARY KEY (kind, key)
    """,
    "lanes": """
        kind text NOT NULL,
        tenant_id bigint NOT NULL,
        due_at timestamptz NOT NULL,
        leased_until timestamptz,
        lease uuid,
        PRIMARY KEY (kind, tenant_id)
    """,
    "mails": """
        id uuid NOT NULL PRIMARY KEY,
        recipient text NOT NULL,
        subject text NOT NULL,
        body text NOT NULL,
        tenant_id bigint,
        state text NOT NULL CONSTRAINT mails_state_check
            CHECK (state IN ('queued', 'sent', 'failed')),
        attempts integer NOT NULL,
        error text,
        created_at timestamptz NOT NULL,
        due_at timestamptz,
        sent_at timestamptz
    """,
    "plans": """
        code text NOT NULL PRIMARY KEY,
        name text NOT NULL,
        position integer NOT NULL,
        rate_per_second integer NOT NULL,
        burst integer NOT NULL,
        monthly_messages integer,
        spend_cap_usd numeric(14, 6),
        trial_days integer,
        trial_messages integer
    """,
}

PLANS = """
INSERT INTO plans (code, name, position, rate_per_second, burst,
                   monthly_messages, spend_cap_usd, trial_days, trial_messages)
VALUES ('trial', 'Trial', 1, 5, 10, NULL, NULL, 3, 200),
       ('starter', 'Starter', 2, 20, 40, 5000, 100, NULL, NULL),
       ('growth', 'Growth', 3, 80, 160, 50000, 1000, NULL, NULL)
"""


def upgrade() -> None:
    op.execute("CREATE SCHEMA app")
    op.execute(f"GRANT USAGE ON SCHEMA app, public TO {APP_ROLE}")
    op.execute(SET_TENANT)
    op.execute("REVOKE ALL ON FUNCTION app.set_tenant(bigint) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION app.set_tenant(bigint) TO {APP_ROLE}")
    for table, columns in TABLES.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        grant(table)
    op.execute("CREATE INDEX lanes_kind_due_at_idx ON lanes (kind, due_at)")
    op.execute("CREATE INDEX mails_due_at_idx ON mails (due_at) WHERE due_at IS NOT NULL")
    op.execute(PLANS)
    # `/readyz` compares the schema's revision with the code's.
    op.execute(f"GRANT SELECT ON alembic_version TO {APP_ROLE}")


def downgrade() -> None:
    for table in reversed(TABLES):
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP SCHEMA app CASCADE")
