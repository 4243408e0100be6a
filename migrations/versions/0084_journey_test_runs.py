"""Runs of journeys on the test line, and the index that finds the store orders of a phone."""

from alembic import op

revision = "0084"
down_revision = "0083"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE journey_runs ADD COLUMN test boolean NOT NULL DEFAULT false")
    # A contact may be in a journey on the test line and on a live one at the same time.
    op.execute("DROP INDEX journey_runs_active_idx")
    op.execute(
        "CREATE UNIQUE INDEX journey_runs_active_idx"
        " ON journey_runs (tenant_id, contact_id, journey_id, test) WHERE state = 'running'"
    )
    op.execute(
        "CREATE INDEX store_events_phone_idx ON store_events (tenant_id, phone, id)"
        " WHERE kind = 'order.created'"
    )
    # The last order is read from the orders themselves; nothing has ever filled this column.
    op.execute("DROP INDEX contacts_last_order_idx")


def downgrade() -> None:
    op.execute(
        "CREATE INDEX contacts_last_order_idx ON contacts (tenant_id, last_order_at)"
        " WHERE last_order_at IS NOT NULL"
    )
    op.execute("DROP INDEX store_events_phone_idx")
    op.execute("DELETE FROM journey_runs WHERE test")
    op.execute("DROP INDEX journey_runs_active_idx")
    op.execute(
        "CREATE UNIQUE INDEX journey_runs_active_idx"
        " ON journey_runs (tenant_id, contact_id, journey_id) WHERE state = 'running'"
    )
    op.execute("ALTER TABLE journey_runs DROP COLUMN test")
