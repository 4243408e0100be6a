"""Test mode: payment links and payments, endpoints, and order numbers."""

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

COLUMNS = (
    "payment_links ADD COLUMN test boolean NOT NULL DEFAULT false",
    "payments ADD COLUMN test boolean NOT NULL DEFAULT false",
    "endpoints ADD COLUMN test boolean NOT NULL DEFAULT false",
    "order_days ADD COLUMN last_test integer NOT NULL DEFAULT 0",
)
# Links and payments of test orders; a row without an order stays live. Row-level security is forced
# on the owner too, so each tenant is set in turn.
BACKFILL = """
DO $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        UPDATE payment_links AS p SET test = true FROM orders AS o
         WHERE p.tenant_id = mine AND o.tenant_id = mine AND o.id = p.order_id AND o.test;
        UPDATE payments AS p SET test = true FROM orders AS o
         WHERE p.tenant_id = mine AND o.tenant_id = mine AND o.id = p.order_id AND o.test;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$
"""


def upgrade() -> None:
    for column in COLUMNS:
        op.execute(f"ALTER TABLE {column}")
    op.execute(BACKFILL)


def downgrade() -> None:
    for column in reversed(COLUMNS):
        table, _, _, name, *_ = column.split()
        op.execute(f"ALTER TABLE {table} DROP COLUMN {name}")
