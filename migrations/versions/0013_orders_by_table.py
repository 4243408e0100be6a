"""Orders are searched by their table."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE INDEX orders_table_idx ON orders (tenant_id, table_number, id)")


def downgrade() -> None:
    op.execute("DROP INDEX orders_table_idx")
