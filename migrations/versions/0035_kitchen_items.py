"""What each station has started and finished of each order item."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

# The row is written at a station's first tap: an item without a row has not been started.
KITCHEN_ITEMS = """
CREATE TABLE kitchen_items (
    tenant_id bigint NOT NULL,
    order_id uuid NOT NULL,
    position integer NOT NULL,
    station text NOT NULL,
    started_at timestamptz,
    started_by text NOT NULL DEFAULT '',
    ready_at timestamptz,
    ready_by text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, order_id, position, station),
    FOREIGN KEY (tenant_id, order_id, position)
        REFERENCES order_lines (tenant_id, order_id, position) ON DELETE CASCADE
)
"""


def upgrade() -> None:
    op.execute(KITCHEN_ITEMS)
    own_by_tenant("kitchen_items")


def downgrade() -> None:
    op.execute("DROP TABLE kitchen_items")
