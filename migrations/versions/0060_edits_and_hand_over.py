"""Changes that arrive before their message, who holds a conversation, and arrivals from ads."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE early_edits (
            tenant_id bigint NOT NULL,
            network_id text NOT NULL,
            message_id uuid NOT NULL,
            line_id integer NOT NULL,
            changes jsonb NOT NULL,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, network_id)
        )
        """
    )
    own_by_tenant("early_edits")
    op.execute("ALTER TABLE conversations ADD COLUMN held_by text, ADD COLUMN held_at timestamptz")
    op.execute(
        """
        CREATE INDEX messages_referral_idx ON messages (tenant_id, id)
         WHERE direction = 'in' AND jsonb_exists(content, 'referral')
        """
    )


def downgrade() -> None:
    op.execute("DROP INDEX messages_referral_idx")
    op.execute("ALTER TABLE conversations DROP COLUMN held_by, DROP COLUMN held_at")
    op.execute("DROP TABLE early_edits")
