"""Guests cancel in the chat, customers see that a member types, texts have buttons."""

from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE sites ADD COLUMN guest_cancel_minutes integer NOT NULL DEFAULT 5")
    op.execute("ALTER TABLE conversations ADD COLUMN typing_at timestamptz")
    op.execute("ALTER TABLE quick_replies ADD COLUMN content jsonb NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE automations ADD COLUMN card jsonb NOT NULL DEFAULT '{}'")


def downgrade() -> None:
    op.execute("ALTER TABLE automations DROP COLUMN card")
    op.execute("ALTER TABLE quick_replies DROP COLUMN content")
    op.execute("ALTER TABLE conversations DROP COLUMN typing_at")
    op.execute("ALTER TABLE sites DROP COLUMN guest_cancel_minutes")
