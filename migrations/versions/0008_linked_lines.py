"""Linked lines: who holds which session, its requested state, and its daily usage."""

from alembic import op

from migrations.tenancy import grant, own_by_tenant

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

LEASES = """
    kind text NOT NULL,
    tenant_id bigint NOT NULL,
    thing integer NOT NULL,
    holder text,
    turn integer NOT NULL,
    asked integer NOT NULL,
    leased_until timestamptz,
    PRIMARY KEY (kind, tenant_id, thing)
"""

OWNED = {
    "linked_lines": """
        tenant_id bigint NOT NULL,
        line_id integer NOT NULL,
        wanted text NOT NULL CONSTRAINT linked_lines_wanted_check
            CHECK (wanted IN ('nothing', 'session', 'logout')),
        code_phone text NOT NULL,
        qr text,
        code text,
        shown_until timestamptz,
        paired_at timestamptz,
        seen_at timestamptz,
        host text NOT NULL,
        PRIMARY KEY (tenant_id, line_id),
        FOREIGN KEY (tenant_id, line_id) REFERENCES lines (tenant_id, id)
    """,
    "linked_days": """
        tenant_id bigint NOT NULL,
        line_id integer NOT NULL,
        day date NOT NULL,
        sent integer NOT NULL,
        strangers integer NOT NULL,
        PRIMARY KEY (tenant_id, line_id, day),
        FOREIGN KEY (tenant_id, line_id) REFERENCES lines (tenant_id, id)
    """,
}


def upgrade() -> None:
    op.execute(f"CREATE TABLE leases ({LEASES})")
    op.execute("CREATE INDEX leases_kind_holder_idx ON leases (kind, holder)")
    grant("leases")
    for table, columns in OWNED.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)


def downgrade() -> None:
    for table in (*reversed(OWNED), "leases"):
        op.execute(f"DROP TABLE {table}")
