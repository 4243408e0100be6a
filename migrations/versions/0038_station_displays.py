"""A station may use the kitchen display without a printer; then no warning is shown."""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE stations ADD COLUMN display_only boolean NOT NULL DEFAULT false")


def downgrade() -> None:
    op.execute("ALTER TABLE stations DROP COLUMN display_only")
