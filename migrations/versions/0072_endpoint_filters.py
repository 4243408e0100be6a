"""Endpoints: filters, headers of their own, and order per conversation."""

from alembic import op

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE endpoints ADD COLUMN line_ids bigint[]")
    op.execute("ALTER TABLE endpoints ADD COLUMN filters jsonb NOT NULL DEFAULT '[]'")
    op.execute("ALTER TABLE endpoints ADD COLUMN headers text")
    op.execute("ALTER TABLE endpoints ADD COLUMN ordered boolean NOT NULL DEFAULT false")
    op.execute("ALTER TABLE deliveries ADD COLUMN conversation text")
    op.execute("""
        CREATE INDEX deliveries_conversation_idx
            ON deliveries (tenant_id, endpoint_id, conversation, sequence)
         WHERE due_at IS NOT NULL AND conversation IS NOT NULL
    """)


def downgrade() -> None:
    op.execute("DROP INDEX deliveries_conversation_idx")
    op.execute("ALTER TABLE deliveries DROP COLUMN conversation")
    op.execute("ALTER TABLE endpoints DROP COLUMN ordered")
    op.execute("ALTER TABLE endpoints DROP COLUMN headers")
    op.execute("ALTER TABLE endpoints DROP COLUMN filters")
    op.execute("ALTER TABLE endpoints DROP COLUMN line_ids")
