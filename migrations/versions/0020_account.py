"""Account settings and billing: retention, first steps, prices, invoices, exports, closing."""

from alembic import op

from migrations.tenancy import APP_ROLE, grant, own_by_tenant

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

COLUMNS = {
    "tenants": (
        "closed_at timestamptz",
        "closed_by text NOT NULL DEFAULT ''",
        "erase_at timestamptz",
        "wanted_plan text",
        "wanted_at timestamptz",
        "wanted_by text NOT NULL DEFAULT ''",
    ),
    "plans": (
        "price numeric(12, 2) NOT NULL DEFAULT 0",
        "currency text NOT NULL DEFAULT 'USD'",
    ),
    "accounts": (
        "message_days integer",
        "media_days integer",
        "call_days integer",
        "hook_days integer",
        "blanked_until timestamptz",
        "media_dropped_until timestamptz",
        "aims text[] NOT NULL DEFAULT '{}'",
        "steps_hidden_at timestamptz",
        "paid_until date",
        "billing_name text NOT NULL DEFAULT ''",
        "billing_address text NOT NULL DEFAULT ''",
        "billing_tax_number text NOT NULL DEFAULT ''",
    ),
}
OWNED = {
    "exports": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        state text NOT NULL CONSTRAINT exports_state_check
            CHECK (state IN ('waiting', 'working', 'ready', 'failed', 'gone')),
        done integer NOT NULL,
        whole integer NOT NULL,
        records bigint NOT NULL,
        size bigint,
        blob_key text,
        asked_by text NOT NULL,
        asked_at timestamptz NOT NULL,
        worked_at timestamptz,
        ready_at timestamptz,
        expires_at timestamptz,
        PRIMARY KEY (tenant_id, id)
    """,
    "plan_payments": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        plan text NOT NULL,
        net numeric(14, 3) NOT NULL CONSTRAINT plan_payments_net_check CHECK (net >= 0),
        tax numeric(14, 3) NOT NULL,
        currency text NOT NULL,
        state text NOT NULL CONSTRAINT plan_payments_state_check
            CHECK (state IN ('making', 'open', 'paid', 'failed')),
        provider text NOT NULL,
        ref text NOT NULL,
        url text NOT NULL,
        payment_ref text NOT NULL,
        made_by text NOT NULL,
        made_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        paid_at timestamptz,
        invoice text NOT NULL,
        PRIMARY KEY (tenant_id, id)
    """,
}
GLOBAL = {
    "invoice_years": """
        year integer PRIMARY KEY,
        last integer NOT NULL
    """,
    "invoices": """
        year integer NOT NULL,
        number integer NOT NULL,
        tenant_id bigint NOT NULL,
        issued_at timestamptz NOT NULL,
        name text NOT NULL,
        plan text NOT NULL,
        net numeric(14, 3) NOT NULL,
        tax numeric(14, 3) NOT NULL,
        tax_percent numeric(6, 3) NOT NULL,
        currency text NOT NULL,
        pdf bytea NOT NULL,
        PRIMARY KEY (year, number)
    """,
}
INDEXES = (
    "plan_payments_open_idx ON plan_payments (tenant_id, made_at) WHERE state = 'open'",
    "exports_asked_idx ON exports (tenant_id, asked_at)",
    "invoices_tenant_idx ON invoices (tenant_id, year, number)",
    "tenants_erase_at_idx ON tenants (erase_at) WHERE erase_at IS NOT NULL",
)
PRICES = {"starter": "19", "growth": "79"}


def upgrade() -> None:
    for table, columns in COLUMNS.items():
        op.execute(f"ALTER TABLE {table} " + ", ".join(f"ADD COLUMN {one}" for one in columns))
    for code, price in PRICES.items():
        op.execute(f"UPDATE plans SET price = {price} WHERE code = '{code}'")
    for table, columns in OWNED.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    for table, columns in GLOBAL.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
    grant("invoice_years")
    # An issued invoice can be neither changed nor deleted, whatever the code does.
    op.execute(f"GRANT SELECT, INSERT ON invoices TO {APP_ROLE}")
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")


def downgrade() -> None:
    for table in (*GLOBAL, *OWNED):
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP INDEX tenants_erase_at_idx")
    for table, columns in COLUMNS.items():
        names = (one.split()[0] for one in columns)
        op.execute(f"ALTER TABLE {table} " + ", ".join(f"DROP COLUMN {one}" for one in names))
