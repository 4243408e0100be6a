"""An index for the backup copies of a ticket.

Without it every poll of an agent that had tickets in hand read all printed tickets of its tenant.
"""

from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "CREATE INDEX print_jobs_copy_idx ON print_jobs (tenant_id, fallback_of) "
        "WHERE fallback_of IS NOT NULL"
    )


def downgrade() -> None:
    op.execute("DROP INDEX print_jobs_copy_idx")
