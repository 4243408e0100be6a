"""Prices by order type, happy hours and set menus; changes that guests ask for."""

from alembic import op

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE menus ADD COLUMN happy_hours jsonb NOT NULL DEFAULT '[]'")
    op.execute("ALTER TABLE menu_items ADD COLUMN prices jsonb NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE menu_options ADD COLUMN item_id uuid")
    op.execute("""
        ALTER TABLE order_lines
            ADD COLUMN regular_price numeric(14, 3),
            ADD COLUMN offer text NOT NULL DEFAULT ''
    """)
    op.execute("ALTER TABLE carts ADD COLUMN replaces_order_id uuid")
    op.execute("""
        ALTER TABLE orders
            ADD COLUMN guest_request text NOT NULL DEFAULT '',
            ADD COLUMN guest_request_at timestamptz
    """)


def downgrade() -> None:
    op.execute("ALTER TABLE orders DROP COLUMN guest_request, DROP COLUMN guest_request_at")
    op.execute("ALTER TABLE carts DROP COLUMN replaces_order_id")
    op.execute("ALTER TABLE order_lines DROP COLUMN regular_price, DROP COLUMN offer")
    op.execute("ALTER TABLE menu_options DROP COLUMN item_id")
    op.execute("ALTER TABLE menu_items DROP COLUMN prices")
    op.execute("ALTER TABLE menus DROP COLUMN happy_hours")
