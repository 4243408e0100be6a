"""Guests cancel in the chat for some minutes; quick replies can have buttons or a list."""

from alembic import op

revision = "0061"
down_revision = "0058"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE sites ADD COLUMN guest_cancel_minutes integer NOT NULL DEFAULT 5")


def downgrade() -> None:
    op.execute("ALTER TABLE sites DROP COLUMN guest_cancel_minutes")
