"""Files of template headers, announced categories, and what the network allows a line."""

from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        ALTER TABLE templates
            ADD COLUMN header_file jsonb NOT NULL DEFAULT '{}',
            ADD COLUMN next_category text NOT NULL DEFAULT ''
        """
    )
    op.execute(
        """
        ALTER TABLE lines
            ADD COLUMN quality text NOT NULL DEFAULT '',
            ADD COLUMN recipient_limit text NOT NULL DEFAULT '',
            ADD COLUMN portfolio_id text NOT NULL DEFAULT '',
            ADD COLUMN on_business_app boolean NOT NULL DEFAULT false,
            ADD COLUMN direct_send text NOT NULL DEFAULT 'off',
            ADD COLUMN direct_send_at timestamptz
        """
    )


def downgrade() -> None:
    op.execute("ALTER TABLE templates DROP COLUMN header_file, DROP COLUMN next_category")
    op.execute(
        """
        ALTER TABLE lines
            DROP COLUMN quality, DROP COLUMN recipient_limit, DROP COLUMN portfolio_id,
            DROP COLUMN on_business_app, DROP COLUMN direct_send, DROP COLUMN direct_send_at
        """
    )
