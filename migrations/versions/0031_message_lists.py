"""Indexes for lists of messages by direction and state; stopped test lines are connected again."""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

# Partial indexes of rows that no longer change, so they cost sending nothing.
INDEXES = {
    "messages_received_idx": "(tenant_id, id) WHERE direction = 'in'",
    "messages_cancelled_idx": "(tenant_id, id) WHERE state = 'cancelled'",
}
RESUME_TEST_LINES = """
DO $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        UPDATE lines SET state = 'connected', state_because = '', state_at = now()
         WHERE tenant_id = mine AND test AND state = 'token_expired';
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$
"""


def upgrade() -> None:
    for name, columns in INDEXES.items():
        op.execute(f"CREATE INDEX {name} ON messages {columns}")
    op.execute(RESUME_TEST_LINES)


def downgrade() -> None:
    for name in INDEXES:
        op.execute(f"DROP INDEX {name}")
