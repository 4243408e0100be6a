"""Contact imports count how many rows give consent, refuse it, or leave it unclear."""

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

COUNTS = ("agreed", "refused", "unclear")


def upgrade() -> None:
    for name in COUNTS:
        op.execute(f"ALTER TABLE contact_imports ADD COLUMN {name} integer NOT NULL DEFAULT 0")


def downgrade() -> None:
    for name in COUNTS:
        op.execute(f"ALTER TABLE contact_imports DROP COLUMN {name}")
