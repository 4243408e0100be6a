"""Free allowances, volume tiers and free entry points; sources of the rate card's rows.

The rows themselves are in the next migration.
"""

from alembic import op

from migrations.tenancy import APP_ROLE, grant, own_by_tenant

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None

SOURCE = """
        source text NOT NULL DEFAULT '',
        checked_on date"""
GLOBAL = {
    "rate_tiers": f"""
        line_kind text NOT NULL,
        country text NOT NULL,
        category text NOT NULL,
        since date NOT NULL,
        from_messages bigint NOT NULL CONSTRAINT rate_tiers_from_messages_check
            CHECK (from_messages > 0),
        usd numeric(14, 6) NOT NULL,{SOURCE},
        PRIMARY KEY (line_kind, country, category, since, from_messages)
    """,
    "rate_allowances": f"""
        line_kind text NOT NULL,
        name text NOT NULL,
        since date NOT NULL,
        amount integer NOT NULL
            CONSTRAINT rate_allowances_amount_check CHECK (amount >= 0),{SOURCE},
        PRIMARY KEY (line_kind, name, since)
    """,
}
OWNED = {
    "volume_tiers": """
        tenant_id bigint NOT NULL,
        account_id text NOT NULL,
        month date NOT NULL,
        country text NOT NULL,
        category text NOT NULL,
        from_messages bigint NOT NULL,
        reached_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, account_id, month, country, category, from_messages)
    """,
    "free_message_days": """
        tenant_id bigint NOT NULL,
        day date NOT NULL,
        line_id integer NOT NULL,
        category text NOT NULL,
        reason text NOT NULL,
        messages integer NOT NULL,
        PRIMARY KEY (tenant_id, day, line_id, category, reason)
    """,
}
COLUMNS = (
    ("rates", "source text NOT NULL DEFAULT ''"),
    ("rates", "checked_on date"),
    ("messages", "free_reason text"),
    ("conversations", "entry_point_until timestamptz"),
)
ENTRY_POINT_INDEX = """
CREATE INDEX conversations_entry_point_idx ON conversations (tenant_id, entry_point_until)
 WHERE entry_point_until IS NOT NULL
"""
READ_PRICING_FACTS = """
CREATE FUNCTION app.read_pricing_facts(
    p_tenant bigint, p_now timestamptz, p_month date,
    OUT sent jsonb, OUT tiers jsonb, OUT entry_points jsonb)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.set_tenant(p_tenant);
    SELECT jsonb_agg(jsonb_build_array(counted.line_id, counted.messages)) INTO sent
      FROM (SELECT u.line_id, sum(u.sent) - coalesce((
                       SELECT sum(f.messages) FROM free_message_days AS f
                        WHERE f.tenant_id = p_tenant AND f.day >= p_month
                          AND f.day < p_month + interval '1 month' AND f.line_id = u.line_id
                          AND f.category = 'service' AND f.reason = 'entry_point'), 0) AS messages
              FROM usage_days AS u
             WHERE u.tenant_id = p_tenant AND u.day >= p_month
               AND u.day < p_month + interval '1 month' AND u.category = 'service'
             GROUP BY u.line_id) AS counted;
    SELECT jsonb_agg(jsonb_build_array(l.id, t.month, t.country, t.category, t.from_messages,
                                       t.reached_at))
      INTO tiers
      FROM volume_tiers AS t, lines AS l
     WHERE t.tenant_id = p_tenant AND t.month >= p_month - interval '1 month'
       AND l.tenant_id = p_tenant AND l.account_id = t.account_id;
    SELECT jsonb_agg(jsonb_build_array(found.line_id, found.value, found.entry_point_until))
      INTO entry_points
      FROM (SELECT c.line_id, i.value, c.entry_point_until
              FROM conversations AS c, identities AS i
             WHERE c.tenant_id = p_tenant AND c.entry_point_until > p_now
               AND i.tenant_id = p_tenant AND i.contact_id = c.contact_id
               AND i.kind IN ('phone', 'network_id')
             ORDER BY c.entry_point_until DESC LIMIT 10000) AS found;
END
$$
"""
SIGNATURE = "app.read_pricing_facts(bigint, timestamptz, date)"


def upgrade() -> None:
    for table, columns in GLOBAL.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        grant(table)
    for table, columns in OWNED.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    for table, column in COLUMNS:
        op.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    op.execute(ENTRY_POINT_INDEX)
    op.execute(READ_PRICING_FACTS)
    op.execute(f"REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {SIGNATURE} TO {APP_ROLE}")


def downgrade() -> None:
    op.execute(f"DROP FUNCTION {SIGNATURE}")
    op.execute("DROP INDEX conversations_entry_point_idx")
    for table, column in reversed(COLUMNS):
        op.execute(f"ALTER TABLE {table} DROP COLUMN {column.split()[0]}")
    for table in (*reversed(OWNED), *reversed(GLOBAL)):
        op.execute(f"DROP TABLE {table}")
