"""Payments that staff record, with who and when; the message that was sent to a courier."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

TILL_PAYMENTS = """
CREATE TABLE till_payments (
    tenant_id bigint NOT NULL,
    id uuid NOT NULL,
    order_id uuid NOT NULL,
    site_id uuid NOT NULL,
    business_day date NOT NULL,
    method text NOT NULL CONSTRAINT till_payments_method_check CHECK (method IN ('cash', 'card')),
    amount numeric(14, 3) NOT NULL CONSTRAINT till_payments_amount_check CHECK (amount > 0),
    tip numeric(14, 3) NOT NULL CONSTRAINT till_payments_tip_check CHECK (tip >= 0),
    by text NOT NULL,
    at timestamptz NOT NULL,
    undone_at timestamptz,
    undone_by text NOT NULL,
    undone_because text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, order_id) REFERENCES orders (tenant_id, id) ON DELETE CASCADE
)
"""


def upgrade() -> None:
    op.execute(TILL_PAYMENTS)
    op.execute("CREATE INDEX till_payments_order_idx ON till_payments (tenant_id, order_id)")
    op.execute(
        "CREATE INDEX till_payments_day_idx ON till_payments (tenant_id, site_id, business_day)"
    )
    own_by_tenant("till_payments")
    op.execute("ALTER TABLE orders ADD COLUMN taken numeric(14, 3) NOT NULL DEFAULT 0")
    op.execute("ALTER TABLE trips ADD COLUMN message_id uuid")


def downgrade() -> None:
    op.execute("ALTER TABLE trips DROP COLUMN message_id")
    op.execute("ALTER TABLE orders DROP COLUMN taken")
    op.execute("DROP TABLE till_payments")
