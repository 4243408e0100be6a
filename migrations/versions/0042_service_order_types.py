"""The order types with a service charge. Sites that had one keep it for all orders."""

from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "ALTER TABLE sites ADD COLUMN service_order_types text[] NOT NULL"
        " DEFAULT '{dine_in,takeaway,delivery}'"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE sites DROP COLUMN service_order_types")
