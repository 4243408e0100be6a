"""Countdown stock, orders for later, and the kitchen's capacity in a quarter of an hour."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE TABLE item_stock (
            tenant_id bigint NOT NULL, site_id uuid NOT NULL, item_id uuid NOT NULL,
            left_count integer NOT NULL CHECK (left_count >= 0),
            "by" text NOT NULL DEFAULT '', counted_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, site_id, item_id),
            FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE)
    """)
    op.execute("""
        CREATE TABLE slot_loads (
            tenant_id bigint NOT NULL, site_id uuid NOT NULL, starts_at timestamptz NOT NULL,
            station text NOT NULL, used integer NOT NULL CHECK (used >= 0),
            PRIMARY KEY (tenant_id, site_id, starts_at, station),
            FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE)
    """)
    own_by_tenant("item_stock")
    own_by_tenant("slot_loads")
    op.execute("""
        ALTER TABLE sites
            ADD COLUMN preparation_minutes integer NOT NULL DEFAULT 20,
            ADD COLUMN delivery_minutes integer NOT NULL DEFAULT 20,
            ADD COLUMN later_days integer NOT NULL DEFAULT 0,
            ADD COLUMN slot_orders integer,
            ADD COLUMN slot_minutes jsonb NOT NULL DEFAULT '{}',
            ADD COLUMN slot_order_types text[] NOT NULL DEFAULT '{takeaway,delivery}'
    """)
    op.execute("ALTER TABLE carts ADD COLUMN due_at timestamptz")
    op.execute("""
        ALTER TABLE orders
            ADD COLUMN due_at timestamptz,
            ADD COLUMN fires_at timestamptz,
            ADD COLUMN slot_at timestamptz,
            ADD COLUMN slot_load jsonb NOT NULL DEFAULT '{}',
            ADD COLUMN holds_released boolean NOT NULL DEFAULT false
    """)
    op.execute(
        "CREATE INDEX orders_scheduled_idx ON orders (tenant_id, fires_at)"
        " WHERE state = 'scheduled'"
    )
    op.execute("ALTER TABLE order_lines ADD COLUMN counted jsonb NOT NULL DEFAULT '{}'")


def downgrade() -> None:
    op.execute("ALTER TABLE orders NO FORCE ROW LEVEL SECURITY")  # orders of every tenant
    op.execute("UPDATE orders SET state = 'awaiting_confirmation' WHERE state = 'scheduled'")
    op.execute("ALTER TABLE orders FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE order_lines DROP COLUMN counted")
    op.execute("DROP INDEX orders_scheduled_idx")
    op.execute("""
        ALTER TABLE orders DROP COLUMN due_at, DROP COLUMN fires_at, DROP COLUMN slot_at,
            DROP COLUMN slot_load, DROP COLUMN holds_released
    """)
    op.execute("ALTER TABLE carts DROP COLUMN due_at")
    op.execute("""
        ALTER TABLE sites DROP COLUMN preparation_minutes, DROP COLUMN delivery_minutes,
            DROP COLUMN later_days, DROP COLUMN slot_orders, DROP COLUMN slot_minutes,
            DROP COLUMN slot_order_types
    """)
    op.execute("DROP TABLE slot_loads")
    op.execute("DROP TABLE item_stock")
