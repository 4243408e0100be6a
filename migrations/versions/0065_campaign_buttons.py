"""Campaigns with buttons, a list or a link, and which button each recipient tapped."""

from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE campaigns ADD COLUMN card jsonb NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE campaign_recipients ADD COLUMN tapped text NOT NULL DEFAULT ''")
    op.execute("ALTER TABLE campaign_recipients ADD COLUMN tapped_at timestamptz")
    op.execute(
        "CREATE INDEX campaign_recipients_tapped_idx ON campaign_recipients "
        "(tenant_id, campaign_id, tapped, contact_id) WHERE tapped_at IS NOT NULL"
    )


def downgrade() -> None:
    op.execute("DROP INDEX campaign_recipients_tapped_idx")
    op.execute("ALTER TABLE campaign_recipients DROP COLUMN tapped_at")
    op.execute("ALTER TABLE campaign_recipients DROP COLUMN tapped")
    op.execute("ALTER TABLE campaigns DROP COLUMN card")
