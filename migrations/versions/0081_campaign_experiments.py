"""Campaigns with a holdout group, variants and a template that takes over for a paused one."""

from alembic import op

revision = "0081"
down_revision = "0080"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        ALTER TABLE campaigns
            ADD COLUMN holdout_percent smallint NOT NULL DEFAULT 0,
            ADD COLUMN weight smallint NOT NULL DEFAULT 50,
            ADD COLUMN variants jsonb NOT NULL DEFAULT '[]',
            ADD COLUMN stand_in jsonb NOT NULL DEFAULT '{}',
            ADD COLUMN replaced text[] NOT NULL DEFAULT '{}',
            ADD COLUMN count_clicks boolean NOT NULL DEFAULT false
    """)
    op.execute("ALTER TABLE campaign_recipients ADD COLUMN variant text NOT NULL DEFAULT ''")
    _allow_states("'waiting', 'handed', 'left_out', 'stopped', 'holdout'")
    op.execute("ALTER TABLE templates ADD COLUMN stand_in text NOT NULL DEFAULT ''")


def downgrade() -> None:
    op.execute("ALTER TABLE templates DROP COLUMN stand_in")
    op.execute("UPDATE campaign_recipients SET state = 'stopped' WHERE state = 'holdout'")
    _allow_states("'waiting', 'handed', 'left_out', 'stopped'")
    op.execute("ALTER TABLE campaign_recipients DROP COLUMN variant")
    op.execute("""
        ALTER TABLE campaigns
            DROP COLUMN count_clicks, DROP COLUMN replaced, DROP COLUMN stand_in,
            DROP COLUMN variants, DROP COLUMN weight, DROP COLUMN holdout_percent
    """)


def _allow_states(states: str) -> None:
    op.execute("ALTER TABLE campaign_recipients DROP CONSTRAINT campaign_recipients_state_check")
    op.execute(
        "ALTER TABLE campaign_recipients ADD CONSTRAINT campaign_recipients_state_check"
        f" CHECK (state IN ({states}))"
    )
