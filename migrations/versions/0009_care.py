"""Templates, customers' media, the alerts sent about a line, and blobs to delete."""

from alembic import op

from migrations.tenancy import grant, own_by_tenant

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

OWNED = {
    "templates": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        account_id text NOT NULL,
        name text NOT NULL,
        language text NOT NULL,
        network_id text NOT NULL,
        category text NOT NULL,
        state text NOT NULL,
        reason text NOT NULL,
        quality text NOT NULL,
        parameter_format text NOT NULL,
        components jsonb NOT NULL,
        changed_at timestamptz NOT NULL,
        synced_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, account_id, name, language)
    """,
    "media_files": """
        tenant_id bigint NOT NULL,
        message_id uuid NOT NULL,
        source text NOT NULL,
        kind text NOT NULL,
        mime_type text NOT NULL,
        filename text NOT NULL,
        sha256 text NOT NULL,
        size integer,
        blob_key text,
        preview_blob_key text,
        state text NOT NULL CONSTRAINT media_files_state_check
            CHECK (state IN ('waiting', 'kept', 'failed')),
        tries integer NOT NULL,
        due_at timestamptz,
        error text,
        created_at timestamptz NOT NULL,
        kept_at timestamptz,
        PRIMARY KEY (tenant_id, message_id)
    """,
}
DOOMED = """
    blob_key text NOT NULL PRIMARY KEY,
    doomed_at timestamptz NOT NULL
"""
INDEXES = (
    "media_files_due_idx ON media_files (tenant_id, due_at) WHERE due_at IS NOT NULL",
    """messages_template_idx ON messages (tenant_id, (content ->> 'name'), id)
        WHERE kind = 'template'""",
    "received_hooks_parked_idx ON received_hooks (tenant_id, id) WHERE state = 'parked'",
    """received_hooks_target_idx ON received_hooks (tenant_id, kind, target, id)
        WHERE kind <> 'cloud'""",
    "doomed_blobs_doomed_at_idx ON doomed_blobs (doomed_at)",
)
# Changes since the rate card of 2025-07-01, each checked against a later list of the network:
# country, category, since, US dollars. docs/rates.md lists what could not be confirmed.
RATES = (
    ("US", "utility", "2026-01-01", "0.0034"),
    ("US", "authentication", "2026-01-01", "0.0034"),
    ("CA", "utility", "2026-01-01", "0.0034"),
    ("CA", "authentication", "2026-01-01", "0.0034"),
    ("EG", "marketing", "2026-10-01", "0.0644"),
    ("BD", "marketing", "2026-10-01", "0.0732"),
    ("BD", "utility", "2026-10-01", "0.0037"),
    ("BD", "authentication", "2026-10-01", "0.0037"),
)
LINES = {
    "told_state": "text NOT NULL DEFAULT 'connected'",
    "templates_at": "timestamptz",
    "templates_error": "text NOT NULL DEFAULT ''",
}


def upgrade() -> None:
    for table, columns in OWNED.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    op.execute(f"CREATE TABLE doomed_blobs ({DOOMED})")
    grant("doomed_blobs")
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")
    for column, kind in LINES.items():
        op.execute(f"ALTER TABLE lines ADD COLUMN {column} {kind}")
    # No alert is sent about states from before this migration. Row-level security applies to the
    # table's owner too and hides every row while no tenant is set.
    op.execute("ALTER TABLE lines NO FORCE ROW LEVEL SECURITY")
    op.execute("UPDATE lines SET told_state = state")
    op.execute("ALTER TABLE lines FORCE ROW LEVEL SECURITY")
    values = ", ".join(
        f"('cloud', '{country}', '{category}', DATE '{since}', {usd})"
        for country, category, since, usd in RATES
    )
    op.execute(
        "INSERT INTO rates (line_kind, country, category, since, usd)"
        f" VALUES {values} ON CONFLICT DO NOTHING"
    )
    for column in ("told_state", "templates_error"):
        op.execute(f"ALTER TABLE lines ALTER COLUMN {column} DROP DEFAULT")


def downgrade() -> None:
    for country, category, since, usd in RATES:
        op.execute(
            f"DELETE FROM rates WHERE line_kind = 'cloud' AND country = '{country}'"
            f" AND category = '{category}' AND since = DATE '{since}' AND usd = {usd}"
        )
    for column in reversed(LINES):
        op.execute(f"ALTER TABLE lines DROP COLUMN {column}")
    for index in reversed(INDEXES[:-1]):
        op.execute(f"DROP INDEX {index.split()[0]}")
    op.execute("DROP TABLE doomed_blobs")
    for table in reversed(OWNED):
        op.execute(f"DROP TABLE {table}")
