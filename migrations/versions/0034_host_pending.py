"""A restaurant's own host name needs the operator's approval before it is served."""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Host names that are already served stay as they are."""
    op.execute("ALTER TABLE sites ADD COLUMN host_pending text NOT NULL DEFAULT ''")


def downgrade() -> None:
    op.execute("ALTER TABLE sites DROP COLUMN host_pending")
