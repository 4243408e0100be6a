"""Access to a store's own API, so that a journey can confirm or cancel an order there."""

from alembic import op

revision = "0078"
down_revision = "0077"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE connections ADD COLUMN api_url text NOT NULL DEFAULT ''")
    op.execute("ALTER TABLE connections ADD COLUMN api_key text")
    op.execute("ALTER TABLE connections ADD COLUMN api_secret text")


def downgrade() -> None:
    for column in ("api_secret", "api_key", "api_url"):
        op.execute(f"ALTER TABLE connections DROP COLUMN {column}")
