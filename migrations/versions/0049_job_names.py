"""Passes over all tenants keep their place under the new names of their jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

RENAMED = (
    ("jobs.closing.ask_payments", "jobs.tenants.account_closure.check_plan_payments"),
    ("jobs.closing.erase_due", "jobs.tenants.account_closure.erase_closed_accounts"),
    ("jobs.contacts.tidy", "jobs.contacts.delete_old_imports"),
    ("jobs.deliveries.forget", "jobs.webhooks.worker.delete_old_events"),
    ("jobs.exports.find_forgotten", "jobs.tenants.exports.find_lost_work"),
    ("jobs.housekeeping.tidy", "jobs.maintenance.delete_expired"),
    ("jobs.keeping.forget", "jobs.tenants.retention.delete_expired_data"),
    ("jobs.media.remove_doomed", "jobs.media.delete_pending_files"),
    ("jobs.plans.look", "jobs.tenants.plan_renewals.check_renewals"),
    ("jobs.templates.mark_all", "jobs.lines.template_sync.request_all"),
    ("jobs.warnings.look", "jobs.tenants.usage_alerts.check_usage"),
)


def upgrade() -> None:
    for old, new in RENAMED:
        _rename(old, new)


def downgrade() -> None:
    for old, new in RENAMED:
        _rename(new, old)


def _rename(before: str, after: str) -> None:
    # A pass that has already run under the other name keeps its own row.
    op.execute(
        sa.text(
            "UPDATE rounds SET job = :after WHERE job = :before"
            " AND NOT EXISTS (SELECT FROM rounds WHERE job = :after)"
        ).bindparams(before=before, after=after)
    )
    op.execute(sa.text("DELETE FROM rounds WHERE job = :before").bindparams(before=before))
