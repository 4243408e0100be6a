"""When an event was published, by the database's clock. Fan-out compares it with endpoints.

Events of the previous release have none; rows that it still writes get the default.
"""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE events ADD COLUMN published_at timestamptz")
    # In a second step, because a volatile default in the first would rewrite every row.
    op.execute("ALTER TABLE events ALTER COLUMN published_at SET DEFAULT clock_timestamp()")


def downgrade() -> None:
    op.execute("ALTER TABLE events DROP COLUMN published_at")
