"""An invoice keeps its period, and a corrected one names the invoice that it replaces."""

from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        ALTER TABLE invoices
          ADD COLUMN begins date,
          ADD COLUMN ends date,
          ADD COLUMN replaces text
    """)
    op.execute("CREATE UNIQUE INDEX invoices_replaces_idx ON invoices (replaces)")


def downgrade() -> None:
    op.execute("DROP INDEX invoices_replaces_idx")
    op.execute("ALTER TABLE invoices DROP COLUMN replaces, DROP COLUMN ends, DROP COLUMN begins")
