"""E-mails about unprinted tickets are gathered: the first at once, then one per half hour."""

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE print_jobs ADD COLUMN letter_due boolean NOT NULL DEFAULT false")
    op.execute(
        "CREATE INDEX print_jobs_letter_idx ON print_jobs (tenant_id, site_id) WHERE letter_due"
    )
    op.execute("ALTER TABLE sites ADD COLUMN ticket_letter_at timestamptz")


def downgrade() -> None:
    op.execute("ALTER TABLE sites DROP COLUMN ticket_letter_at")
    op.execute("ALTER TABLE print_jobs DROP COLUMN letter_due")
