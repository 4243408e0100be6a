"""How far a tenant has moved the clock of its test mode."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0076"
down_revision = "0075"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE TABLE test_clocks (
            tenant_id bigint NOT NULL PRIMARY KEY, seconds_ahead bigint NOT NULL,
            changed_at timestamptz NOT NULL)
    """)
    own_by_tenant("test_clocks")


def downgrade() -> None:
    op.execute("DROP TABLE test_clocks")
