"""An export is made in steps: how far it has come, and how many steps there were."""

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
