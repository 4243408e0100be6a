"""Marks of ordered dishes, such as pork, for the tickets of the kitchen."""

from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE order_lines ADD COLUMN marks text[] NOT NULL DEFAULT '{}'")


def downgrade() -> None:
    op.execute("ALTER TABLE order_lines DROP COLUMN marks")
