"""Plans that expire and that operators edit; a campaign's file; phones to log out."""

from alembic import op

from migrations.tenancy import grant

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

COLUMNS = {
    "plans": (
        "most_lines integer",
        "most_members integer",
        "most_sites integer",
        "base boolean NOT NULL DEFAULT false",
        "retired_at timestamptz",
    ),
    "accounts": (
        "plan_word text NOT NULL DEFAULT ''",
        "plan_word_at timestamptz",
        "lapsed jsonb",
        "kept_plan text",
        "kept_price numeric(14, 3)",
        "kept_currency text",
    ),
    "campaigns": ("header_blob_key text",),
}
GLOBAL = {
    "plan_prices": """
        plan text NOT NULL,
        currency text NOT NULL,
        amount numeric(14, 3) NOT NULL CONSTRAINT plan_prices_amount_check CHECK (amount >= 0),
        PRIMARY KEY (plan, currency)
    """,
    "plan_changes": """
        id uuid PRIMARY KEY,
        plan text NOT NULL,
        at timestamptz NOT NULL,
        by text NOT NULL,
        act text NOT NULL,
        detail jsonb NOT NULL
    """,
}
INDEXES = (
    "plan_changes_plan_idx ON plan_changes (plan, id)",
    "tenants_plan_idx ON tenants (plan, id)",
)
FREE = """
INSERT INTO plans (code, name, position, rate_per_second, burst, monthly_messages, spend_cap_usd,
                   most_lines, most_members, most_sites, base)
VALUES ('free', 'Free', 0, 2, 5, 100, 10, 1, 2, 1, true)
"""


def upgrade() -> None:
    for table, columns in COLUMNS.items():
        op.execute(f"ALTER TABLE {table} " + ", ".join(f"ADD COLUMN {one}" for one in columns))
    op.execute("ALTER TABLE plans ALTER COLUMN price TYPE numeric(14, 3)")
    for table, columns in GLOBAL.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        grant(table)
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")
    op.execute(FREE)


def downgrade() -> None:
    """Accounts on the base plan, or on a plan that an operator added, are on trial again."""
    op.execute("UPDATE tenants SET plan = 'trial' WHERE plan NOT IN ('trial', 'starter', 'growth')")
    op.execute("DELETE FROM plans WHERE code NOT IN ('trial', 'starter', 'growth')")
    op.execute("DROP INDEX tenants_plan_idx")
    for table in GLOBAL:
        op.execute(f"DROP TABLE {table}")
    op.execute("ALTER TABLE plans ALTER COLUMN price TYPE numeric(12, 2)")
    for table, columns in COLUMNS.items():
        names = (one.split()[0] for one in columns)
        op.execute(f"ALTER TABLE {table} " + ", ".join(f"DROP COLUMN {one}" for one in names))
