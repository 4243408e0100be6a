"""Exports are made in steps: their cursor and the number of steps."""

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE exports ADD COLUMN steps integer NOT NULL DEFAULT 0")
    op.execute("ALTER TABLE exports ADD COLUMN work jsonb")


def downgrade() -> None:
    op.execute("ALTER TABLE exports DROP COLUMN work")
    op.execute("ALTER TABLE exports DROP COLUMN steps")
