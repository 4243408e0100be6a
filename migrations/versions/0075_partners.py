"""Partners: companies that create and manage tenants with keys of their own."""

from alembic import op

from migrations.tenancy import APP_ROLE, grant

revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None

READ_USAGE = """
CREATE FUNCTION app.read_usage_of_tenants(p_tenants bigint[], p_month date)
RETURNS TABLE (tenant bigint, messages integer, spend_usd numeric) LANGUAGE plpgsql AS $$
DECLARE
    v_tenant bigint;
BEGIN
    FOREACH v_tenant IN ARRAY p_tenants LOOP
        PERFORM app.set_tenant(v_tenant);
        RETURN QUERY
            SELECT v_tenant, used.messages, used.spend_usd
              FROM usage_months AS used
             WHERE used.tenant_id = v_tenant AND used.month = p_month;
    END LOOP;
END
$$
"""
SIGNATURE = "app.read_usage_of_tenants(bigint[], date)"


def upgrade() -> None:
    op.execute("""
        CREATE TABLE partners (
            id uuid PRIMARY KEY, name text NOT NULL, plans text[] NOT NULL,
            most_tenants integer NOT NULL, created_at timestamptz NOT NULL,
            suspended_at timestamptz)
    """)
    op.execute("""
        CREATE TABLE partner_keys (
            id uuid PRIMARY KEY, partner_id uuid NOT NULL REFERENCES partners (id),
            name text NOT NULL, prefix text NOT NULL, key_hash text NOT NULL,
            created_by text NOT NULL, created_at timestamptz NOT NULL, revoked_at timestamptz,
            last_used_at timestamptz,
            CONSTRAINT partner_keys_key_hash_key UNIQUE (key_hash))
    """)
    op.execute("CREATE INDEX partner_keys_partner_idx ON partner_keys (partner_id, id)")
    op.execute("""
        CREATE TABLE partner_requests (
            partner_id uuid NOT NULL, key text NOT NULL, fingerprint text NOT NULL,
            created_at timestamptz NOT NULL, status integer, body text,
            PRIMARY KEY (partner_id, key))
    """)
    op.execute("CREATE INDEX partner_requests_created_idx ON partner_requests (created_at)")
    for table in ("partners", "partner_keys", "partner_requests"):
        grant(table)
    op.execute("""
        ALTER TABLE tenants ADD COLUMN partner_id uuid,
            ADD COLUMN partner_reference text,
            ADD COLUMN suspended_by_partner boolean NOT NULL DEFAULT false
    """)
    op.execute(
        "CREATE INDEX tenants_partner_idx ON tenants (partner_id, created_at, id)"
        " WHERE partner_id IS NOT NULL"
    )
    op.execute(
        "CREATE UNIQUE INDEX tenants_partner_reference_idx ON tenants"
        " (partner_id, partner_reference) WHERE partner_reference IS NOT NULL"
    )
    op.execute(READ_USAGE)
    op.execute(f"REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {SIGNATURE} TO {APP_ROLE}")


def downgrade() -> None:
    op.execute(f"DROP FUNCTION {SIGNATURE}")
    op.execute("""
        ALTER TABLE tenants DROP COLUMN suspended_by_partner, DROP COLUMN partner_reference,
            DROP COLUMN partner_id
    """)
    for table in ("partner_requests", "partner_keys", "partners"):
        op.execute(f"DROP TABLE {table}")
